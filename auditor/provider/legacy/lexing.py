"""Cuts Python source of any age into tokens and statements: nothing is lost, and nothing is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["space", "comment", "newline", "string", "number", "name", "op"]

_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\f]|\\\n)+)"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<string>(?:[bBuUrRfFtT]{0,2})(?P<quote>\"\"\"|'''|\"|'))"
    r"|(?P<number>\.?[0-9](?:[eE][+-]?[0-9]|[\w.])*)"
    r"|(?P<name>\w+)"
    r"|(?P<op><>|[!=<>:+\-*/%&|^@]=|\*\*|>>|<<|//|->|.)",
    re.DOTALL,
)
_REST = {
    '"': re.compile(r'[^"\\\n]*(?:\\.[^"\\\n]*)*"', re.DOTALL),
    "'": re.compile(r"[^'\\\n]*(?:\\.[^'\\\n]*)*'", re.DOTALL),
    '"""': re.compile(r'[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""', re.DOTALL),
    "'''": re.compile(r"[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''", re.DOTALL),
}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_NEVER_INSIDE = frozenset(
    ("def", "class", "return", "raise", "while", "try", "except", "finally", "with", "del", "pass", "break", "continue")
)
"""Keywords that start a statement wherever they stand: a bracket still open before them was never closed."""
_FORMATTED = frozenset("fFtT")
_LITERAL = re.compile(r"(?:[^\\{}\"'\n]+|\\.|\{\{|\}\})*", re.DOTALL)
_FORMAT = re.compile(r"[^{}\"'\n]*[{}]")
_MAX_NESTING, _MAX_FIELD, _MAX_FAILURES = 20, 10_000, 50
"""What strings may cost that do not end where they seem to."""


class Token:
    """A piece of source; rewriting changes its text."""

    __slots__ = ("kind", "text")

    def __init__(self, kind: Kind, text: str) -> None:
        self.kind = kind
        self.text = text

    def __repr__(self) -> str:
        return f"{self.kind}:{self.text!r}"


class Statement:
    """The lines of one statement (a simple one, a compound one's header, or an empty line).

    Args:
        line: Number of its first line.
        tokens: Everything on its lines.
    """

    __slots__ = ("indent", "line", "tokens", "words")

    def __init__(self, line: int, tokens: list[Token]) -> None:
        self.line = line
        self.tokens = tokens
        self.words = [token for token in tokens if token.kind not in ("space", "comment", "newline")]
        """The tokens that mean something."""
        first = tokens[0]
        self.indent = len(first.text.expandtabs(8)) if first.kind == "space" else 0

    @property
    def text(self) -> str:
        """Its source."""
        return "".join([token.text for token in self.tokens])

    @property
    def starts_with(self) -> str:
        """Its first word."""
        return self.words[0].text if self.words else ""


def statements(code: str) -> list[Statement]:
    """All statements in order; their texts joined are the source."""
    found: list[Statement] = []
    current: list[Token] = []
    start = line = 1
    depth = 0
    fresh = True
    for token in tokens(code):
        if depth and fresh and token.text in _NEVER_INSIDE and token.kind == "name":
            indent = current.pop() if current[-1].kind == "space" else None
            found.append(Statement(start, current))
            current, start, depth = ([indent] if indent else []), line, 0
        current.append(token)
        line += token.text.count("\n")
        if token.kind == "op":
            if token.text in _OPENING:
                depth += 1
            elif token.text in _CLOSING:
                depth = max(depth - 1, 0)
        elif token.kind == "newline" and depth == 0:
            found.append(Statement(start, current))
            current, start = [], line
        fresh = token.kind == "newline" or (fresh and token.kind == "space")
    if current:
        found.append(Statement(start, current))
    return found


def tokens(code: str) -> Iterator[Token]:
    """All tokens in order; a quote without its counterpart is an `op`."""
    place = failures = unclosed = 0
    while match := _TOKEN.match(code, place):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        place = match.end()
        if quote := match["quote"]:
            end = None
            if _is_formatted(match[0]) and failures < _MAX_FAILURES:
                end = _formatted_end(code, place, quote, 0)
                failures += end is None
            if end is None and unclosed < _MAX_FAILURES:
                end = rest.end() if (rest := _REST[quote].match(code, place)) else None
                unclosed += end is None
            kind, place = ("op", match.start() + 1) if end is None else ("string", end)
        yield Token(kind, code[match.start() : place])


def _is_formatted(start: str) -> bool:
    return not _FORMATTED.isdisjoint(start)


def _formatted_end(code: str, place: int, quote: str, depth: int) -> int | None:
    """Where an f-string ends whose text begins at `place`; by the rules of Python 3.12 it may hold its own quotes."""
    if depth > _MAX_NESTING:
        return None
    while match := _LITERAL.match(code, place):
        place = match.end()
        if code.startswith(quote, place):
            return place + len(quote)
        char = code[place : place + 1]
        if not char or (char == "\n" and len(quote) == 1):
            return None
        if char == "{":
            end = _field_end(code, place + 1, depth + 1)
            if end is None:
                return None
            place = end
        else:
            place += 1
    return None


def _field_end(code: str, place: int, depth: int) -> int | None:
    """Where a `{field}` ends."""
    limit = place + _MAX_FIELD
    brackets = 0
    while place < limit and (match := _TOKEN.match(code, place)):
        text, place = match[0], match.end()
        if quote := match["quote"]:
            if _is_formatted(text):
                end = _formatted_end(code, place, quote, depth)
            else:
                end = rest.end() if (rest := _REST[quote].match(code, place)) else None
            if end is None:
                return None
            place = end
        elif text in _OPENING:
            brackets += 1
        elif text == "}" and not brackets:
            return place
        elif text in _CLOSING:
            brackets -= 1
        elif text == ":" and not brackets:
            return _format_end(code, place, depth)
    return None


def _format_end(code: str, place: int, depth: int) -> int | None:
    """Where a field ends whose `:format` begins at `place`."""
    if depth > _MAX_NESTING:
        return None
    while match := _FORMAT.match(code, place):
        place = match.end()
        if code[place - 1] == "}":
            return place
        end = _field_end(code, place, depth + 1)
        if end is None:
            return None
        place = end
    return None
