"""Whether a version is what a test of it wants."""

from __future__ import annotations

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from auditor.terms import Guard


def meets(current: str, guard: Guard) -> bool | None:
    """Whether a comparison holds for a version; None where one of them cannot be read."""
    try:
        mine = _part(Version(current), guard.part)
        if guard.operator == "in":
            return any(_matches(mine, wanted) for wanted in guard.version.split())
        return _compared(mine, guard.operator, Version(guard.version))
    except (InvalidVersion, InvalidSpecifier):
        return None


def _part(version: Version, part: str) -> Version:
    """One of a version's numbers, or the first few."""
    if not part:
        return version
    numbers = (*version.release, 0, 0, 0)
    if part.startswith(":"):
        return Version(".".join(map(str, version.release[: int(part[1:])])))
    return Version(str(numbers[int(part)] if int(part) < len(numbers) else 0))


def _matches(mine: Version, wanted: str) -> bool:
    """Whether a version is the one that is wanted, or lies in the range that is."""
    if wanted[0].isdigit():
        return _compared(mine, "==", Version(wanted))
    return SpecifierSet(wanted).contains(mine, prereleases=True)


def _compared(mine: Version, operator: str, theirs: Version) -> bool:
    if len(theirs.release) < len(mine.release) and operator in ("==", "!="):
        mine = Version(".".join(map(str, mine.release[: len(theirs.release)])))
    return {
        "<": mine < theirs,
        "<=": mine <= theirs,
        ">": mine > theirs,
        ">=": mine >= theirs,
        "==": mine == theirs,
        "!=": mine != theirs,
    }[operator]
