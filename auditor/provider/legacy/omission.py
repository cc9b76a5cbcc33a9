"""Leaves out statements that cannot be parsed, the smallest first, and keeps book of the names that are lost with them.

What is left out is replaced on the same lines: a definition by a name of unknown value, other statements by `pass`.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from auditor.provider.legacy.lexing import Statement

UNREAD = "__unread__"
"""A name that nothing defines: what it stands for is unknown."""

_MAX_ATTEMPTS = 24
_MAX_PARSED = 8 * 2**20
"""What all attempts at one module may parse together."""

_NO_END = "unterminated triple-quoted"
"""What follows may be text as well as code."""

_CONDITIONS = {
    "if": "if",
    "elif": "elif",
    "while": "while",
    "for": "while",
    "with": "if",
    "async": "if",
    "except": "except",
    "case": "case",
}
"""Headers, and what may stand in their place before an unknown condition."""


class Omission:
    """A module from which statements are left out until it can be parsed.

    Args:
        statements: The statements of the module.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.texts = [statement.text for statement in statements]
        self.is_open = False
        """Whether global names may be lost."""
        self.lines: list[int] = []
        """The lines on which something was left out."""
        self._starts = [statement.line for statement in statements]
        self._replaced: set[int] = set()
        self._emptied: set[int] = set()

    def parse(self) -> str | None:
        """The source that can be parsed, None if there is no way to it."""
        size = sum(map(len, self.texts))
        for _ in range(max(2, min(_MAX_ATTEMPTS, _MAX_PARSED // (size + 1)))):
            code = "".join(self.texts)
            try:
                ast.parse(code)
            except SyntaxError as error:
                place = bisect_right(self._starts, error.lineno or 0) - 1
                if place < 0 or error.msg.startswith(_NO_END) or not self._leave_out(place):
                    return None
            else:
                return code
        return None

    def _leave_out(self, place: int) -> bool:
        """Leave out a statement, or the block around it where that did not help."""
        while place >= 0 and not self.statements[place].words:
            place -= 1
        if place < 0:
            return False
        self.lines.append(self.statements[place].line)
        if place not in self._replaced:
            self._replace(place)
            return True
        for around in self._around(place):
            if around not in self._emptied:
                self._empty(around)
                return True
        return False

    def _replace(self, place: int) -> None:
        statement = self.statements[place]
        words = [word.text for word in statement.words]
        first = words[0]
        name = next((w for w in words[1:3] if w not in ("def", "class")), "") if first in _DEFINITIONS else ""
        if name.isidentifier() and (first != "async" or words[1] == "def"):
            self._put(place, f"{name} = {UNREAD}")
            self._erase(self._inside(place))
        elif first in _CONDITIONS:
            body = "" if words[-1] == ":" else " pass"
            self._put(place, f"{_CONDITIONS[first]} {UNREAD}:{body}")
            if first in ("for", "with", "async") or body:
                self._lose(place)
        elif first == "@":
            self._put(place, "")
        elif first in ("return", "yield"):
            self._put(place, f"{first} {UNREAD}")
        elif first.isidentifier() and len(words) > 1 and words[1] in ("=", ":"):
            self._put(place, f"{first} = {UNREAD}")
        else:
            self._put(place, "pass")
            self._lose(place)

    def _empty(self, header: int) -> None:
        """Leave out the body of a block."""
        self._emptied.add(header)
        first = self.statements[header].starts_with
        inside = [place for place in self._inside(header) if self.statements[place].words]
        if first == "class" or not inside:
            self._replaced.add(header)
            self._replace(header)
            return
        texts = {self.statements[place].starts_with for place in inside}
        self._erase(inside)
        is_function = first in ("def", "async")
        self._put(inside[0], f"{'yield' if 'yield' in texts else 'return'} {UNREAD}" if is_function else "pass")
        if not is_function:
            self._lose(header)

    def _lose(self, place: int) -> None:
        """Names may be lost: those in a function matter to nobody, a class is then unknown as a whole."""
        for around in self._around(place):
            first = self.statements[around].starts_with
            if first in ("def", "async"):
                return
            if first == "class":
                self._emptied.add(around)
                self._replace(around)
                return
        self.is_open = True

    def _put(self, place: int, text: str) -> None:
        statement = self.statements[place]
        self._replaced.add(place)
        self.texts[place] = (" " * statement.indent + text if text else "") + "\n" * statement.text.count("\n")

    def _erase(self, places: Sequence[int]) -> None:
        for place in places:
            self._put(place, "")

    def _inside(self, header: int) -> list[int]:
        """The statements of a block."""
        found = []
        for place in range(header + 1, len(self.statements)):
            statement = self.statements[place]
            if statement.words:
                if statement.indent <= self.statements[header].indent:
                    break
                found.append(place)
        return found

    def _around(self, place: int) -> Iterator[int]:
        """The headers of the blocks that a statement is in, the nearest first."""
        indent = self.statements[place].indent
        for other in range(place - 1, -1, -1):
            statement = self.statements[other]
            if statement.words and statement.indent < indent:
                indent = statement.indent
                yield other


_DEFINITIONS = frozenset(("def", "class", "async"))
