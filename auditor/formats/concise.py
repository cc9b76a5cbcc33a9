"""One line a finding, as editors and `grep` like it: `path:line:col: rule [*] message`."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.formats._style import Palette
from auditor.formats._tally import broken_in, per_rule
from auditor.model import Finding, Report


def render(report: Report, options: RenderOptions) -> str:
    """The findings, one a line; `[*]` marks a safe fix."""
    shown = [finding for finding in report.findings if options.verbose or finding.state == "open"]
    paint = Palette(color=options.color)
    lines = _statistics(shown) if options.statistics else (_line(finding, paint) for finding in shown)
    return "".join(f"{line}\n" for line in lines)


def _line(finding: Finding, paint: Palette) -> str:
    span = finding.span
    safe = " [*]" if finding.fix and finding.fix.applicability == "safe" else ""
    state = "" if finding.state == "open" else f" ({finding.state})"
    where = f" ({visible(broken_in(finding))})" if finding.intervals else ""
    place = f"{paint('bold', visible(span.path))}:{span.line}:{span.column}"
    return f"{place}: {paint.severity(finding.severity, finding.rule)}{safe} {visible(finding.message)}{where}{state}"


def _statistics(findings: list[Finding]) -> Iterator[str]:
    for rule, number, fixed in per_rule(findings):
        yield f"{number}\t{rule}\t{fixed}"
