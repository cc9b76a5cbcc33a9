"""Structs as one table in which each value stands once: equal parts are stored once, and read back as one object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import astuple

Row: TypeAlias = tuple[int, ...]


class Table(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Values that refer to each other by number: plain ones by 0 and above, made ones by -1 and below.

    A row is what it makes (0 for a tuple, else which kind of struct) and the numbers of its parts, which stand before.
    """

    plain: tuple[str | int | bool | None, ...]
    rows: tuple[Row, ...]


class Sharing:
    """What may stand in tables.

    Args:
        kinds: The structs. Their fields hold strings, integers, truth values, None, tuples of such, and such structs.
    """

    def __init__(self, kinds: Sequence[type[msgspec.Struct]]) -> None:
        self.numbers = {kind: number for number, kind in enumerate(kinds, 1)}
        self._makers: list[Callable[..., Any]] = [lambda *parts: parts, *kinds]

    def values(self, table: Table) -> list[Any]:
        """The values of a table, each at its number.

        Raises:
            ValueError: It is no table of these structs.
        """
        values: list[Any] = [*table.plain, *[None] * len(table.rows)]
        value = values.__getitem__
        try:
            for number, row in enumerate(table.rows):
                values[~number] = self._makers[row[0]](*map(value, row[1:]))
        except (IndexError, TypeError) as error:
            raise ValueError(str(error)) from error
        return values


class Writer:
    """Fills a table.

    Args:
        sharing: What may stand in it.
    """

    def __init__(self, sharing: Sharing) -> None:
        self._kinds = sharing.numbers
        self._plain = _Numbers()
        self._rows = _Numbers()
        self._known: dict[int, int] = {}
        """By identity: whoever writes keeps what is written until the table is done."""

    def table(self) -> Table:
        """All that was written."""
        return Table(tuple([value for _, value in self._plain]), tuple(self._rows))

    def plain(self, value: str | int | None) -> int:
        """The number of a plain value."""
        return self._plain[value.__class__, value]

    def number(self, value: Any) -> int:
        """The number of a struct or tuple, which is written where it is new."""
        number = self._known.get(id(value))
        if number is not None:
            return number
        kind = value.__class__
        row, parts = ([0], value) if kind is tuple else ([self._kinds[kind]], astuple(value))
        plain, known = self._plain, self._known
        for part in parts:
            number = known.get(id(part))
            if number is None:
                of = part.__class__
                number = self.number(part) if of is tuple or of in self._kinds else plain[of, part]
            row.append(number)
        number = known[id(value)] = ~self._rows[tuple(row)]
        return number


class _Numbers(dict[Any, int]):
    """Numbers values as they come."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number
