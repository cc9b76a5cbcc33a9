"""Compares a signature that was read from published sources with the live one, by the names of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

_OPEN, _CLOSE = "([{", ")]}"


def difference(snapshot: str, live: Sequence[Sequence[Any]]) -> str | None:
    """How the live parameters (name, kind, required) differ from a rendered signature; None where they do not.

    The snapshot's text may leave parameters out as `...`; then only those that it shows are compared.
    """
    shown, whole = parse(snapshot)
    if shown is None:
        return None
    there = {str(name): bool(required) for name, kind, required in live if not str(kind).startswith("var-")}
    names = [name for name, _ in shown]
    told = [f"`{name}` is gone" for name in names if name not in there]
    if whole:
        told += [f"`{name}` is new" for name in there if name not in names]
    for name, required in shown:
        if name in there and there[name] != required:
            told.append(f"`{name}` is {'required' if there[name] else 'optional'} here")
    common = [name for name in names if name in there]
    positional = [str(name) for name, kind, _ in live if str(kind).startswith("positional") and name in common]
    listed = [name for name in common if name in positional]
    if not told and listed != positional:
        told.append("its parameters have another order")
    return ", ".join(told) or None


def parse(text: str) -> tuple[list[tuple[str, bool]] | None, bool]:
    """Name and required-ness of each parameter of a rendered signature, and whether it shows all of them."""
    inner = _parentheses(text)
    if inner is None:
        return None, False
    found: list[tuple[str, bool]] = []
    whole = True
    for piece in _split(inner):
        if piece == "...":
            whole = False
        elif piece not in ("/", "*") and not piece.startswith("*"):
            name = piece.split(":", 1)[0].split("=", 1)[0].strip()
            found.append((name, not _has_default(piece)))
    return found, whole


def _parentheses(text: str) -> str | None:
    start = text.find("(")
    if start < 0:
        return None
    for index, depth in _depths(text):
        if index > start and depth == 0 and text[index] == ")":
            return text[start + 1 : index]
    return None


def _split(text: str) -> list[str]:
    pieces, last = [], 0
    for index, depth in _depths(text):
        if depth == 0 and text[index] == ",":
            pieces.append(text[last:index].strip())
            last = index + 1
    pieces.append(text[last:].strip())
    return [piece for piece in pieces if piece]


def _has_default(piece: str) -> bool:
    return any(
        depth == 0 and piece[index] == "=" and piece[index + 1 : index + 2] != "=" for index, depth in _depths(piece)
    )


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Position and depth of every character outside of string literals, brackets counted with their outside."""
    depth, quote, skip = 0, "", False
    for index, char in enumerate(text):
        if quote:
            if skip:
                skip = False
            elif char == "\\":
                skip = True
            elif char == quote:
                quote = ""
            continue
        if char in "'\"":
            quote = char
        elif char in _CLOSE:
            depth -= 1
            yield index, depth
        elif char in _OPEN:
            yield index, depth
            depth += 1
        else:
            yield index, depth
