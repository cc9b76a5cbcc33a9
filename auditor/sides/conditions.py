"""Whether a condition around a use is true on one side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from auditor.portions import portion
from auditor.terms import Call, Guard, Member
from auditor.world.values import Missing, UnknownValue, Value

if TYPE_CHECKING:
    from auditor.sides.side import Side

_MAX_DEPTH = 20


@runtime_checkable
class HasFlags(Protocol):
    """A tree of modules that knows what its flags stand for."""

    def flag(self, guard: Guard) -> tuple[Guard, ...]:
        """What surely holds where a flag is set, or is not, if negated."""


def holds(guard: Guard, side: Side, depth: int = 0) -> bool | None:
    """Whether a condition is true, negations included; None where that cannot be told."""
    found: bool | None = None
    match guard.kind:
        case _ if depth > _MAX_DEPTH:
            return None
        case "version":
            found = _version_holds(guard, side)
        case "hasattr" if guard.of is not None:
            found = _is_there(side.value(Member(guard.of, guard.name)))
        case "importable" if guard.of is not None:
            found = _is_there(side.value(guard.of))
        case "parameter" if guard.of is not None:
            found = side.has_parameter(guard.of, guard.name)
        case "fails" if isinstance(guard.of, Call):
            fits = side.accepts(guard.of)
            found = None if fits is None else not fits
        case "flag":
            # what another module says holds where the flag is set is not said to be all that it takes
            return False if False in [holds(part, side, depth + 1) for part in side.flag(guard)] else None
        case "all":
            found = _all([holds(part, side, depth + 1) for part in guard.parts])
        case "any":
            found = _any([holds(part, side, depth + 1) for part in guard.parts])
        case _:
            pass
    return found if found is None or not guard.negated else not found


def _all(verdicts: list[bool | None]) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True


def _any(verdicts: list[bool | None]) -> bool | None:
    return True if True in verdicts else None if None in verdicts else False


def _is_there(value: Value) -> bool | None:
    if isinstance(value, UnknownValue) and not value.path:
        return None
    return not isinstance(value, Missing)


def _version_holds(guard: Guard, side: Side) -> bool | None:
    known = portion(guard.package, side.versions) or portion(guard.package.replace("_", "-"), side.versions)
    if known is None:
        return None
    current = side.versions[known]
    if guard.operator == "startswith":
        return current.startswith(tuple(guard.version.split()))
    from auditor.sides.versions import meets  # most code tests no versions

    return meets(current, guard)
