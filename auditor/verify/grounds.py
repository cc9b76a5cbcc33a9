"""One release in which patches are proven, and what must hold there of a changed tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from auditor.model import CallSite, Finding, PatchedFile, Repair
from auditor.patches import hunks

Key: TypeAlias = tuple[str, str, "str | None", str, str]
Rescan: TypeAlias = Callable[[Mapping[str, bytes]], Sequence[Finding]]
"""All findings of these sources against the new release, as the scan reports them, but without reverse drift."""
Calls: TypeAlias = Callable[[Mapping[str, bytes]], Sequence[CallSite]]
"""The audited calls of these sources, each with its verdict against the new release."""


class Ground(NamedTuple):
    """One release in which patches are proven."""

    findings: Sequence[Finding]
    """All findings of the scan of the sources there."""
    rescan: Rescan
    """Scans a changed version of the sources in the same way."""
    call_sites: Calls | None = None
    """Judges its calls; it sees a repaired call that fits neither release, which is no drift to `rescan`."""
    label: str = ""
    kind: Hashable = None
    """What is the same in releases that are alike: each step is proven in one of them, the whole in all."""
    leaks: Rescan | None = None
    """What a changed version does on other lines than before, and this release does not know, though others do."""


class ProofError(Exception):
    """A proof that failed; `blame` holds positions of the findings at fault, if that is known."""

    def __init__(self, reason: str, blame: set[int] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.blame = blame or set()


def holds(
    ground: Ground,
    expected: Counter[Key],
    findings: Sequence[Finding],
    files: Sequence[PatchedFile],
    sources: Mapping[str, bytes],
    state: Mapping[str, bytes],
) -> int:
    """How many calls on the edited lines bind in a release, where the changed tree passes there.

    Args:
        ground: The release.
        expected: The findings that were there before.
        findings: Those that must be gone.
        files: The edits.
        sources: Every file as it was.
        state: The changed files as they are now.

    Raises:
        ProofError: Something is still there, or new, or does not bind.
    """
    where = f" in {ground.label}" if ground.label else ""
    changed = {**sources, **state}
    mine = list(found_in(ground, findings))
    scanned = ground.rescan(changed)
    excess = Counter(map(key_of, scanned)) - (expected - Counter(map(key_of, mine)))
    for finding in mine:
        if key_of(finding) in excess:
            same = {
                i
                for i, other in enumerate(findings)
                if key_of(other) == key_of(finding) or identity(other) == identity(finding)
            }
            raise ProofError(f"The finding is still there after the repair{where}", same)
    for finding in scanned:
        if key_of(finding) in excess and finding.severity != "info":
            reason = f"The repair would bring a new finding{where}, {finding.rule}: {finding.message}"
            raise ProofError(reason, _near(finding, findings))
    for finding in ground.leaks(state) if ground.leaks is not None else ():
        raise ProofError(f"The repair does not hold{where}: {finding.message}", _near(finding, findings))
    return _bound(ground, files, changed, scanned)


def _bound(ground: Ground, files: Sequence[PatchedFile], changed: Mapping[str, bytes], found: Sequence[Finding]) -> int:
    if ground.call_sites is None:
        return 0
    edited = 0
    lines = {file.path: hunks.changed_lines(file) for file in files}
    for site in ground.call_sites(changed):
        if lines.get(site.span.path, set()).isdisjoint(range(site.span.line, site.span.end_line + 1)):
            continue
        edited += site.verdict == "fits"
        known = any(f.span.path == site.span.path and _touches(f, site) for f in found)
        if site.verdict == "broken" and not known:
            raise ProofError(f"The repaired call of `{site.symbol}` would not bind to its new signature")
    return edited


def key_of(finding: Finding) -> Key:
    """What a finding has in common with itself after a place has moved."""
    return (finding.rule, finding.symbol, finding.argument, finding.span.path, finding.scope)


def identity(finding: Finding) -> tuple[object, ...]:
    """What a finding has in common with itself in another release."""
    return (finding.id, finding.rule, finding.span, finding.argument)


def found_in(ground: Ground, findings: Sequence[Finding]) -> Iterator[Finding]:
    """What some findings are in one of the releases, where they are there at all."""
    wanted = {identity(finding) for finding in findings}
    return (finding for finding in ground.findings if identity(finding) in wanted)


def repairs_of(findings: Sequence[Finding]) -> Iterator[Repair]:
    """The repairs of some findings."""
    for finding in findings:
        if finding.fix is not None:
            yield from finding.fix.repairs


def _near(new: Finding, findings: Sequence[Finding]) -> set[int]:
    """The findings whose repair can alone have brought a new one; empty if that is not clear."""
    here = {i for i, f in enumerate(findings) if any(r.span.path == new.span.path for r in repairs_of([f]))}
    same_scope = {i for i in here if findings[i].scope == new.scope}
    for candidates in (same_scope, here):
        if len(candidates) == 1:
            return candidates
    return set()


def _touches(finding: Finding, site: CallSite) -> bool:
    return finding.span.line <= site.span.end_line and site.span.line <= finding.span.end_line
