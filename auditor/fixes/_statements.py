"""Standing statements beside another one: as lines of their own, between semicolons, or in a one-line body."""

from __future__ import annotations

from typing import TypeAlias

import libcst as cst

from auditor.fixes import RepairError

Line: TypeAlias = "cst.SimpleStatementLine | cst.BaseCompoundStatement"


def beside_line(line: Line, before: list[Line], after: list[Line]) -> list[Line]:
    """Lines before and after a statement that has lines of its own; blank lines above it stay above all."""
    if not before:
        return [line, *after]
    leading = list(line.leading_lines)
    blank = next((i for i, empty in enumerate(leading) if empty.comment is not None), len(leading))
    first = before[0].with_changes(leading_lines=[*leading[:blank], *before[0].leading_lines])
    return [first, *before[1:], line.with_changes(leading_lines=leading[blank:]), *after]


def beside_small(
    holder: cst.SimpleStatementLine | cst.SimpleStatementSuite, index: int, before: list[Line], after: list[Line]
) -> cst.SimpleStatementLine | cst.SimpleStatementSuite | cst.IndentedBlock:
    """Statements before and after number `index` of those that share a line."""
    smalls = [small for line in (*before, *after) for small in _smalls(line)]
    if len(smalls) >= len(before) + len(after) and all(
        isinstance(line, cst.SimpleStatementLine) for line in (*before, *after)
    ):
        first = [small for line in before for small in _smalls(line)]
        last = [small for line in after for small in _smalls(line)]
        middle = holder.body[index]
        if last:
            last[-1] = last[-1].with_changes(semicolon=middle.semicolon)
            middle = middle.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return holder.with_changes(body=[*holder.body[:index], *first, middle, *last, *holder.body[index + 1 :]])
    if isinstance(holder, cst.SimpleStatementSuite) and len(holder.body) == 1:
        line = cst.SimpleStatementLine(body=holder.body, trailing_whitespace=holder.trailing_whitespace)
        return cst.IndentedBlock(body=[*before, line, *after])
    raise RepairError("A compound statement cannot stand between statements that share a line")


def _smalls(line: Line) -> list[cst.BaseSmallStatement]:
    if not isinstance(line, cst.SimpleStatementLine):
        return []
    return [small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for small in line.body]
