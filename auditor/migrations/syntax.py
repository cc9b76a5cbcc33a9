"""The syntax around a use: its node, statement, loop, function, class and assigned target."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import cached_property
from itertools import count
from typing import Literal, TypeAlias

from auditor.consumer.places import Places
from auditor.model import Span

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Region: TypeAlias = Literal["loop", "function", "class", "module"]
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_KINDS = {
    ast.Subscript: "subscript",
    ast.Await: "await",
    ast.Attribute: "attribute",
    ast.Return: "return",
    ast.Expr: "discard",
}


class Syntax:
    """One file as a tree with positions.

    Args:
        path: Its path, as reported.
        text: Its decoded source.
    """

    def __init__(self, path: str, text: str) -> None:
        self.places = Places(path, text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = ast.parse(text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _on_line(self) -> dict[int, list[ast.AST]]:
        found: dict[int, list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.alias):
                found.setdefault(node.lineno, []).append(node)
        return found

    def find(self, span: Span, *kinds: type[ast.AST]) -> ast.AST | None:
        """The node of one of these kinds that has exactly this span."""
        nodes = (node for node in self._on_line.get(span.line, ()) if isinstance(node, kinds))
        return next((node for node in nodes if self.span(node) == span), None)

    def span(self, node: ast.AST) -> Span:
        """Where a node stands."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.alias)
        return self.places.span(node)

    def source(self, node: ast.AST) -> str:
        """The text of an expression: as written where it stands on one line, else in one normal form."""
        span = self.span(node)
        if span.line != span.end_line:
            return ast.unparse(node)
        return self.places.lines[span.line - 1][span.column - 1 : span.end_column - 1]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The ancestors of a node, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node belongs to."""
        if isinstance(node, ast.stmt):
            return node
        return next((n for n in self.around(node) if isinstance(n, ast.stmt)), None)

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        return next((n for n in self.around(node) if isinstance(n, Function)), None)

    def class_(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around a node."""
        return next((n for n in self.around(node) if isinstance(n, ast.ClassDef)), None)

    def region(self, node: ast.AST, kind: Region) -> ast.AST:
        """The stretch of code to look at: where the kind asked for does not surround the node, the next larger one."""
        if kind == "loop":
            for outer in self.around(node):
                if isinstance(outer, _LOOPS):
                    return outer
                if isinstance(outer, Function):
                    return outer
        if kind in ("loop", "function") and (function := self.function(node)) is not None:
            return function
        if kind == "class" and (owner := self.class_(node)) is not None:
            return owner
        return self.tree

    def target(self, node: ast.AST) -> ast.expr | None:
        """What the statement assigns the value of this expression to, if to one target."""
        holder = self._holder(node)
        match holder:
            case ast.Assign(targets=[target]):
                return target
            case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
                return target
            case _:
                return None

    def _holder(self, node: ast.AST) -> ast.AST | None:
        parent = self.parents.get(node)
        return self.parents.get(parent) if isinstance(parent, ast.Await) else parent

    def usage(self, node: ast.AST) -> tuple[str, str] | None:
        """How the value of an expression is used right where it stands, with the detail."""
        holder = self._holder(node)
        match holder:
            case ast.Subscript(value=value, slice=index) if value is node or self.parents.get(node) is value:
                return "subscript", ast.unparse(index)
            case ast.Assign(targets=[ast.Tuple() | ast.List() as target]):
                return "unpack", str(len(target.elts))
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
                return "assign", ""
            case ast.For(iter=value) | ast.AsyncFor(iter=value) if value is node:
                return "iterate", ""
            case ast.UnaryOp(op=ast.Not()) | ast.BoolOp() | ast.If() | ast.While() | ast.Assert():
                return "truth", ""
            case None:
                return None
            case _:
                kind = _KINDS.get(type(holder))
                return (kind, "") if kind else None

    def fresh(self, node: ast.AST, name: str) -> str:
        """The name, or the first of `name_2`, `name_3`, ... that the class or module around a node does not use."""
        region = self.region(node, "class")
        taken = {
            n.id if isinstance(n, ast.Name) else n.arg for n in ast.walk(region) if isinstance(n, ast.Name | ast.arg)
        }
        candidates = (f"{name}_{number}" if number > 1 else name for number in count(1))
        return next(candidate for candidate in candidates if candidate not in taken)

    def assigns(self, node: ast.AST, target: str) -> bool:
        """Whether the class around a node (or the module) assigns to a target, given as source text."""
        for inner in ast.walk(self.region(node, "class")):
            targets = inner.targets if isinstance(inner, ast.Assign) else [getattr(inner, "target", None)]
            if any(isinstance(t, ast.expr) and ast.unparse(t) == target for t in targets):
                return True
        return False


def inside(inner: Span, outer: Span) -> bool:
    """Whether one stretch lies within another."""
    return (outer.line, outer.column) <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= (
        outer.end_line,
        outer.end_column,
    )
