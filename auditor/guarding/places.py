"""The places that the variants of a unit edit, and which edit each release gets there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from auditor.guarding.assigning import Variant
from auditor.guarding.units import ARGUMENTS
from auditor.model import Repair, Span

Kind: TypeAlias = Literal["import", "companion", "call", "statement", "name", "node", "signature"]


class Place(NamedTuple):
    """One place, and what is edited there."""

    kind: Kind
    span: Span
    detail: str = ""
    """Of an import the local name, of a statement where it goes, of an imported name that name."""


class Group(NamedTuple):
    """Releases that get the same edit at a place."""

    edit: Variant
    variant: Variant
    """The whole of what one of them gets, at all places."""
    releases: set[int]


def places(chosen: Sequence[Variant]) -> dict[Place, list[Group]]:
    """Each place with the groups of releases that get the same edit there, the newest release's first."""
    calls = {r.span for variant in chosen for r in variant if r.repair in ARGUMENTS}
    found: dict[Place, list[Group]] = {}
    for variant in chosen:
        for repair in variant:
            found.setdefault(_place(repair, calls), [])
    for place, groups in found.items():
        for number in reversed(range(len(chosen))):
            edit = tuple(repair for repair in chosen[number] if _place(repair, calls) == place)
            same = next((group for group in groups if group.edit == edit), None)
            if same is None:
                groups.append(same := Group(edit, chosen[number], set()))
            same.releases.add(number)
    return found


def _place(repair: Repair, calls: set[Span]) -> Place:
    options = repair.options
    match repair.repair:
        case "add-import":
            return Place("import", repair.span, str(options.get("alias") or options.get("name") or options["module"]))
        case "assign-result":
            return Place("companion", repair.span)
        case "insert-statement":
            where = str(options.get("where", "before"))
            if where == "before" and repair.span in calls:
                return Place("call", repair.span)
            return Place("statement", repair.span, where)
        case "rename-symbol" | "move-import":
            return Place("name", repair.span, str(options.get("name")))
        case "add-parameter" | "rename-parameter":
            return Place("signature", repair.span, str(options.get("name")))
        case name if name in ARGUMENTS:
            return Place("call", repair.span)
        case _:
            return Place("node", repair.span)
