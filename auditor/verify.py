"""Turns the fixes of findings into patches that passed their proofs; a fix that fails is dropped with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import msgspec

from auditor import codemod
from auditor.errors import AuditError
from auditor.model import Applicability, CallSite, Finding, Patch, PatchedFile, Proof, Repair, Severity
from auditor.patches import hunks, proofs
from auditor.patches.reader import check_path

Key: TypeAlias = tuple[str, str, "str | None", str, str]
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_APPLICABLE: tuple[Applicability, ...] = ("safe", "unsafe")


Rescan: TypeAlias = Callable[[Mapping[str, bytes]], Sequence[Finding]]
"""All findings of these sources against the new release, as the scan reports them, but without reverse drift."""
Calls: TypeAlias = Callable[[Mapping[str, bytes]], Sequence[CallSite]]
"""The audited calls of these sources, each with its verdict against the new release."""


def build_patches(
    folder: str,
    sources: Mapping[str, bytes],
    findings: Sequence[Finding],
    rescan: Rescan,
    call_sites: Calls | None = None,
) -> tuple[tuple[Patch, ...], tuple[Finding, ...]]:
    """One patch per rule and applicability, as a series: safe ones first, errors before warnings before information.

    Args:
        folder: Name of the patch folder, for `Fix.patch`.
        sources: Every file of the consumer, by its path.
        findings: All findings of the scan of `sources`.
        rescan: Scans a changed version of `sources` in the same way.
        call_sites: Judges its calls; it sees a repaired call that fits neither release, which is no drift to `rescan`.

    Returns:
        The patches in the order of their application, and the findings with `fix.patch` or `unfixed` set.
    """
    series = _Series(sources, rescan, call_sites, Counter(_key(finding) for finding in findings))
    result = list(findings)
    patches: list[Patch] = []
    for group in _groups(findings):
        name = f"{(len(patches) + 1) * 10:03d}-{re.sub(r'[^A-Za-z0-9._-]+', '-', findings[group[0]].rule)}.patch"
        step, reasons = series.extend([findings[index] for index in group])
        for index, reason in zip(group, reasons, strict=True):
            finding = findings[index]
            if reason is not None:
                result[index] = msgspec.structs.replace(finding, fix=None, unfixed=reason)
            elif finding.fix is not None:
                fix = msgspec.structs.replace(finding.fix, patch=f"{folder}/{name}")
                result[index] = msgspec.structs.replace(finding, fix=fix)
        if step is not None:
            kept = [findings[index] for index, reason in zip(group, reasons, strict=True) if reason is None]
            patches.append(_patch(name, kept, step))
    return tuple(patches), tuple(result)


def _groups(findings: Sequence[Finding]) -> list[list[int]]:
    """Indexes of the open findings whose fix may be applied, by applicability and rule, in the order of the series."""
    groups: dict[tuple[int, str], list[int]] = {}
    for index, finding in enumerate(findings):
        if finding.fix is not None and finding.state == "open" and finding.fix.applicability in _APPLICABLE:
            key = (_APPLICABLE.index(finding.fix.applicability), finding.rule)
            groups.setdefault(key, []).append(index)

    def order(key: tuple[int, str]) -> tuple[int, int, str]:
        return (key[0], min(_SEVERITIES.index(findings[i].severity) for i in groups[key]), key[1])

    return [groups[key] for key in sorted(groups, key=order)]


def _key(finding: Finding) -> Key:
    return (finding.rule, finding.symbol, finding.argument, finding.span.path, finding.scope)


def _patch(name: str, findings: Sequence[Finding], step: _Step) -> Patch:
    assert findings[0].fix is not None
    reasons = dict.fromkeys(finding.fix.reason for finding in findings if finding.fix is not None)
    old = dict.fromkeys(f.old_signature.text for f in findings if f.old_signature is not None)
    new = dict.fromkeys(f.new_signature.text for f in findings if f.new_signature is not None)
    return Patch(
        name=name,
        rule=findings[0].rule,
        applicability=findings[0].fix.applicability,
        reason=" ".join(reasons),
        symbols=tuple(dict.fromkeys(finding.symbol for finding in findings)),
        files=step.files,
        proofs=step.proofs,
        old_signatures=tuple(old),
        new_signatures=tuple(new),
        findings=tuple(finding.id for finding in findings),
    )


class _ProofError(Exception):
    """A proof that failed; `blame` holds positions of the findings at fault, if that is known."""

    def __init__(self, reason: str, blame: set[int] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.blame = blame or set()


class _Step(NamedTuple):
    """What one more patch makes of the sources."""

    repairs: list[Repair]
    state: dict[str, bytes]
    files: tuple[PatchedFile, ...]
    proofs: tuple[Proof, ...]


@dataclass
class _Series:
    """The patches accepted so far: their repairs, made anew from the pristine sources, and where these stand now."""

    sources: Mapping[str, bytes]
    rescan: Rescan
    call_sites: Calls | None
    expected: Counter[Key]
    """The findings that are still allowed."""
    repairs: list[Repair] = field(default_factory=list)
    state: dict[str, bytes] = field(default_factory=dict)

    def extend(self, findings: Sequence[Finding]) -> tuple[_Step | None, list[str | None]]:
        """Accept as many of these findings' fixes as pass; None stands for a passed one, else the reason."""
        reasons: list[str | None] = [None] * len(findings)
        kept = list(range(len(findings)))
        step = None
        while kept and step is None:
            try:
                step = self._prove([findings[i] for i in kept])
            except _ProofError as error:  # noqa: PERF203 - a failure narrows what is tried next
                blamed = {kept[i] for i in error.blame} or (set(kept) if len(kept) == 1 else set())
                if not blamed:
                    step, kept = self._one_by_one(findings, kept, reasons)
                    break
                for index in blamed:
                    reasons[index] = error.reason
                kept = [index for index in kept if index not in blamed]
        if step is not None:
            self.repairs, self.state = step.repairs, step.state
            self.expected -= Counter(_key(findings[index]) for index in kept)
        return step, reasons

    def _one_by_one(
        self, findings: Sequence[Finding], kept: list[int], reasons: list[str | None]
    ) -> tuple[_Step | None, list[int]]:
        step, accepted = None, list[int]()
        for index in kept:
            try:
                step = self._prove([findings[i] for i in (*accepted, index)])
                accepted.append(index)
            except _ProofError as error:  # noqa: PERF203 - each one has its own reason
                reasons[index] = error.reason
        return step, accepted

    def _prove(self, findings: Sequence[Finding]) -> _Step:
        mine = list(_repairs(findings))
        paths = sorted({repair.span.path for repair in mine})
        before = {path: self.state.get(path, self.sources.get(path, b"")) for path in paths}
        try:
            after = {path: self._rewritten(path, mine) for path in paths}
            files = tuple(hunks.make(path, before[path], after[path]) for path in paths if before[path] != after[path])
        except AuditError as error:
            raise _ProofError(f"It cannot be repaired: {error}") from error
        if not files:
            raise _ProofError("The repair changes nothing", set(range(len(findings))))
        state = {**self.state, **after}
        passed = [
            Proof("parses", f"every patched file compiles ({len(files)})"),
            self._unchanged_elsewhere(files, after, mine),
            *self._rescanned(findings, files, state),
            _applies(files, before, after),
        ]
        return _Step([*self.repairs, *mine], state, files, tuple(passed))

    def _rewritten(self, path: str, mine: Sequence[Repair]) -> bytes:
        check_path(path)
        if path not in self.sources:
            raise AuditError("The file is not among the scanned ones", where=path)
        repairs = [repair for repair in (*self.repairs, *mine) if repair.span.path == path]
        after = codemod.rewrite(self.sources[path], repairs)
        if not proofs.compiles(after) and (proofs.compiles(self.sources[path]) or proofs.tree(after) is None):
            raise AuditError("The repaired file is not valid Python", where=path)
        return after

    def _unchanged_elsewhere(
        self, files: Sequence[PatchedFile], after: Mapping[str, bytes], mine: Sequence[Repair]
    ) -> Proof:
        for file in files:
            pristine = self.sources[file.path]
            repairs = [repair for repair in (*self.repairs, *mine) if repair.span.path == file.path]
            if not proofs.untouched(pristine, after[file.path], codemod.footprint(pristine, repairs)):
                raise _ProofError(f"Lines outside the repaired statements of {file.path} would change")
            taken = proofs.taken_names(file.path, pristine, after[file.path], self.sources)
            if taken:
                raise _ProofError(f"Other files import `{taken[0]}` from {file.path}, which would no longer have it")
        return Proof(
            "contained", "only lines of repaired statements and imports change; no name that others import is gone"
        )

    def _rescanned(
        self,
        findings: Sequence[Finding],
        files: Sequence[PatchedFile],
        state: Mapping[str, bytes],
    ) -> Iterator[Proof]:
        scanned = self.rescan({**self.sources, **state})
        allowed = self.expected - Counter(_key(finding) for finding in findings)
        excess = Counter(_key(finding) for finding in scanned) - allowed
        for position, finding in enumerate(findings):
            if _key(finding) in excess:
                same = {i for i, other in enumerate(findings) if _key(other) == _key(finding)} | {position}
                raise _ProofError("The finding is still there after the repair", same)
        for finding in scanned:
            if _key(finding) in excess and finding.severity != "info":
                reason = f"The repair would bring a new finding, {finding.rule}: {finding.message}"
                raise _ProofError(reason, _near(finding, findings))
        yield Proof("rescan", f"{_counted(findings, 'finding')} gone, none new")
        yield Proof("idempotent", "a second run finds none of them and edits nothing")
        yield self._bound(files, state, scanned)

    def _bound(self, files: Sequence[PatchedFile], state: Mapping[str, bytes], found: Sequence[Finding]) -> Proof:
        if self.call_sites is None:
            return Proof("binds", "no finding says that an edited call does not bind")
        edited = 0
        lines = {file.path: hunks.changed_lines(file) for file in files}
        for site in self.call_sites({**self.sources, **state}):
            if lines.get(site.span.path, set()).isdisjoint(range(site.span.line, site.span.end_line + 1)):
                continue
            edited += site.verdict == "fits"
            known = any(f.span.path == site.span.path and _touches(f, site) for f in found)
            if site.verdict == "broken" and not known:
                raise _ProofError(f"The repaired call of `{site.symbol}` would not bind to its new signature")
        return Proof("binds", f"every audited call on the edited lines binds to its new signature ({edited})")


def _repairs(findings: Sequence[Finding]) -> Iterator[Repair]:
    for finding in findings:
        if finding.fix is not None:
            yield from finding.fix.repairs


def _near(new: Finding, findings: Sequence[Finding]) -> set[int]:
    """The findings whose repair can alone have brought a new one; empty if that is not clear."""
    here = {i for i, f in enumerate(findings) if any(r.span.path == new.span.path for r in _repairs([f]))}
    same_scope = {i for i in here if findings[i].scope == new.scope}
    for candidates in (same_scope, here):
        if len(candidates) == 1:
            return candidates
    return set()


def _touches(finding: Finding, site: CallSite) -> bool:
    return finding.span.line <= site.span.end_line and site.span.line <= finding.span.end_line


def _applies(files: Sequence[PatchedFile], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Proof:
    objection = proofs.git_objection(files, before, after)
    if objection is not None:
        raise _ProofError(f"git does not take the patch: {objection}")
    how = (
        "with `git apply --check` and `git apply`" if proofs.has_git() else "with our own reader (git is not installed)"
    )
    return Proof("applies", f"applies and reverses byte by byte {how}")


def _counted(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"
