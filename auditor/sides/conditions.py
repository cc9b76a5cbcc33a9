"""Whether a condition around a use is true on one side."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from packaging.version import InvalidVersion, Version

from auditor.model import Guard
from auditor.terms import Member, Term
from auditor.world.values import Missing, UnknownValue, Value


def holds(guard: Guard, versions: Mapping[str, str], evaluate: Callable[[Term], Value]) -> bool | None:
    """Whether a condition is true, negations included; None where that cannot be told."""
    found: bool | None = None
    match guard.kind:
        case "version":
            found = _version_holds(guard, versions)
        case "hasattr" if guard.of is not None:
            found = _is_there(evaluate(Member(guard.of, guard.name)))
        case "importable" if guard.of is not None:
            found = _is_there(evaluate(guard.of))
        case _:
            pass
    return found if found is None or not guard.negated else not found


def _is_there(value: Value) -> bool | None:
    if isinstance(value, UnknownValue) and not value.path:
        return None
    return not isinstance(value, Missing)


def _version_holds(guard: Guard, versions: Mapping[str, str]) -> bool | None:
    current = versions.get(guard.package) or versions.get(guard.package.replace("_", "-"))
    if current is None:
        return None
    try:
        mine, theirs = Version(current), Version(guard.version)
    except InvalidVersion:
        return None
    if len(theirs.release) < len(mine.release) and guard.operator in ("==", "!="):
        mine = Version(".".join(map(str, mine.release[: len(theirs.release)])))
    return {
        "<": mine < theirs,
        "<=": mine <= theirs,
        ">": mine > theirs,
        ">=": mine >= theirs,
        "==": mine == theirs,
        "!=": mine != theirs,
    }[guard.operator]
