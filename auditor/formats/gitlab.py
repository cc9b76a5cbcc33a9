"""GitLab's code quality report: a JSON list that merge requests show as a widget."""

from __future__ import annotations

from typing import Any

import msgspec

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.model import Finding, Report, Severity

_SEVERITIES: dict[Severity, str] = {"error": "critical", "warning": "minor", "info": "info"}


def render(report: Report, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """The open findings as code quality issues."""
    issues = [_issue(finding) for finding in report.findings if finding.state == "open"]
    return msgspec.json.format(msgspec.json.encode(issues), indent=2).decode() + "\n"


def _issue(finding: Finding) -> dict[str, Any]:
    span = finding.span
    return {
        "description": visible(finding.message),
        "check_name": finding.rule,
        "fingerprint": finding.id,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": visible(span.path), "lines": {"begin": span.line, "end": span.end_line}},
    }
