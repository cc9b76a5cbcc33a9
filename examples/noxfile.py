"""`nox -s api_audit`; the releases to run on stand in [tool.api-audit] of pyproject.toml."""

import os

import nox

SOURCE = os.environ.get("API_AUDIT_SOURCE", "git+https://git.example.org/tools/api-audit@v0.1.0")


@nox.session
def api_audit(session: nox.Session) -> None:
    """Find drift against the libraries we use."""
    session.install(SOURCE)
    session.run("api-audit", "scan", ".", "--no-patches", *session.posargs)
