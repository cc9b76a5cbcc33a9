"""Brackets within a statement's words: where they end, and how to make one name, or nothing, of them."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.provider.legacy.lexing import Statement, Token

OPENING, CLOSING = ("(", "[", "{", "repr("), (")", "]", "}")


def join(words: list[Token], opening: int) -> int:
    """Make one name of a tuple in brackets; returns where it ends."""
    end = closing(words, opening)
    inside = words[opening + 1 : end]
    name = "_".join(word.text for word in inside if word.kind == "name")
    erase(words[opening : end + 1])
    words[opening].text = f" {name or '_'}"
    return end


def closing(words: Sequence[Token], opening: int) -> int:
    """Where the bracket ends that opens at a place; the last place if it does not."""
    depth = 0
    for place in range(opening, len(words)):
        text = words[place].text
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
            if depth == 0:
                return place
    return len(words) - 1


def erase(words: Sequence[Token]) -> None:
    """Leave nothing of some words but their line breaks."""
    for word in words:
        lines = word.text.count("\n")
        word.kind, word.text = "space", "\\\n" * lines


def continue_lines(statement: Statement) -> None:
    """Where brackets around a line break were erased, continue the line."""
    depth = 0
    tokens = statement.tokens
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        if token.kind == "op" and token.text in OPENING:
            depth += 1
        elif token.kind == "op" and token.text in CLOSING:
            depth -= 1
        elif depth == 0 and token.kind == "newline" and index < last:
            token.text = "\\\n"
            before = tokens[index - 1]
            if before.kind == "comment":
                before.text = ""


def top_level(words: Sequence[Token], wanted: str, until: str = "") -> tuple[list[int], int]:
    """Where a word stands outside brackets, and where that search ended."""
    found: list[int] = []
    place = 0
    while place < len(words) and words[place].text != until:
        if words[place].text in OPENING:
            place = closing(words, place)
        elif words[place].text == wanted:
            found.append(place)
        place += 1
    return found, place
