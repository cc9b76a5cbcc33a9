"""A call of one of several things that the consumer chooses between: each of them is a call of its own."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from auditor.model import Finding, Use
from auditor.sides.side import Side
from auditor.terms import Choice, Import


class Variants:
    """The calls that one call may be. They are kept, because sides remember calls by their identity."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Use, list[Use]]] = {}

    def of(self, use: Use, old: Side, new: Side) -> Iterator[Use]:
        """The calls of single alternatives that fitted before and no longer do, where another alternative still fits.

        Alternatives that imports bind are left out: one of them stands in where the other does not exist.
        """
        if use.kind != "call" or not isinstance(use.term, Choice) or new.call(use).status != "fits":
            return
        if any(isinstance(option, Import) for option in use.term.options):
            return
        if id(use) not in self._made:
            parts = [msgspec.structs.replace(use, term=option) for option in use.term.options]
            self._made[id(use)] = (use, parts)
        for variant in self._made[id(use)][1]:
            before, after = old.call(variant), new.call(variant)
            if before.callee is None or after.callee is None or before.callee.path != after.callee.path:
                continue
            if before.status == "fits" and after.status == "broken":
                yield variant


def of_variant(finding: Finding) -> Finding:
    """A finding about one of several things that may be called here."""
    note = "this is one of several things that are called here"
    return msgspec.structs.replace(finding, confidence="medium", notes=(*finding.notes, note))
