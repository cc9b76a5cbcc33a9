"""Findings of many releases that are repaired together: they are about the same argument, name or statement."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from auditor.model import Finding, Repair

ARGUMENTS = frozenset({"add-argument", "remove-argument", "rename-argument", "to-keyword"})
COMPANIONS = frozenset({"add-import", "assign-result"})
"""Repairs that only serve others, and do no harm by themselves."""
RENAMES = frozenset({"rename-argument", "rename-attribute", "rename-symbol", "move-import", "add-import"})
BINDING = RENAMES | ARGUMENTS | COMPANIONS | {"add-parameter", "rename-parameter"}
"""Repairs that mean in every release what they mean in one, as long as they fit there."""


class Unit:
    """Findings that belong together, by the number of the release.

    Args:
        releases: How many releases there are.
    """

    def __init__(self, releases: int) -> None:
        self.findings: list[list[Finding]] = [[] for _ in range(releases)]

    def wanted(self, number: int) -> tuple[Repair, ...]:
        """The repairs that one release alone would get."""
        fixes = [finding.fix for finding in self.findings[number] if finding.fix is not None]
        return tuple(dict.fromkeys(_hashable(repair) for fix in fixes for repair in fix.repairs))

    def stuck(self, number: int) -> bool:
        """Whether something breaks in a release for which there is no repair."""
        return any(finding.fix is None for finding in self.findings[number])

    def every(self) -> Iterator[Finding]:
        """All findings of all releases, the newest release first."""
        for found in reversed(self.findings):
            yield from found


class _Repair(Repair, frozen=True):
    """A repair that can be counted: its options have an order."""

    def __hash__(self) -> int:
        return hash((self.repair, self.span, tuple(sorted(self.options.items(), key=repr))))


def _hashable(repair: Repair) -> Repair:
    return _Repair(repair.repair, repair.span, repair.options)


def units(releases: Sequence[Sequence[Finding]]) -> list[Unit]:
    """The units of a range, in the order of the releases that need them first."""
    parents: dict[Hashable, Hashable] = {}

    def leader(key: Hashable) -> Hashable:
        while parents.setdefault(key, key) != key:
            key = parents[key]
        return key

    for found in releases:
        for finding in found:
            for key in _keys(finding):
                parents[leader(key)] = leader(finding.id)
    grouped: dict[Hashable, Unit] = {}
    for number, found in enumerate(releases):
        for finding in found:
            unit = grouped.setdefault(leader(finding.id), Unit(len(releases)))
            unit.findings[number].append(finding)
    return [unit for unit in grouped.values() if any(unit.wanted(n) for n in range(len(releases)))]


def _keys(finding: Finding) -> Iterator[Hashable]:
    for repair in finding.fix.repairs if finding.fix is not None else ():
        options = repair.options
        if repair.repair in COMPANIONS:
            continue
        if repair.repair in ARGUMENTS:
            for name in (options.get("name"), options.get("new_name"), options.get("position")):
                if name is not None:
                    yield ("argument", repair.span, name)
        elif repair.repair == "insert-statement":
            yield ("statement", repair.span, options.get("where"))
        elif repair.repair in ("rename-symbol", "move-import"):
            yield ("import", repair.span, options.get("name"))
        else:
            yield ("node", repair.span)
