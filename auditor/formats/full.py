"""The report for people, in the manner of cargo: message, place, source line with carets, both signatures, help."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from auditor.formats import RenderOptions
from auditor.formats._deed import deed
from auditor.formats._escape import visible
from auditor.formats._frame import frame
from auditor.formats._style import Palette
from auditor.formats._tally import claims, headline, history, per_rule, plural, releases_of
from auditor.model import Finding, Fix, Problem, Report, Signature


def render(report: Report, options: RenderOptions) -> str:
    """The whole report as text."""
    paint = Palette(color=options.color)
    shown = [finding for finding in report.findings if options.verbose or finding.state == "open"]
    # In source order, but notes behind what needs an answer.
    shown.sort(key=lambda finding: finding.severity == "info")
    blocks = [paint("bold", visible(headline(report)))]
    if options.statistics:
        blocks.append("\n".join(_statistics(shown)))
    else:
        blocks += ["\n".join(_finding(finding, report, options, paint)) for finding in shown]
        if patches := _patches(shown, paint):
            blocks.append("\n".join(patches))
    blocks += [visible(claim) for claim in claims(report)]
    if report.problems and options.verbose:
        blocks.append("\n".join(_problems(report.problems, paint)))
    if (uses := report.stats.get("provider_uses")) and options.verbose:
        unresolved = int(report.stats.get("unresolved_uses", 0))
        blocks.append(f"Resolved: {int(uses) - unresolved} of {plural(int(uses), 'use')} ({1 - unresolved / uses:.1%})")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _finding(finding: Finding, report: Report, options: RenderOptions, paint: Palette) -> Iterator[str]:
    span = finding.span
    gutter = len(str(span.line))
    state = "" if finding.state == "open" else f" ({finding.state})"
    head = paint.severity(finding.severity, f"{finding.severity}[{finding.rule}]")
    yield f"{head}{paint('bold', ': ' + visible(finding.message))}{state}"
    yield f"{' ' * gutter}{paint('blue', '-->')} {visible(span.path)}:{span.line}:{span.column}"
    bar = paint("blue", "|")
    # Six columns for the gutter and its bar: what remains is the room for source text.
    shown = frame(report.sources.get(span.path, ""), span, options.width - gutter - 3)
    if shown and shown.text.strip():
        label = f" {visible(finding.label)}" if finding.label else ""
        carets = paint.severity(finding.severity, "^" * shown.length + label)
        yield f"{' ' * gutter} {bar}"
        yield f"{paint('blue', str(span.line))} {bar} {shown.text}"
        yield f"{' ' * gutter} {bar} {' ' * shown.start}{carets}"
    edge = f"{' ' * gutter} {paint('blue', '=')} "
    for text in _footer(finding, report):
        room = max(options.width - gutter - 3, 40)
        first, *rest = wrap(visible(text), room, break_long_words=False, break_on_hyphens=False) or [""]
        yield edge + first
        yield from (f"{' ' * (gutter + 5)}{line}" for line in rest)


def _footer(finding: Finding, report: Report) -> Iterator[str]:
    old, new = releases_of(report, finding.provider)
    if finding.old_signature:
        yield _signature(finding.provider, old, finding.old_signature)
    if finding.new_signature:
        yield _signature(finding.provider, new, finding.new_signature)
    if finding.intervals:
        yield f"releases: {history(finding)}"
    for note in finding.notes:
        yield f"note: {note}"
    if finding.confidence != "high":
        yield f"confidence: {finding.confidence}"
    if finding.state_reason:
        yield f"{finding.state}: {finding.state_reason}"
    if finding.fix:
        yield _help(finding.fix)
    elif finding.unfixed:
        yield f"no fix: {finding.unfixed}"


def _signature(provider: str, release: str, signature: Signature) -> str:
    place = f"  ({signature.path}:{signature.line})" if signature.path else ""
    return f"{' '.join(part for part in (provider, release) if part)}: {signature.text}{place}"


def _help(fix: Fix) -> str:
    patch = f"; {fix.patch}" if fix.patch else ""
    return f"help: {deed(fix)} ({fix.applicability}{patch})"


def _patches(findings: list[Finding], paint: Palette) -> list[str]:
    fixes: dict[str, list[Fix]] = {}
    for finding in findings:
        if finding.fix and finding.fix.patch:
            fixes.setdefault(finding.fix.patch, []).append(finding.fix)
    if not fixes:
        return []
    lines = [paint("bold", f"{plural(len(fixes), 'patch').replace('patchs', 'patches')} written:")]
    for patch, repairs in sorted(fixes.items()):
        lines.append(f"  {visible(patch)}  {repairs[0].applicability}")
    return lines


def _statistics(findings: list[Finding]) -> Iterator[str]:
    rows = per_rule(findings)
    digits = max((len(str(number)) for _, number, _ in rows), default=1)
    for rule, number, fixed in rows:
        note = f"  [{fixed} fixable]" if fixed else ""
        yield f"{number:>{digits}}  {rule}{note}"


def _problems(problems: tuple[Problem, ...], paint: Palette) -> Iterator[str]:
    yield paint("bold", "Not audited:")
    for problem in problems:
        line = f":{problem.line}" if problem.line else ""
        yield f"  {visible(problem.path)}{line}: {visible(problem.message)} [{visible(problem.kind)}]"
