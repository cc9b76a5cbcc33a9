"""GitHub workflow annotations: errors first, since GitHub shows ten of a kind per step and silently drops the rest."""

from __future__ import annotations

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.formats._tally import plural, summary
from auditor.model import Finding, Report, Severity

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_LIMIT = 10
"""Annotations of one kind that GitHub keeps per step."""


def render(report: Report, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """One workflow command a finding, and one more that says what GitHub would have dropped."""
    lines: list[str] = []
    dropped = 0
    for severity, command in _COMMANDS.items():
        found = [one for one in report.findings if one.state == "open" and one.severity == severity]
        # The summary is a notice itself, so one place less is left for those.
        room = _LIMIT - 1 if severity == "info" else _LIMIT
        lines += [_annotation(command, finding) for finding in found[:room]]
        dropped += len(found[room:])
    more = f"{plural(dropped, 'more finding')} not shown here. " if dropped else ""
    lines.append(f"::notice title=api-audit::{_data(more + summary(report))}")
    return "".join(f"{line}\n" for line in lines)


def _annotation(command: str, finding: Finding) -> str:
    span = finding.span
    properties = {
        "file": span.path,
        "line": str(span.line),
        "endLine": str(span.end_line),
        "title": f"api-audit: {finding.rule}",
    }
    # GitHub reads columns only where the annotation stays on one line.
    if span.line == span.end_line:
        properties |= {"col": str(span.column), "endColumn": str(span.end_column)}
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{command} {shown}::{_data(finding.message)}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
