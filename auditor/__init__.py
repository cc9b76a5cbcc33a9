"""api-audit: a static auditor of API drift, and a generator of verified patches, for Python."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.errors import AuditError
    from auditor.model import Finding, Fix, Patch, Problem, Report
    from auditor.scan import Options, scan

__version__ = "0.1.0"
__all__ = ["AuditError", "Finding", "Fix", "Options", "Patch", "Problem", "Report", "__version__", "scan"]

_HOMES = {
    "AuditError": "auditor.errors",
    "Finding": "auditor.model",
    "Fix": "auditor.model",
    "Patch": "auditor.model",
    "Problem": "auditor.model",
    "Report": "auditor.model",
    "Options": "auditor.scan",
    "scan": "auditor.scan",
}


def __getattr__(name: str) -> Any:
    """Import the public names when first asked for: `api-audit -V` must not pay for the engine."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOMES[name])
    if _HOMES[name] == "auditor.scan":
        # Importing it has just bound the module to `auditor.scan`; the name belongs to the function.
        globals()["scan"] = home.scan
    return getattr(home, name)
