"""Counts over a report, and the two sentences every format opens and closes with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from auditor.model import Finding, ProviderInfo, Report


class Tally(msgspec.Struct, frozen=True):
    """How many findings of which kind; only open ones count as errors, warnings and notes."""

    errors: int
    warnings: int
    notes: int
    fixable: int
    held_back: int
    suppressed: int
    baselined: int
    unaudited: int
    """Places that were not read, such as files of another syntax."""
    unresolved: int
    """Uses that were read and not understood."""


def tally(report: Report) -> Tally:
    """Count the findings of `report`."""
    opened = [finding for finding in report.findings if finding.state == "open"]
    severities = Counter(finding.severity for finding in opened)
    states = Counter(finding.state for finding in report.findings)
    applicabilities = Counter(finding.fix.applicability for finding in opened if finding.fix)
    return Tally(
        errors=severities["error"],
        warnings=severities["warning"],
        notes=severities["info"],
        fixable=applicabilities["safe"],
        held_back=applicabilities["unsafe"],
        suppressed=states["suppressed"],
        baselined=states["baselined"],
        unaudited=sum(problem.kind != "unresolved" for problem in report.problems),
        unresolved=int(report.stats.get("unresolved_uses", 0)),
    )


def headline(report: Report) -> str:
    """What was audited against what: `speculators 0.3.0: vllm 0.11.0 -> 0.16.0`."""
    consumer = " ".join(part for part in (report.consumer.name, report.consumer.version) if part)
    unknown = " (no old side known: name it with --from)"
    return f"{consumer}: " + ", ".join(
        f"{_journey(provider)}{'' if releases(provider)[0] else unknown}" for provider in report.providers
    )


def _journey(provider: ProviderInfo) -> str:
    if provider.range is not None:
        return (
            f"{provider.name} {reach(provider.range.releases)}, written for {' and '.join(provider.range.old) or '?'}"
        )
    old, new = releases(provider)
    return f"{provider.name} {old or '?'} -> {new}"


def reach(labels: Sequence[str]) -> str:
    """`0.11.0-0.23.0 (23 releases)`"""
    return f"{labels[0]}-{labels[-1]} ({len(labels)} releases)" if len(labels) > 1 else "".join(labels)


def history(finding: Finding) -> str:
    """`0.11.0-0.16.0 fine, 0.17.0- broken`; nothing where no range was audited."""
    return ", ".join(map(str, finding.intervals))


def broken_in(finding: Finding) -> str:
    """`0.17.0-`: the releases in which a use does not fare as before."""
    return ", ".join(part.span for part in finding.intervals if part.state in ("broken", "altered", "noted"))


def claims(report: Report) -> list[str]:
    """For each range what is true of it, what the widest true range is, and what it is once the patches are applied."""
    said = []
    for provider in report.providers:
        whole = provider.range
        if whole is None:
            continue
        if [(part.first, part.last) for part in whole.clean] == [(whole.releases[0], None)]:
            said.append(f"`{whole.asked}` is true: all {len(whole.releases)} releases of it fit")
            continue
        parts = ", ".join(part.span for part in whole.clean) or "none of its releases"
        text = f"Of `{whole.asked}` true: {parts}"
        if whole.widest is not None:
            text += f"; the widest true range is `{whole.widest}`"
        if report.patches and whole.widest_patched is not None:
            text += f", with the patches applied `{whole.widest_patched}`"
        said.append(text)
    return said


def releases(provider: ProviderInfo) -> tuple[str, str]:
    """What to call both sides: their versions, or the last part of where they are, and are not both, without one."""
    old, new = PurePath(provider.old_origin or ""), PurePath(provider.new_origin)
    parts = zip(reversed(old.parts), reversed(new.parts), strict=False)
    differing = next(((one, other) for one, other in parts if one != other), (old.name, new.name))
    named = differing if not provider.old and not provider.new else (old.name, new.name)
    return provider.old or named[0], provider.new or named[1]


def releases_of(report: Report, name: str) -> tuple[str, str]:
    """What to call both sides of the provider called `name`; nothing where it was audited with several releases."""
    named = [provider for provider in report.providers if provider.name == name]
    return releases(named[0]) if len(named) == 1 else ("", "")


def summary(report: Report) -> str:
    """The closing line: how many findings, how many of them can be repaired, what was set aside."""
    count = tally(report)
    files = plural(report.consumer.files, "file")
    aside = [
        f"{number} {word}"
        for number, word in (
            (count.suppressed, "suppressed"),
            (count.baselined, "baselined"),
            (count.unaudited, "not audited"),
            (count.unresolved, "unresolved"),
        )
        if number
    ]
    tail = f"; {', '.join(aside)}" if aside else ""
    sites = plural(int(report.stats.get("call_sites", len({site.span for site in report.call_sites}))), "call site")
    if not (count.errors or count.warnings):
        against = ", ".join(
            f"{p.name} {reach(p.range.releases) if p.range else releases(p)[1]}" for p in report.providers
        )
        noted = f" ({plural(count.notes, 'note')})" if count.notes else ""
        audited = f"{sites} against" if report.stats.get("files_touching", 1) else "no import of"
        return f"No drift{noted}: {files}, {audited} {against}{tail}"
    named = [
        plural(number, word)
        for number, word in ((count.errors, "error"), (count.warnings, "warning"), (count.notes, "note"))
        if number
    ]
    repairs = [
        text
        for number, text in (
            (count.fixable, f"{count.fixable} fixable"),
            (count.held_back, f"{count.held_back} with --unsafe-fixes"),
        )
        if number
    ]
    fixes = f" ({', '.join(repairs)})" if repairs else ""
    journeys = ", ".join(map(_journey, report.providers))
    return f"{', '.join(named)} in {files}{fixes}{tail}; {sites}, {journeys}"


def plural(number: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def per_rule(findings: list[Finding]) -> list[tuple[str, int, int]]:
    """For each rule how often it was found and how many of those have a fix to apply, commonest first."""
    found = Counter(finding.rule for finding in findings)
    fixed = Counter(f.rule for f in findings if f.fix and f.fix.applicability != "display-only")
    return [(rule, number, fixed[rule]) for rule, number in sorted(found.items(), key=lambda item: (-item[1], item[0]))]
