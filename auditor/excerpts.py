"""Parses only those definitions of a source that reach over some places: one class of a long file, to find a call."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Sequence

_STARTS = re.compile(r"^(?:(@)|(?:async[ \t]+)?def[ \t]|class[ \t])", re.MULTILINE)


def parse_around(source: str, places: Sequence[int]) -> list[ast.Module]:
    """The definitions at the top of a module that reach over some places, with the line numbers that they have there.

    Args:
        source: The whole module.
        places: Offsets into it, ascending.

    Raises:
        SyntaxError: It cannot be parsed, nor can the whole; so with the other errors of `ast.parse`.
    """
    starts = _starts(source)
    numbers = dict.fromkeys(bisect_right(starts, place) for place in places)
    try:
        return [_part(source, starts, number) for number in numbers]
    except SyntaxError:  # what looks like a definition stands in a string, or belongs to a statement before it
        return [ast.parse(source)]


def _part(source: str, starts: Sequence[int], number: int) -> ast.Module:
    begin = starts[number - 1] if number else 0
    end = starts[number] if number < len(starts) else len(source)
    return ast.parse("\n" * source.count("\n", 0, begin) + source[begin:end])


def _starts(source: str) -> list[int]:
    """Where definitions begin, their decorators included."""
    found: list[int] = []
    decorated = False
    for match in _STARTS.finditer(source):
        is_decorator = match[1] is not None
        if not decorated:
            found.append(match.start())
        decorated = is_decorator
    return found
