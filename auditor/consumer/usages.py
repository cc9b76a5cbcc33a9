"""What becomes of the values that calls return: which variable holds which, and what is done with it."""

from __future__ import annotations

import ast
from collections.abc import Callable

import msgspec

from auditor.consumer.places import Places
from auditor.model import Usage
from auditor.reading import text
from auditor.syntax import names_in
from auditor.terms import Guard

_MAX_USAGES = 40
_GATHERING = frozenset({"list", "tuple", "sorted", "set"})


class Usages:
    """The usages of recorded calls, each call known by its number.

    Args:
        places: Gives spans.
        guards: The conditions under which the code runs that is just walked.
    """

    def __init__(self, places: Places, guards: Callable[[], tuple[Guard, ...]]) -> None:
        self.places = places
        self.guards = guards
        self._found: dict[int, list[Usage]] = {}
        self._calls: dict[int, int] = {}
        self._holders: list[dict[str, int]] = [{}]

    def of(self, call: int) -> tuple[Usage, ...]:
        """What is done with the value of a call."""
        return tuple(self._found.get(call, ()))

    def enter(self) -> None:
        """A function body begins: its variables are its own."""
        self._holders.append({})

    def leave(self) -> None:
        """A function body ends."""
        self._holders.pop()

    def called(self, node: ast.Call, parent: ast.AST | None, call: int) -> None:
        """A call was recorded; `parent` is what consumes its value."""
        self._calls[id(node)] = call
        self._record(node, parent, call)

    def read(self, node: ast.Name, parent: ast.AST | None) -> None:
        """A variable is read, by `parent`; it may hold the result of a call."""
        if (call := self._holders[-1].get(node.id)) is not None:
            self._record(node, parent, call)

    def assigned(self, target: ast.expr, source: ast.expr | None) -> None:
        """Remember which call a variable holds the result of."""
        inner = source.value if isinstance(source, ast.Await) else source
        call = self._calls.get(id(inner)) if inner is not None else None
        if isinstance(inner, ast.Name):
            call = self._holders[-1].get(inner.id)
        self.forget(target)
        if call is None:
            return
        if isinstance(target, ast.Name):
            self._holders[-1][target.id] = call
        elif isinstance(target, ast.Tuple | ast.List):
            star = any(isinstance(e, ast.Starred) for e in target.elts)
            count = f"{len(target.elts)}{'+' if star else ''}"
            self._found.setdefault(call, []).append(Usage("unpack", count, self.places.span(target), self.guards()))

    def forget(self, target: ast.expr) -> None:
        """Names are bound to something else."""
        for name in names_in(target):
            self.rebound(name.id)

    def rebound(self, name: str) -> None:
        """A name is bound to something else."""
        self._holders[-1].pop(name, None)

    def _record(self, node: ast.expr, parent: ast.AST | None, call: int) -> None:
        if (usage := self._usage(node, parent)) is not None:
            if guards := self.guards():
                usage = msgspec.structs.replace(usage, guards=guards)
            known = self._found.setdefault(call, [])
            if usage not in known and len(known) < _MAX_USAGES:
                known.append(usage)

    def _usage(self, node: ast.expr, parent: ast.AST | None) -> Usage | None:
        """What the parent of an expression does with its value."""
        span = self.places.span(node)
        match parent:
            case ast.Subscript(value=value) if value is node:
                return Usage("subscript", text(parent.slice), self.places.span(parent))
            case ast.Attribute():
                return Usage("attribute", parent.attr, self.places.span(parent))
            case ast.Await():
                return Usage("await", "", self.places.span(parent))
            case ast.Call() | ast.keyword():
                called = text(parent.func) if isinstance(parent, ast.Call) else ""
                return Usage("iterate" if called in _GATHERING else "argument", called, span)
            case ast.comprehension() | ast.For() | ast.AsyncFor():
                is_async = isinstance(parent, ast.AsyncFor) or (
                    isinstance(parent, ast.comprehension) and parent.is_async
                )
                return Usage("iterate", "async" if is_async else "", span)
            case ast.With() | ast.AsyncWith():
                return Usage("context", "async" if isinstance(parent, ast.AsyncWith) else "", span)
            case ast.Return():
                return Usage("return", "", span)
            case ast.Expr():
                return Usage("discard", "", span)
            case _:
                return self._tested(node, parent)

    def _tested(self, node: ast.expr, parent: ast.AST | None) -> Usage | None:
        """A test of the value, whether it is true or whether it is None."""
        span = self.places.span(node)
        match parent:
            case ast.UnaryOp(op=ast.Not()) | ast.BoolOp() | ast.If() | ast.While() | ast.Assert():
                return Usage("truth", "", span)
            case ast.IfExp(test=test) if test is node:
                return Usage("truth", "", span)
            case ast.Compare():
                is_none = any(isinstance(c, ast.Constant) and c.value is None for c in parent.comparators)
                return Usage("none-test", "", span) if is_none else None
            case _:
                return None
