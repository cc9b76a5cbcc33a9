"""How much of what a consumer does with its providers was understood, and for what reasons the rest was not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from auditor.api import AttributeApi
from auditor.model import Problem, Span, Use
from auditor.sides import Side, path_of, steps
from auditor.terms import Import, Member, Name, Term, roots
from auditor.world.values import (
    Alias,
    ClassValue,
    Container,
    External,
    ExternalInstance,
    InstanceValue,
    Keys,
    SuperValue,
    UnknownValue,
    Value,
    alternatives,
)
from auditor.world.values import Literal as Constant

TOLD = 5
"""How many reasons are named one by one; the others are counted together."""

_State: TypeAlias = Literal["own", "theirs", "held", "heir", "left", "lost", "gone"]
"""`own`: nothing of a provider; `theirs`: a provider's; `held`: a container with something of theirs; `heir`: the
consumer's subclass of theirs; `left`: known to be of another package; `lost`: theirs once, and what it is now cannot be
told; `gone`: it starts from what this release does not have.
"""

_ABSENT = ("attribute of a missing name", "call of a missing name", "annotation names something missing")
"""Reasons that settle a use: this release does not have what it starts from, so that nothing about it can drift."""


class Gap(msgspec.Struct, frozen=True):
    """One reason for which uses stayed unresolved."""

    reason: str
    count: int
    first: Span | None
    """Where it is met first; None for several reasons together."""

    @property
    def problem(self) -> Problem:
        """The gap as an entry of the report."""
        number = "1 use" if self.count == 1 else f"{self.count} uses"
        more = ", first here" if self.count > 1 else ""
        if self.first is None:
            return Problem("", f"{number} unresolved: {self.reason}", kind="unresolved")
        return Problem(self.first.path, f"{number} unresolved{more}: {self.reason}", self.first.line, "unresolved")


class Coverage(msgspec.Struct, frozen=True):
    """The calls of providers and the accesses to their attributes, and why some were not resolved."""

    uses: int
    gaps: tuple[Gap, ...]

    @property
    def unresolved(self) -> int:
        """How many uses were not resolved."""
        return sum(gap.count for gap in self.gaps)

    @property
    def stats(self) -> dict[str, int | float]:
        """The figures for a report."""
        share = self.unresolved / self.uses if self.uses else 0.0
        return {"provider_uses": self.uses, "unresolved_uses": self.unresolved, "unresolved_share": round(share, 4)}

    @property
    def problems(self) -> list[Problem]:
        """The commonest reasons one by one, then the others in one."""
        told = list(self.gaps[:TOLD])
        if rest := self.gaps[TOLD:]:
            names = ", ".join(gap.reason for gap in rest[:TOLD])
            told.append(Gap(f"{len(rest)} other reasons: {names}", sum(gap.count for gap in rest), None))
        return [gap.problem for gap in told]


def together(parts: Iterable[Coverage]) -> Coverage:
    """The coverage of several files, in their order."""
    number = 0
    gaps: dict[str, Gap] = {}
    for part in parts:
        number += part.uses
        for gap in part.gaps:
            known = gaps.get(gap.reason)
            gaps[gap.reason] = gap if known is None else msgspec.structs.replace(known, count=known.count + gap.count)
    return Coverage(number, tuple(sorted(gaps.values(), key=lambda gap: (-gap.count, gap.reason))))


def coverage(uses: Iterable[Use], old: Side, new: Side) -> Coverage:
    """Look at every call and every attribute access that starts from a provider; a callee counts with its call.

    Args:
        uses: Those of one file.
        old: The side that the consumer was written for.
        new: The side that it must run on.
    """
    wanted = [use for use in uses if use.kind in ("call", "attribute") and new.concerns(use) and new.reached(use)]
    called = {_place(use) for use in wanted if use.kind == "call"}
    number = 0
    found: dict[str, list[Use]] = {}
    for use in wanted:
        if use.kind == "attribute" and _place(use) in called:
            continue
        verdicts = [_standing(side, use) for side in dict.fromkeys((old, new))]
        if all(verdict is None for verdict in verdicts):
            continue
        number += 1
        if (reason := next(filter(None, verdicts), None)) is not None:
            found.setdefault(reason, []).append(use)
    return Coverage(number, tuple(Gap(reason, len(users), users[0].span) for reason, users in found.items()))


def _place(use: Use) -> tuple[str, int, int, Term]:
    return (use.span.path, use.span.line, use.span.column, use.term)


def _standing(side: Side, use: Use) -> str | None:
    """Why a use is not resolved, "" where it is; None where it is not a use of a provider."""
    state: _State = "own"
    before: _State = "own"
    reason = ""
    for term in steps(use.term):
        value = side.value(term)
        before, state = state, _next(side, state, term, value)
        if state == "lost":
            reason = next(
                (v.reason for v in alternatives(value) if isinstance(v, UnknownValue)), "one of several values"
            )
            break
        if state == "gone":
            break
        if state == "left":
            state = "theirs" if term is use.term and before == "theirs" else "left"
            break
    if state in ("held", "own") and before == "theirs":
        state = "theirs"  # what they offer, whatever it is
    if state == "theirs" and use.kind == "call":
        if all(isinstance(v, External) for v in alternatives(side.value(use.term))):
            return ""  # a function of another package, which they only pass on
        outcome = side.call(use)
        return (outcome.reason or "no signature") if outcome.status == "unknown" else ""
    return reason if state == "lost" else "" if state == "theirs" else None


def _next(side: Side, state: _State, term: Term, value: Value) -> _State:
    """What an access path has come to after one more step."""
    values = alternatives(value)
    if any((path := path_of(v)) is not None and side.provider_of(path) for v in values):
        return "theirs"
    if isinstance(term, Import) and side.provider_of(term.path):
        return "lost" if isinstance(value, UnknownValue) else "theirs"
    if all(isinstance(v, UnknownValue) and v.reason in _ABSENT for v in values):
        return "own" if state == "own" else "gone"
    if any(isinstance(v, ClassValue | InstanceValue | SuperValue) and _inherits(side, v) for v in values):
        return "heir"
    if state == "own":
        return "own"
    if state == "heir" and isinstance(term, Member) and _is_set_by_the_consumer(side, term):
        return "own"
    if all(isinstance(v, External | ExternalInstance | Alias | Constant) for v in values):
        return "own" if state == "heir" else "left"
    if any(isinstance(v, Container | Keys) for v in values):
        return "own" if state == "heir" else "held"
    if any(isinstance(v, UnknownValue) for v in values):
        of_container = state == "held" and isinstance(term, Member)
        return "left" if of_container else "lost"
    return "own" if state == "heir" else "left"


def _is_set_by_the_consumer(side: Side, term: Member) -> bool:
    """Whether an attribute of the consumer's own class is its own as well: nothing of a provider is in its value."""
    for value in alternatives(side.value(term.of)):
        found = value.ref.find(term.name) if isinstance(value, InstanceValue | ClassValue) else None
        if found is None or side.provider_of(found[0].path) is not None:
            return False
        if not isinstance(found[1], AttributeApi):
            return True
        told = [t for t in (found[1].term, found[1].type) if t is not None]
        if any(_leads_to_provider(side, start) for t in told for start in roots(t)):
            return False
    return True


def _leads_to_provider(side: Side, start: Term) -> bool:
    path = path_of(side.value(start)) if isinstance(start, Import | Name) else None
    return path is not None and side.provider_of(path) is not None


def _inherits(side: Side, value: ClassValue | InstanceValue | SuperValue) -> bool:
    """Whether a class of the consumer has one of a provider among its bases."""
    bases: Sequence[object] = value.ref.mro()[1:]
    return any(side.provider_of(path) for base in bases if (path := getattr(base, "path", "")))


__all__ = ["TOLD", "Coverage", "Gap", "coverage", "together"]
