"""The report as a pull-request comment: counts first, each finding folded, within the size that GitHub accepts."""

from __future__ import annotations

from auditor.formats import RenderOptions
from auditor.formats._deed import deed
from auditor.formats._markdown import block, code, prose
from auditor.formats._tally import claims, headline, history, plural, summary
from auditor.model import Finding, Report, Severity

_ICONS: dict[Severity, str] = {"error": "🔴", "warning": "🟡", "info": "🔵"}
_LIMIT = 60_000
"""GitHub refuses comments over 65,536 characters; the rest is room for the closing lines."""


def render(report: Report, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """Header, counts, then one folded section a finding, errors first."""
    order: list[Severity] = ["error", "warning", "info"]
    opened = [finding for finding in report.findings if finding.state == "open"]
    opened.sort(key=lambda finding: order.index(finding.severity))
    parts = [f"### api-audit: {prose(headline(report))}", prose(summary(report)), *map(prose, claims(report))]
    size = sum(len(part) for part in parts)
    for number, finding in enumerate(opened):
        section = _section(finding, report)
        size += len(section)
        if size > _LIMIT:
            parts.append(f"… and {plural(len(opened) - number, 'more finding')}.")
            break
        parts.append(section)
    if report.problems:
        parts.append(f"{plural(len(report.problems), 'place')} could not be audited.")
    return "\n\n".join(parts) + "\n"


def _section(finding: Finding, report: Report) -> str:
    span = finding.span
    # Inside <summary> only HTML-safe inline text survives on both hosts; `prose` yields nothing else.
    head = f"{_ICONS[finding.severity]} {code(finding.rule)} {prose(finding.message)}"
    lines = [f"{code(f'{span.path}:{span.line}')}{' (confidence: ' + finding.confidence + ')'}"]
    source = report.sources.get(span.path, "").split("\n")
    if source[span.line - 1 : span.line]:
        lines.append(block("\n".join(source[span.line - 1 : min(span.end_line, span.line + 9)]), "python"))
    signatures = [
        f"{sign} {signature.text}"
        for sign, signature in (("-", finding.old_signature), ("+", finding.new_signature))
        if signature
    ]
    if signatures:
        lines.append(block("\n".join(signatures), "diff"))
    if finding.intervals:
        lines.append(f"Releases: {prose(history(finding))}")
    lines += [prose(note) for note in finding.notes]
    if finding.fix:
        patch = f", {code(finding.fix.patch)}" if finding.fix.patch else ""
        lines.append(f"**Fix** ({finding.fix.applicability}{patch}): {prose(deed(finding.fix))}")
    elif finding.unfixed:
        lines.append(f"**No fix**: {prose(finding.unfixed)}")
    body = "\n\n".join(lines)
    return f"<details><summary>\n\n{head}\n\n</summary>\n\n{body}\n\n</details>"
