"""Conditions that tell releases apart while code runs: found in what failed to bind, and checked in each release."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from auditor.guarding.assigning import Assignment, Trials, Variant
from auditor.guarding.names import FileNames
from auditor.guarding.releases import Release, use_of
from auditor.guarding.versions import Condition, version_test
from auditor.model import Finding, Repair, Span, Use
from auditor.sides import exists, path_of
from auditor.terms import Guard, Import, Member

_PLAIN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


class Candidate(NamedTuple):
    """A condition that may tell releases apart."""

    guard: Guard
    subject: str | None
    """Source text of what is asked; None where a dotted path must be imported for it."""
    is_true: Callable[[int], bool | None]


class Conditions:
    """Finds the condition that is true in some releases and false in others.

    Args:
        releases: The range, in order.
        trials: What variants do in them.
        names: The names of the file in question.
        at: A place in that file.
        by_version: Whether version tests are wanted.
    """

    def __init__(
        self, releases: Sequence[Release], trials: Trials, names: FileNames, at: Span, *, by_version: bool
    ) -> None:
        self.releases = releases
        self.trials = trials
        self.names = names
        self.at = at
        self.by_version = by_version

    def choose(self, unit: Assignment, variant: Variant, yes: set[int], no: set[int]) -> Condition | None:
        """The first condition that is true in all of one set of releases and false in all of another."""
        if not self.by_version:
            for name, there in self._optional(variant):
                if all(n in there for n in yes) and not any(n in there for n in no):
                    return Condition(f"{name} is not None", words=f"`{name}` can be imported")
            several: list[Condition] = []
            left = set(no)
            for candidate in self._candidates(unit, variant, yes, no):
                if not all(candidate.is_true(n) for n in yes):
                    continue
                told = {n for n in left if candidate.is_true(n) is False}
                written = self._written(candidate) if told else None
                if written is not None and told == set(no):
                    return written
                if written is not None:
                    several.append(written)
                    left -= told
            if several and not left:
                return _all_of(several)
        return version_test(self.releases, yes, no, self.names, self.at)

    def _optional(self, variant: Variant) -> Iterator[tuple[str, set[int]]]:
        """Names that the variant imports and some releases do not have, with the releases that have them."""
        for repair in variant:
            if repair.repair == "add-import" and (name := repair.options.get("name")) is not None:
                path = f"{repair.options['module']}.{name}"
                there = {n for n, r in enumerate(self.releases) if exists(r.side.world.resolve(path))}
                if len(there) < len(self.releases):
                    yield str(repair.options.get("alias") or name), there

    def _candidates(self, unit: Assignment, variant: Variant, yes: set[int], no: set[int]) -> Iterator[Candidate]:
        seen: set[Guard] = set()
        direct = (*self._failures(unit, variant, no), *self._drift(unit, yes), *self._stated(unit, yes))
        others = {unit.chosen[number] for number in no} - {variant}
        opposite = [c for other in others for c in self._failures(unit, other, yes)]
        opposite += [*self._drift(unit, no), *self._stated(unit, no)]
        for candidate in (*direct, *map(_negated, opposite)):
            if candidate.guard not in seen:
                seen.add(candidate.guard)
                yield candidate

    def _failures(self, unit: Assignment, variant: Variant, no: set[int]) -> Iterator[Candidate]:
        """What kept a variant from being used in the releases that get another one."""
        if not variant:
            return
        home = unit.homes[variant]
        failed: dict[Guard, tuple[str, set[int]]] = {}
        for number in sorted(no, reverse=True):
            trial = self.trials.outcome(variant, home, number)
            for finding in trial.errors if trial is not None else ():
                use = trial.use(finding) if trial is not None else None
                for guard, subject in _asked(finding, use, negated=False):
                    failed.setdefault(guard, (subject, set()))[1].add(number)
        for guard, (subject, where) in failed.items():
            yield Candidate(guard, subject, self._truth(guard, where))

    def _drift(self, unit: Assignment, yes: set[int]) -> Iterator[Candidate]:
        """What broke in the releases that get the variant."""
        broken: dict[Guard, tuple[str, set[int]]] = {}
        for number in sorted(yes, reverse=True):
            for finding in unit.unit.findings[number]:
                for guard, subject in _asked(finding, use_of(finding, self.names.uses), negated=True):
                    broken.setdefault(guard, (subject, set()))[1].add(number)
        for guard, (subject, where) in broken.items():
            known = self._truth(guard, set())
            yield Candidate(guard, subject, lambda n, known=known, where=where: n in where or known(n))  # type: ignore[misc]

    def _stated(self, unit: Assignment, yes: set[int]) -> Iterator[Candidate]:
        """What a rule says of the releases that need its fix."""
        for number in sorted(yes, reverse=True):
            for finding in unit.unit.findings[number]:
                use = use_of(finding, self.names.uses)
                for guard in finding.fix.capabilities if finding.fix is not None else ():
                    yield Candidate(guard, self._callee(guard, use, number), self._truth(guard, set()))

    def _callee(self, guard: Guard, use: Use | None, number: int) -> str | None:
        """The text of the call that a finding is about, where a guard asks the very callee."""
        if use is None or use.kind != "call" or not isinstance(guard.of, Import):
            return None
        asked = path_of(self.releases[number].side.value(guard.of))
        return use.text if asked is not None and asked == path_of(self.releases[number].side.value(use.term)) else None

    def _truth(self, guard: Guard, failed: set[int]) -> Callable[[int], bool | None]:
        """Whether a guard holds in a release: by reading, and where that cannot tell, by what failed for want of it."""

        def is_true(number: int) -> bool | None:
            found = self.releases[number].side.holds(guard)
            return found if found is not None else (number not in failed if failed else None)

        return is_true

    def _written(self, candidate: Candidate) -> Condition | None:
        guard, subject = candidate.guard, candidate.subject
        needs: list[Repair] = []
        if subject is None:
            path = guard.of.path if isinstance(guard.of, Import) else ""
            subject = self.names.imported(path)
            if subject is None:
                module, _, name = path.rpartition(".")
                if guard.kind == "importable" or not all(exists(r.side.world.resolve(path)) for r in self.releases):
                    return None
                needs.append(Repair("add-import", self.at, {"module": module, "name": name}))
                subject = name
        if not _PLAIN.fullmatch(subject):
            return None
        if guard.kind == "hasattr":
            text = f'{"not " if guard.negated else ""}hasattr({subject}, "{guard.name}")'
            return Condition(text, tuple(needs), f"`{subject}` has `{guard.name}`")
        if guard.kind != "parameter":
            return None
        signature = self._signature(needs)
        test = f'"{guard.name}" in {signature}({subject}).parameters'
        words = f"`{subject}` takes `{guard.name}`"
        first = subject.partition(".")[0]
        if not (self.names.is_global(first) or (needs and first == str(needs[0].options.get("name")))):
            negation = f'"{guard.name}" not in {signature}({subject}).parameters'
            return Condition(negation if guard.negated else test, tuple(needs), words)
        last = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", subject.rpartition(".")[2]).strip("_").upper()
        wanted = f"_TAKES_{guard.name.strip('_').upper()}", f"_{last}_TAKES_{guard.name.strip('_').upper()}"
        name, new = self.names.constant(test, wanted)
        if new:
            comment = guard.text if " " in guard.text else ""  # a rule's own words
            needs.append(Repair("define-constant", self.at, {"name": name, "value": test, "comment": comment}))
        else:
            needs.clear()
        return Condition(f"not {name}" if guard.negated else name, tuple(needs), words)

    def _signature(self, needs: list[Repair]) -> str:
        """How the file calls `inspect.signature`; by default through the module."""
        for node in ast.walk(self.names.tree):
            if isinstance(node, ast.ImportFrom) and node.module == "inspect":
                for alias in node.names:
                    if alias.name == "signature":
                        return alias.asname or "signature"
        needs.append(Repair("add-import", self.at, {"module": "inspect"}))
        return "inspect.signature"


def _negated(candidate: Candidate) -> Candidate:
    guard = msgspec.structs.replace(candidate.guard, negated=not candidate.guard.negated)

    def is_true(number: int) -> bool | None:
        found = candidate.is_true(number)
        return None if found is None else not found

    return Candidate(guard, candidate.subject, is_true)


def _all_of(conditions: Iterable[Condition]) -> Condition:
    found = list(conditions)
    needs = tuple(need for one in found for need in one.needs)
    return Condition(" and ".join(one.text for one in found), needs, " and ".join(one.words for one in found))


def _asked(finding: Finding, use: Use | None, *, negated: bool) -> Iterator[tuple[Guard, str]]:
    """What would have told beforehand that a finding would come up, as a guard and the text of its subject.

    Args:
        finding: What broke.
        use: Where.
        negated: Whether the guard is to hold where it breaks.
    """
    if use is None:
        return
    if finding.rule in ("unknown-argument", "missing-argument") and finding.argument and use.kind == "call":
        needed = finding.rule == "missing-argument"
        for name in finding.argument.split(", "):
            yield Guard("parameter", name, name=name, of=use.term, negated=needed != negated), use.text
    elif finding.rule in ("unresolved-attribute", "vanished-member") and isinstance(use.term, Member):
        receiver = use.text.rpartition(".")[0]
        yield Guard("hasattr", use.text, name=use.term.name, of=use.term.of, negated=negated), receiver
