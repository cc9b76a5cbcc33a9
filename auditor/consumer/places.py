"""Positions: from `ast`'s byte offsets to spans in characters, and back to the text they cover."""

from __future__ import annotations

import ast
import re

from auditor.model import Span

_DEFINES = re.compile(r"(?:async\s+)?(?:def|class)\s+")


class Places:
    """Spans of the nodes of one file.

    Args:
        path: Path of the file, as reported.
        source: Its decoded text.
    """

    def __init__(self, path: str, source: str) -> None:
        self.path = path
        self.lines = source.splitlines(keepends=True) if "\f" not in source and "\x0b" not in source else _lines(source)

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.alias) -> Span:
        """The stretch that a node covers."""
        end_line = node.end_lineno or node.lineno
        end = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return Span(
            self.path,
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, end),
        )

    def last_name(self, node: ast.expr) -> Span:
        """The stretch of the last name of a name or attribute access (what a rename replaces)."""
        whole = self.span(node)
        if isinstance(node, ast.Attribute):
            return Span(self.path, whole.end_line, whole.end_column - len(node.attr), whole.end_line, whole.end_column)
        return whole

    def definition_name(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        """The stretch of the name in a `def` or `class` statement."""
        text = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        start = self._column(node.lineno, node.col_offset)
        found = _DEFINES.match(text, start - 1)
        column = found.end() + 1 if found and text.startswith(node.name, found.end()) else start
        return Span(self.path, node.lineno, column, node.lineno, column + len(node.name))


def _lines(source: str) -> list[str]:
    """Lines as Python counts them: form feeds and vertical tabs do not end one."""
    return [line + "\n" for line in source.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
