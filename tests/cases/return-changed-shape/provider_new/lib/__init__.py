"""Dicts for lists, lists for dicts, and a third member."""

from typing import NamedTuple


class Pair(NamedTuple):
    x: int
    y: int
    z: int = 0


def make() -> Pair:
    return Pair(1, 2)


def names() -> dict[str, int]: ...


def by_number() -> dict[int, str]: ...


def by_name() -> list[int]: ...


def pairs() -> tuple[int, ...]: ...
