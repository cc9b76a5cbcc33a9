"""Edits of comma-separated lists (arguments, imported names, parameters) that keep layout and comments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

Gap = cst.BaseParenthesizableWhitespace
NOTHING = cst.SimpleWhitespace("")
SPACE = cst.SimpleWhitespace(" ")
_SLACK: dict[type, str] = {
    cst.Arg: "whitespace_after_arg",
    cst.Param: "whitespace_after_param",
    cst.ParamSlash: "whitespace_after",
}
"""The field in which an item without a comma keeps the whitespace that follows it."""


@dataclass
class Listing:
    """Items with the whitespace around them: `gaps[i]` stands before item i, the last one before the bracket."""

    items: list[Any]
    gaps: list[Gap]
    trailing: bool
    """Whether a comma follows the last item."""

    @classmethod
    def read(cls, items: list[Any], head: Gap, tail: Gap = NOTHING) -> Listing:
        """Take a list apart; `tail` is what the closing bracket keeps before it, where it keeps it itself."""
        gaps, taken, trailing = [head], list(items), False
        for index, item in enumerate(taken):
            if isinstance(item.comma, cst.Comma):
                gaps.append(item.comma.whitespace_after)
                trailing = True
            else:
                trailing = False
                slack = _SLACK.get(type(item))
                gaps.append(getattr(item, slack) if slack else tail)
                if slack:
                    taken[index] = item.with_changes(**{slack: NOTHING})
        return cls(taken, gaps, trailing)

    def written(self) -> list[Any]:
        """The items with their commas and the whitespace after them; the first gap is the caller's to place."""
        out = []
        for index, item in enumerate(self.items):
            gap = self.gaps[index + 1]
            if index < len(self.items) - 1 or self.trailing:
                comma = item.comma if isinstance(item.comma, cst.Comma) else cst.Comma()
                item = item.with_changes(comma=comma.with_changes(whitespace_after=gap))
            else:
                slack = _SLACK.get(type(item))
                item = item.with_changes(comma=cst.MaybeSentinel.DEFAULT, **({slack: gap} if slack else {}))
            out.append(item)
        return out

    def insert(self, index: int, item: Any) -> None:
        """Put an item before position `index`, on a line of its own where the others stand so."""
        if not self.items:
            self._insert_first(item)
        elif index == len(self.items):
            self._append(item)
        else:
            gap = self.gaps[index]
            self.items.insert(index, item)
            if isinstance(gap, cst.ParenthesizedWhitespace):
                self.gaps[index : index + 1] = [gap.with_changes(empty_lines=()), bare(gap, gap.empty_lines)]
            else:
                self.gaps[index : index + 1] = [gap, SPACE]

    def _insert_first(self, item: Any) -> None:
        head = self.gaps[0]
        self.items = [item]
        if isinstance(head, cst.ParenthesizedWhitespace):
            inner = head.with_changes(last_line=cst.SimpleWhitespace(head.last_line.value + "    "))
            self.gaps, self.trailing = [inner, bare(head)], True
        else:
            self.gaps = [NOTHING, NOTHING]

    def _append(self, item: Any) -> None:
        before, tail = self.gaps[-2], self.gaps[-1]
        self.items.append(item)
        if not isinstance(before, cst.ParenthesizedWhitespace):
            self.gaps[-1:] = [SPACE, tail]
        elif isinstance(tail, cst.ParenthesizedWhitespace):
            own_line = bare(before).with_changes(first_line=tail.first_line)
            self.gaps[-1:] = [own_line, bare(tail, tail.empty_lines)]
        else:
            self.gaps[-1:] = [bare(before), tail]

    def remove(self, index: int) -> None:
        """Take an item out, and its line with it if it had one of its own; comments of other lines stay."""
        before, after = self.gaps[index], self.gaps[index + 1]
        last = index == len(self.items) - 1
        del self.items[index]
        self.gaps[index : index + 2] = [self._merged(before, after, first=index == 0, last=last)]
        if not self.items:
            self.trailing = False
            if not _has_comment(self.gaps[0]):
                self.gaps = [NOTHING]

    @staticmethod
    def _merged(before: Gap, after: Gap, *, first: bool, last: bool) -> Gap:
        multi_before = isinstance(before, cst.ParenthesizedWhitespace)
        multi_after = isinstance(after, cst.ParenthesizedWhitespace)
        if isinstance(before, cst.ParenthesizedWhitespace) and isinstance(after, cst.ParenthesizedWhitespace):
            lines = [*before.empty_lines, *after.empty_lines]
            return after.with_changes(first_line=before.first_line, empty_lines=lines)
        if multi_before:
            return after if last and not _has_comment(before) else before
        if multi_after:
            return before if first and not last and not _has_comment(after) else after
        return before if first else after


def bare(gap: Gap, comments: Any = ()) -> Any:
    """The same line break and indentation without comments, but for the lines given."""
    if not isinstance(gap, cst.ParenthesizedWhitespace):
        return gap
    first = cst.TrailingWhitespace(newline=gap.first_line.newline)
    return gap.with_changes(first_line=first, empty_lines=comments)


def _has_comment(gap: Gap) -> bool:
    if not isinstance(gap, cst.ParenthesizedWhitespace):
        return False
    return gap.first_line.comment is not None or any(line.comment for line in gap.empty_lines)
