"""What stands near a match: other calls, names and expressions in the same loop, function, class or module."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import SimpleNamespace

from auditor.migrations import subjects
from auditor.migrations.metavariables import texts
from auditor.migrations.places import Found, node_of
from auditor.migrations.syntax import Syntax, inside
from auditor.model import Argument, Use
from auditor.rulepack import templates
from auditor.rulepack.schema import Context
from auditor.sides import Side


class Surroundings:
    """Looks around matches, with what both sides know of the calls there."""

    def __init__(self, old: Side, new: Side) -> None:
        self.old = old
        self.new = new

    def near(self, context: Context, found: Found, name: str | None = None) -> bool:
        """Whether the context stands near a match; with a name, it binds its metavariables."""
        syntax = found.file.syntax
        assert syntax is not None
        region = syntax.region(found.node, context.inside)
        if context.call:
            hits = list(self._near_calls(context, found, region, syntax))
            if hits and name is not None:
                node, arguments = hits[0]
                found.bound[name] = SimpleNamespace(text=syntax.source(node), **texts(node, arguments, syntax))
                found.places[name] = tuple(syntax.span(n) for n, _ in hits)
            return bool(hits)
        wanted = _wanted(context, found)
        if wanted is None:
            return False
        nodes = [n for n in ast.walk(region) if wanted(n) and _in_order(context, n, found, syntax)]
        if nodes and name is not None:
            found.bound[name] = SimpleNamespace(text=syntax.source(nodes[0]))
            found.places[name] = tuple(syntax.span(n) for n in nodes)
        return bool(nodes)

    def _near_calls(
        self, context: Context, found: Found, region: ast.AST, syntax: Syntax
    ) -> Iterator[tuple[ast.expr, dict[str, Argument]]]:
        whole = syntax.span(region) if not isinstance(region, ast.Module) else None
        last = subjects.last_names(context.call)
        for use in found.file.calls():
            if use.span == found.use.span or (whole is not None and not inside(use.span, whole)):
                continue
            if not last & subjects.names_of(use, self.old, self.new):
                continue
            if not subjects.is_about(use, context.call, self.old, self.new):
                continue
            arguments = subjects.arguments(use, self.old, self.new)
            node = node_of(use, syntax)
            if not isinstance(node, ast.Call) or not _in_order(context, node, found, syntax):
                continue
            if self._near_fits(context, found, use, arguments, node, syntax):
                yield node, arguments

    @staticmethod
    def _near_fits(
        context: Context, found: Found, use: Use, arguments: dict[str, Argument], node: ast.Call, syntax: Syntax
    ) -> bool:
        if context.without and any(name in arguments for name in context.without):
            return False
        if not subjects.passes(arguments, context.with_):
            return False
        for name in context.same:
            mine = found.arguments.get(name)
            theirs = arguments.get(name) or _first(use)
            if mine is None or theirs is None or mine.text != theirs.text:
                return False
        if not context.same_receiver:
            return True
        receiver = texts(node, {}, syntax).get("receiver")
        return receiver is not None and receiver == found.bound.get("receiver")


def _first(use: Use) -> Argument | None:
    """The first argument, where no signature says what its parameter is called."""
    return next((a for a in use.arguments if a.name is None and not a.star), None)


def _wanted(context: Context, found: Found) -> Callable[[ast.AST], bool] | None:
    if context.name:
        name = context.name
        mine = {id(n) for n in ast.walk(found.node.func)} if isinstance(found.node, ast.Call) else set()
        return lambda node: id(node) not in mine and name in _called(node)
    try:
        text = ast.unparse(ast.parse(templates.render(context.text or "", found.bound), mode="eval"))
    except (templates.UnboundError, SyntaxError):
        return None
    return lambda node: isinstance(node, ast.expr) and _is_load(node) and ast.unparse(node) == text


def _is_load(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _called(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return (name,)
        case ast.Constant(value=str() as text):
            return (text,)
        case _:
            return ()


def _in_order(context: Context, node: ast.AST, found: Found, syntax: Syntax) -> bool:
    if context.order == "any" or not isinstance(node, ast.expr):
        return True
    there, here = syntax.span(node), found.use.span
    if context.order == "after":
        return (there.line, there.column) >= (here.end_line, here.end_column)
    return (there.end_line, there.end_column) <= (here.line, here.column)
