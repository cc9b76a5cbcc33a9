"""The source line of a finding with carets under it, fitted to the width of the terminal."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

import msgspec

from auditor.formats._escape import visible
from auditor.model import Span

_TAB = 4
_ELLIPSIS = "..."


class Frame(msgspec.Struct, frozen=True):
    """A source line ready to print, and the columns (from 0) that the carets cover in it."""

    text: str
    start: int
    length: int


def frame(source: str, span: Span, width: int) -> Frame | None:
    """The first line of `span` in `source`, or None where the line does not exist."""
    lines = source.split("\n")
    if not 1 <= span.line <= len(lines):
        return None
    line = lines[span.line - 1].rstrip("\r")
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    start = min(span.column - 1, len(line))
    end = max(end, start)
    before, marked, after = (_plain(part) for part in (line[:start], line[start:end], line[end:]))
    return _fit(before, marked, after.rstrip(), width)


def columns(text: str) -> int:
    """How many terminal columns `text` takes."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _plain(text: str) -> str:
    return visible(text.replace("\t", " " * _TAB).replace("\f", " "))


def _fit(before: str, marked: str, after: str, width: int) -> Frame:
    """Cut the line on both sides of the marked part until it fits."""
    room = max(width, 40)
    if columns(marked) > room - 2 * len(_ELLIPSIS):
        marked = _take(marked, room - 2 * len(_ELLIPSIS) - len(before) // 2)
        after = ""
    if columns(before) + columns(marked) > room * 3 // 4:
        keep = max(room * 3 // 4 - columns(marked) - len(_ELLIPSIS), 0)
        before = _ELLIPSIS + (before[-keep:] if keep else "")
    left = room - columns(before) - columns(marked)
    if columns(after) > left:
        after = _take(after, max(left - len(_ELLIPSIS), 0)) + _ELLIPSIS
    return Frame(text=before + marked + after, start=columns(before), length=max(columns(marked), 1))


def _take(text: str, room: int) -> str:
    taken, used = [], 0
    for char in text:
        used += columns(char)
        if used > room:
            break
        taken.append(char)
    return "".join(taken)
