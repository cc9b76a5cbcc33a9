"""The conditions under which the code runs that is walked, as a list that blocks lengthen and shorten again."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.terms import Guard


class Under:
    """Guards that count inside a `with` block: the list of all, these at its end.

    Args:
        guards: The list.
        more: What is added for the time being.
    """

    __slots__ = ("depth", "guards", "more")

    def __init__(self, guards: list[Guard], more: Iterable[Guard]) -> None:
        self.guards = guards
        self.more = more

    def __enter__(self) -> list[Guard]:
        self.depth = len(self.guards)
        self.guards.extend(self.more)
        return self.guards

    def __exit__(self, *_: object) -> None:
        del self.guards[self.depth :]
