"""Rewrites statements that the running Python does not have, of Python 2 or of later versions, into some it has.

Only for reading signatures: what statements do may change, what they define does not. Lines stay where they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from auditor.provider.legacy.brackets import CLOSING, OPENING, closing, continue_lines, erase, join, top_level
from auditor.provider.legacy.lexing import Statement, Token
from auditor.provider.legacy.words import NEW, OLD, backticks, names, texts

_PIECES_FROM: dict[str, tuple[int, int]] = {
    "except*": (3, 11),
    "starred index": (3, 11),
    "type parameters": (3, 13),  # their defaults
    "type statement": (3, 13),
    "except without parentheses": (3, 14),
    "lazy import": (3, 15),
}
_LACKING = frozenset(piece for piece, version in _PIECES_FROM.items() if sys.version_info[:2] < version)

_NO_OPERAND = frozenset(("in", "is", "and", "or", "if", "else", "for"))
_HEADERS = frozenset(
    ("if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async", "match", "case")
)


def rewrite(statements: Sequence[Statement]) -> frozenset[str]:
    """Rewrite statements in place; returns which of `OLD` and `NEW` there was."""
    met: set[str] = set()
    for statement in statements:
        words = statement.words
        if words:
            for rewriter in (texts, backticks, names, _lambdas, _stars, _header):
                if (found := rewriter(words)) is not None:
                    met.add(found)
            for part in _parts(words):
                if (found := _simple(part)) is not None:
                    met.add(found)
        first = statement.tokens[0]
        if first.kind == "space" and "\t" in first.text and "\n" not in first.text:
            first.text = first.text.expandtabs(8)  # as Python 2 counted
        continue_lines(statement)
    return frozenset(met)


def _lambdas(words: list[Token]) -> str | None:
    """`lambda (a, b): a`"""
    met = None
    for index, word in enumerate(words):
        if word.text != "lambda":
            continue
        depth, before = 0, "lambda"
        place = index + 1
        while place < len(words):
            text = words[place].text
            if depth == 0 and text == "(" and before in ("lambda", ","):
                place = join(words, place)
                met = OLD
            elif text in OPENING:
                depth += 1
            elif text in CLOSING:
                depth -= 1
            if depth < 0 or (depth == 0 and text == ":"):
                break
            before = text
            place += 1
    return met


def _stars(words: list[Token]) -> str | None:
    """`a[*b]` and `*args: *Ts`"""
    if "starred index" not in _LACKING:
        return None
    met = None
    opened: list[bool] = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else None
        if word.text in OPENING:
            is_index = before is not None and (before.kind in ("name", "string") or before.text in (")", "]"))
            opened.append(word.text == "[" and is_index and before is not None and before.text not in _NO_OPERAND)
        elif word.text in CLOSING and opened:
            opened.pop()
        elif word.text == "*" and before is not None and opened:
            starts = before.text in ("[", ",") if opened[-1] else before.text == ":"
            if starts:
                word.text, met = "", NEW
    return met


def _header(words: list[Token]) -> str | None:
    first = words[0].text
    if first == "except":
        return _except(words)
    start = 1 if first == "async" else 0
    if len(words) < start + 3 or words[start].text not in ("def", "class"):
        return None
    met = None
    opening = start + 2
    if words[opening].text == "[" and "type parameters" in _LACKING:
        end = closing(words, opening)
        erase(words[opening : end + 1])
        met, opening = NEW, end + 1
    if words[start].text == "def" and opening < len(words) and words[opening].text == "(":
        place = opening + 1
        end = closing(words, opening)
        while place < end:
            if words[place].text == "(" and words[place - 1].text in ("(", ","):
                place, met = join(words, place), OLD
            elif words[place].text in OPENING:
                place = closing(words, place)
            place += 1
    return met


def _except(words: list[Token]) -> str | None:
    """`except X, e:` and `except* X:`"""
    met = None
    if len(words) > 1 and words[1].text == "*" and "except*" in _LACKING:
        words[1].text, met = "", NEW
    commas, colon = top_level(words, ",", until=":")
    if not commas:
        return met
    caught = words[commas[-1] + 1 : colon]
    if len(commas) == 1 and len(caught) == 1 and not caught[0].text[:1].isupper():
        words[commas[0]].text = " as "
        return OLD
    if "except without parentheses" not in _LACKING:
        return met
    start = 2 if met else 1
    words[start].text = "(" + words[start].text
    words[colon - 1].text += ")"
    return NEW if len(caught) == 1 else OLD


def _parts(words: list[Token]) -> Iterator[list[Token]]:
    """The simple statements of a line: after a header's colon, between semicolons."""
    start = depth = lambdas = 0
    in_header = words[0].text in _HEADERS
    for place, word in enumerate(words):
        text = word.text
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
        elif text == "lambda" and depth == 0:
            lambdas += 1
        elif text == ":" and depth == 0 and lambdas:
            lambdas -= 1
        elif depth == 0 and ((text == ":" and in_header) or text == ";"):
            if start != place and not in_header:
                yield words[start:place]
            in_header = False
            start = place + 1
    if start < len(words) and not in_header:
        yield words[start:]


def _simple(words: list[Token]) -> str | None:
    rewriter = _SIMPLE.get(words[0].text)
    return rewriter(words) if rewriter is not None and len(words) > 1 else None


def _print(words: list[Token]) -> str | None:
    """`print x, y` and `exec x in y`: a tuple says as much about the module."""
    operand = words[1]
    if operand.text in _NO_OPERAND or (operand.kind == "op" and operand.text not in ("repr(", "[", "{", "~")):
        return None
    words[0].text = "0, "
    return OLD


def _raise(words: list[Token]) -> str | None:
    """`raise E, "m", tb`"""
    commas, _ = top_level(words, ",")
    if not commas:
        return None
    words[commas[0]].text = "("
    words[-1].text += ")"
    return OLD


def _type(words: list[Token]) -> str | None:
    """`type X[T] = ...`"""
    if "type statement" not in _LACKING or words[1].kind != "name" or len(words) < 4:
        return None
    if words[2].text == "[":
        erase(words[2 : closing(words, 2) + 1])
    elif words[2].text != "=":
        return None
    words[0].text, words[1].text = words[1].text, ""
    return NEW


def _lazy(words: list[Token]) -> str | None:
    """`lazy import x`"""
    if "lazy import" not in _LACKING or words[1].text not in ("import", "from"):
        return None
    words[0].text, words[1].text = words[1].text, ""
    return NEW


_SIMPLE: dict[str, Callable[[list[Token]], str | None]] = {
    "print": _print,
    "exec": _print,
    "raise": _raise,
    "type": _type,
    "lazy": _lazy,
}
