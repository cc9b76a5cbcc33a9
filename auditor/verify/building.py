"""Turns the fixes of findings into patches that passed their proofs; a fix that fails is dropped with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from auditor import codemod
from auditor.errors import AuditError
from auditor.model import Applicability, Finding, Patch, PatchedFile, Proof, Repair, Severity
from auditor.patches import hunks, proofs
from auditor.patches.reader import check_path
from auditor.verify.grounds import Ground, Key, ProofError, found_in, holds, key_of, repairs_of

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_APPLICABLE: tuple[Applicability, ...] = ("safe", "unsafe")


def build_patches(
    folder: str, sources: Mapping[str, bytes], findings: Sequence[Finding], grounds: Sequence[Ground]
) -> tuple[tuple[Patch, ...], tuple[Finding, ...]]:
    """One patch per rule and applicability, as a series: safe ones first, errors before warnings before information.

    Args:
        folder: Name of the patch folder, for `Fix.patch`.
        sources: Every file of the consumer, by its path.
        findings: All findings, each once, with its fix; a ground may have the same ones by another wording.
        grounds: The releases in each of which every patch is proven.

    Returns:
        The patches in the order of their application, and the findings with `fix.patch` or `unfixed` set.
    """
    trusted = list({ground.kind if ground.kind is not None else n: n for n, ground in enumerate(grounds)}.values())
    while True:
        patches, result, series = _series(folder, sources, findings, [grounds[n] for n in sorted(trusted)])
        failed = next((n for n, ground in enumerate(grounds) if n not in trusted and series.fails_in(ground)), None)
        if failed is None:
            return tuple(_proven(patch, grounds) for patch in patches), tuple(result)
        trusted.append(failed)


def _proven(patch: Patch, grounds: Sequence[Ground]) -> Patch:
    """The patch with the releases in which the whole series holds."""
    if len(grounds) == 1:
        return patch
    labels = ", ".join(ground.label for ground in grounds)
    proof = Proof("releases", f"with all patches applied, this holds in each of {len(grounds)} releases: {labels}")
    return msgspec.structs.replace(patch, proofs=(*patch.proofs, proof))


def _series(
    folder: str, sources: Mapping[str, bytes], findings: Sequence[Finding], grounds: Sequence[Ground]
) -> tuple[list[Patch], list[Finding], _Series]:
    """The patches that hold step by step in some releases."""
    series = _Series(sources, grounds, [Counter(map(key_of, ground.findings)) for ground in grounds])
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
    return patches, result, series


def _groups(findings: Sequence[Finding]) -> list[list[int]]:
    """Indexes of the open findings whose fix may be applied, by applicability and rule, in the order of the series."""
    groups: dict[tuple[int, str], list[int]] = {}
    leaders: dict[Applicability, list[Finding]] = {}
    for index, finding in enumerate(findings):
        if finding.fix is not None and finding.state == "open" and finding.fix.applicability in _APPLICABLE:
            same = leaders.setdefault(finding.fix.applicability, [])
            leader = next((f for f in same if f.fix is not None and f.fix.repairs == finding.fix.repairs), finding)
            same.append(finding)
            key = (_APPLICABLE.index(finding.fix.applicability), leader.rule)
            groups.setdefault(key, []).append(index)

    def order(key: tuple[int, str]) -> tuple[int, int, str]:
        return (key[0], min(_SEVERITIES.index(findings[i].severity) for i in groups[key]), key[1])

    return [groups[key] for key in sorted(groups, key=order)]


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
    grounds: Sequence[Ground]
    expected: list[Counter[Key]]
    """The findings that are still allowed, in each ground."""
    repairs: list[Repair] = field(default_factory=list)
    state: dict[str, bytes] = field(default_factory=dict)
    done: list[Finding] = field(default_factory=list)
    """The findings that are repaired."""

    def fails_in(self, ground: Ground) -> bool:
        """Whether what the series makes of the sources does not hold in a further release."""
        if not self.state:
            return False
        files = [hunks.make(path, self.sources[path], data) for path, data in self.state.items()]
        expected = Counter(map(key_of, ground.findings))
        try:
            holds(ground, expected, self.done, files, self.sources, self.state)
        except ProofError:
            return True
        return False

    def extend(self, findings: Sequence[Finding]) -> tuple[_Step | None, list[str | None]]:
        """Accept as many of these findings' fixes as pass; None stands for a passed one, else the reason."""
        reasons: list[str | None] = [None] * len(findings)
        kept = list(range(len(findings)))
        step = None
        while kept and step is None:
            try:
                step = self._prove([findings[i] for i in kept])
            except ProofError as error:  # noqa: PERF203 - a failure narrows what is tried next
                blamed = {kept[i] for i in error.blame} or (set(kept) if len(kept) == 1 else set())
                if not blamed:
                    step, kept = self._one_by_one(findings, kept, reasons)
                    break
                for index in blamed:
                    reasons[index] = error.reason
                kept = [index for index in kept if index not in blamed]
        if step is not None:
            self.repairs, self.state = step.repairs, step.state
            done = [findings[index] for index in kept]
            self.done += done
            for ground, expected in zip(self.grounds, self.expected, strict=True):
                expected -= Counter(map(key_of, found_in(ground, done)))
        return step, reasons

    def _one_by_one(
        self, findings: Sequence[Finding], kept: list[int], reasons: list[str | None]
    ) -> tuple[_Step | None, list[int]]:
        step, accepted = None, list[int]()
        for index in kept:
            try:
                step = self._prove([findings[i] for i in (*accepted, index)])
                accepted.append(index)
            except ProofError as error:  # noqa: PERF203 - each one has its own reason
                reasons[index] = error.reason
        return step, accepted

    def _prove(self, findings: Sequence[Finding]) -> _Step:
        mine = list(repairs_of(findings))
        paths = sorted({repair.span.path for repair in mine})
        before = {path: self.state.get(path, self.sources.get(path, b"")) for path in paths}
        try:
            after = {path: self._rewritten(path, mine) for path in paths}
            files = tuple(hunks.make(path, before[path], after[path]) for path in paths if before[path] != after[path])
        except AuditError as error:
            raise ProofError(f"It cannot be repaired: {error}") from error
        if not files:
            raise ProofError("The repair changes nothing", set(range(len(findings))))
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
                raise ProofError(f"Lines outside the repaired statements of {file.path} would change")
            taken = proofs.taken_names(file.path, pristine, after[file.path], self.sources)
            if taken:
                raise ProofError(f"Other files import `{taken[0]}` from {file.path}, which would no longer have it")
        return Proof(
            "contained", "only lines of repaired statements and imports change; no name that others import is gone"
        )

    def _rescanned(
        self, findings: Sequence[Finding], files: Sequence[PatchedFile], state: Mapping[str, bytes]
    ) -> Iterator[Proof]:
        edited = [
            holds(ground, expected, findings, files, self.sources, state)
            for ground, expected in zip(self.grounds, self.expected, strict=True)
        ]
        yield Proof("rescan", f"{_counted(findings, 'finding')} gone, none new")
        yield Proof("idempotent", "a second run finds none of them and edits nothing")
        if any(ground.call_sites is None for ground in self.grounds):
            yield Proof("binds", "no finding says that an edited call does not bind")
        else:
            yield Proof("binds", f"every audited call on the edited lines binds to its new signature ({max(edited)})")


def _applies(files: Sequence[PatchedFile], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Proof:
    objection = proofs.git_objection(files, before, after)
    if objection is not None:
        raise ProofError(f"git does not take the patch: {objection}")
    how = (
        "with `git apply --check` and `git apply`" if proofs.has_git() else "with our own reader (git is not installed)"
    )
    return Proof("applies", f"applies and reverses byte by byte {how}")


def _counted(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"
