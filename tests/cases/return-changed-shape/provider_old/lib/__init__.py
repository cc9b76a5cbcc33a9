"""Lists, dicts and a pair."""

from typing import NamedTuple


class Pair(NamedTuple):
    x: int
    y: int


def make() -> Pair:
    return Pair(1, 2)


def names() -> list[str]: ...


def by_number() -> list[str]: ...


def by_name() -> dict[str, int]: ...


def pairs() -> list[int]: ...
