"""A parsed file with the place of every node: finds what a span means and which lines a node's statement covers."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from auditor.fixes import RepairError
from auditor.model import Span
from auditor.patches import proofs

MAX_DEPTH = 500
"""libcst's native parser ends the whole process on sources nested much deeper."""


class PlacedFile:
    """A parsed file with the place of every node."""

    def __init__(self, module: cst.Module) -> None:
        self.wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self.module = self.wrapper.module
        self.positions: dict[cst.CSTNode, CodeRange] = dict(self.wrapper.resolve(PositionProvider))
        self.parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self.at: dict[tuple[int, int, int, int], list[cst.CSTNode]] = {}
        self.module.visit(_Indexer(self))

    def path(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """The node's ancestors, outermost first, and the node itself."""
        path = [node]
        while path[-1] in self.parents:
            path.append(self.parents[path[-1]])
        return path[::-1]

    def find(self, span: Span, kinds: type[cst.CSTNode] | tuple[type[cst.CSTNode], ...]) -> cst.CSTNode:
        """The innermost node of that kind with exactly this span, else the innermost one around it."""
        key = (span.line, span.column - 1, span.end_line, span.end_column - 1)
        for node in reversed(self.at.get(key, [])):
            if isinstance(node, kinds):
                return node
        innermost: tuple[tuple[int, ...], cst.CSTNode] | None = None
        for (line, column, end_line, end_column), nodes in self.at.items():
            if (line, column) <= key[:2] and key[2:] <= (end_line, end_column):
                fitting = [node for node in nodes if isinstance(node, kinds)]
                depth = (line, column, -end_line, -end_column)
                if fitting and (innermost is None or depth >= innermost[0]):
                    innermost = (depth, fitting[-1])
        if innermost is None:
            raise RepairError("Nothing that this repair could act on stands here")
        return innermost[1]

    def extent(self, node: cst.CSTNode) -> Iterable[tuple[int, int]]:
        """The lines of the statement that a node belongs to, without the body of a compound one."""
        path = self.path(node)
        statement = next(
            n for n in reversed(path) if isinstance(n, cst.SimpleStatementLine | cst.BaseCompoundStatement)
        )
        place, own = self.positions[statement], self.positions.get(node, self.positions[statement])
        leading = list(getattr(statement, "leading_lines", ()))
        decorators = list(getattr(statement, "decorators", ()))
        top = (self.positions[decorators[0]].start.line if decorators else place.start.line) - len(leading)
        if isinstance(statement, cst.SimpleStatementLine):
            return [(top, place.end.line + 1)]
        body = statement.body
        assert isinstance(body, cst.BaseSuite)
        first = self.positions[body.body[0]].start.line if body.body else place.end.line
        if node is not statement:
            return [(own.start.line, own.end.line + 1)]
        header = (place.start.line, max(first, place.start.line + 1))
        footer = len(body.footer) if isinstance(body, cst.IndentedBlock) else 0
        return (
            [(top + blank, top + blank) for blank in range(len(leading) + 1)]
            + [header]
            + [(place.end.line + 1 + line, place.end.line + 1 + line) for line in range(footer + 1)]
        )

    def head(self) -> range:
        """The lines up to the first definition: where an import may be inserted."""
        for statement in self.module.body:
            if isinstance(statement, cst.FunctionDef | cst.ClassDef):
                return range(1, self.positions[statement].start.line + 1)
        return range(1, self.positions[self.module].end.line + 2)


@lru_cache(maxsize=8)
def read(source: bytes) -> PlacedFile:
    """Parse a file; one that is nested too deeply, or could not be written back byte by byte, is refused."""
    tree = proofs.tree(source)
    if tree is None:
        raise RepairError("The file cannot be parsed by this Python")
    if _depth(tree, source) > MAX_DEPTH:
        raise RepairError("The file is nested too deeply to be edited")
    try:
        module = cst.parse_module(source)
        if module.bytes == source:
            return PlacedFile(module)
    except cst.ParserSyntaxError as error:
        raise RepairError(f"The file cannot be parsed: {error.message}") from error
    except (SyntaxError, RecursionError, LookupError, ValueError) as error:
        raise RepairError(f"The file cannot be parsed: {error}") from error
    raise RepairError("The file cannot be written back byte by byte, so it is left alone")


def _depth(tree: ast.Module, source: bytes) -> int:
    """How deeply libcst nests the file: `a or b or c` and adjacent strings too, which are flat in Python's own tree."""
    lines = source.split(b"\n")
    deepest = 0
    nodes: list[tuple[int, ast.AST]] = [(0, tree)]
    while nodes:
        depth, node = nodes.pop()
        if isinstance(node, ast.BoolOp):
            depth += len(node.values)
        elif isinstance(node, ast.Constant | ast.JoinedStr) and (node.end_lineno or 0) > node.lineno:
            opening = lines[node.lineno - 1][node.col_offset :].lstrip(b"rRbBuUfF")
            depth += 0 if opening.startswith((b"'''", b'"""')) else (node.end_lineno or 0) - node.lineno
        deepest = max(deepest, depth)
        nodes.extend((depth + 1, child) for child in ast.iter_child_nodes(node))
    return deepest


class _Indexer(cst.CSTVisitor):
    def __init__(self, file: PlacedFile) -> None:
        super().__init__()
        self.file = file
        self.stack: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if self.stack:
            self.file.parents[node] = self.stack[-1]
        place = self.file.positions.get(node)
        if place is not None:
            key = (place.start.line, place.start.column, place.end.line, place.end.column)
            self.file.at.setdefault(key, []).append(node)
        self.stack.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:  # noqa: ARG002 - the visitor's interface
        self.stack.pop()
