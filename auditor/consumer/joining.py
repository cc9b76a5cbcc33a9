"""Bindings of a branch, which remember what they changed, and what they become where branches meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from auditor.conditional import sometimes
from auditor.terms import Guard, Mapping, Term, bounded, choice

Guards: TypeAlias = tuple[Guard, ...]


class Names(dict[str, Term]):
    """The bindings of a branch: those from before it, and which of them it changed.

    Args:
        before: The bindings where the branch begins.
    """

    def __init__(self, before: dict[str, Term]) -> None:
        super().__init__(before)
        self.changed: set[str] = set()

    def __setitem__(self, name: str, value: Term) -> None:
        self.changed.add(name)
        super().__setitem__(name, value)

    def pop(self, name: str, default: Term | None = None) -> Term | None:  # type: ignore[override]
        """Unbind a name."""
        self.changed.add(name)
        return super().pop(name, default)


End: TypeAlias = tuple[dict[str, Term], Guards]
"""The bindings at the end of a branch, and what surely holds where it is taken."""


def join(before: dict[str, Term], ends: Sequence[End]) -> Names:
    """The bindings after branches meet: dicts keep the keys of every branch, other values become choices.

    Args:
        before: The bindings where all the branches began; what these changed counts as changed in the result as well.
        ends: Those at the end of each branch that control comes out of; with none, nothing has changed.
    """
    joined = Names(before)
    if isinstance(before, Names):
        joined.changed |= before.changed
    for name in dict.fromkeys(name for end, _ in ends for name in (end.changed if isinstance(end, Names) else end)):
        having = [(value, guards) for end, guards in ends if (value := end.get(name)) is not None]
        if not having:
            joined.pop(name)
            continue
        if len(ends) == 1:
            joined[name] = having[0][0]
            continue
        values = list(dict.fromkeys(value for value, _ in having))
        dicts = [(value, guards) for value, guards in having if isinstance(value, Mapping)]
        joined[name] = sometimes(dicts) if len(values) > 1 and len(dicts) == len(having) else bounded(choice(values))
    return joined
