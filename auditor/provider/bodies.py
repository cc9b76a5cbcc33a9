"""One walk over a function's statements: what it returns, raises, assigns; expressions are left unread."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from auditor.provider.flags import is_flag
from auditor.provider.scopes import LocalScope, Origin, Source, imported, target_names
from auditor.syntax import nodes
from auditor.terms import Import, Unknown

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

MAX_RAISES = 40
_LOCAL = Unknown("local definition")


class Test(NamedTuple):
    """An `if` around a statement, and whether the statement is in its body (else in its `else`)."""

    node: ast.expr
    holds: bool


Tests: TypeAlias = tuple[Test, ...]


class Assigned(NamedTuple):
    """One assignment to an attribute of the first parameter (`self.name = value`)."""

    name: str
    line: int
    annotation: ast.expr | None
    source: Source


class Body:
    """The facts of one function body.

    Args:
        node: The function.
        scope: Receives the locals.
        package: What relative imports are relative to.
        first: Name of the parameter that stands for the instance, if any.
    """

    def __init__(self, node: FunctionNode, scope: LocalScope, package: str, first: str | None = None) -> None:
        self.node = node
        self.scope = scope
        self.package = package
        self.first = first
        self.returns: list[tuple[ast.Return, Tests]] = []
        self.raises: list[tuple[ast.Raise | ast.Assert, Tests]] = []
        self.assigned: list[Assigned] = []
        self.conditions: dict[str, list[Tests]] = {}
        """For each local: the tests around each of its assignments."""
        self.sources: dict[str, list[ast.expr | None]] = {}
        """For each local: the expressions assigned to it as a whole."""
        self.nested: dict[str, FunctionNode] = {}
        self.globals: set[str] = set()
        self.flags: list[ast.expr] = []
        """Tests in it that look like those of a flag."""
        self._walk(node.body, ())

    def _walk(self, body: list[ast.stmt], tests: Tests) -> None:
        for node in body:
            walker = _WALKERS.get(type(node))
            if walker is not None:
                walker(self, node, tests)

    def _return(self, node: ast.Return, tests: Tests) -> None:
        self.returns.append((node, tests))

    def _raise(self, node: ast.Raise | ast.Assert, tests: Tests) -> None:
        if len(self.raises) < MAX_RAISES:
            self.raises.append((node, tests))

    def _assign(self, node: ast.Assign, tests: Tests) -> None:
        for target in node.targets:
            self._bind(target, node.value, "value", tests)

    def _ann_assign(self, node: ast.AnnAssign, tests: Tests) -> None:
        if isinstance(node.target, ast.Attribute):
            self._attribute(node.target, Source(node.target, node.value, "value"), node.annotation)
        elif node.value is not None:
            self._bind(node.target, node.value, "value", tests)

    def _aug_assign(self, node: ast.AugAssign, tests: Tests) -> None:
        if isinstance(node.target, ast.Name):
            self._note(node.target.id, None, tests)

    def _for(self, node: ast.For | ast.AsyncFor, tests: Tests) -> None:
        self._bind(node.target, node.iter, "async each" if isinstance(node, ast.AsyncFor) else "each", tests)
        self._walk(node.body, tests)
        self._walk(node.orelse, tests)

    def _while(self, node: ast.While, tests: Tests) -> None:
        self._walk(node.body, tests)
        self._walk(node.orelse, tests)

    def _if(self, node: ast.If, tests: Tests) -> None:
        while True:
            if is_flag(node.test):
                self.flags.append(node.test)
            self._walk(node.body, (*tests, Test(node.test, holds=True)))
            rest = node.orelse
            if len(rest) == 1 and isinstance(rest[0], ast.If):
                node = rest[0]  # an `elif`: its own test is the one that matters, and chains may be very long
                continue
            if rest:
                self._walk(rest, (*tests, Test(node.test, holds=False)))
            return

    def _with(self, node: ast.With | ast.AsyncWith, tests: Tests) -> None:
        origin: Origin = "async enter" if isinstance(node, ast.AsyncWith) else "enter"
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, item.context_expr, origin, tests)
        self._walk(node.body, tests)

    def _try(self, node: ast.Try, tests: Tests) -> None:
        self._walk(node.body, tests)
        for handler in node.handlers:
            if handler.name:
                self.scope.assign(handler.name, Unknown("exception"))
            self._walk(handler.body, tests)
        self._walk(node.orelse, tests)
        self._walk(node.finalbody, tests)

    def _match(self, node: ast.Match, tests: Tests) -> None:
        for case in node.cases:
            self._walk(case.body, (*tests, Test(node.subject, holds=True)))

    def _import(self, node: ast.Import | ast.ImportFrom, _: Tests) -> None:
        for name, path in imported(node, self.package):
            if name != "*":
                self.scope.assign(name, Import(path))

    def _function(self, node: FunctionNode, _: Tests) -> None:
        self.nested[node.name] = node
        self.scope.assign(node.name, _LOCAL)

    def _class(self, node: ast.ClassDef, _: Tests) -> None:
        self.scope.assign(node.name, _LOCAL)

    def _global(self, node: ast.Global, _: Tests) -> None:
        self.globals.update(node.names)

    def _expression(self, node: ast.Expr, _: Tests) -> None:
        """`setattr(self, "x", v)`, `object.__setattr__(self, "x", v)`, `self.__dict__.update(x=v)`."""
        call = node.value
        if not isinstance(call, ast.Call) or self.first is None:
            return
        function = call.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name in ("setattr", "__setattr__"):
            arguments = call.args
            if isinstance(function, ast.Attribute) and len(arguments) == 2:  # super().__setattr__("x", v)
                arguments = [ast.Name(self.first), *arguments]
            if len(arguments) == 3 and self._is_first(arguments[0]) and isinstance(arguments[1], ast.Constant):
                self._named(arguments[1].value, arguments[2], node.lineno)
        elif name == "update" and isinstance(function, ast.Attribute) and self._is_own_dict(function.value):
            for keyword in call.keywords:
                self._named(keyword.arg, keyword.value, node.lineno)
            for argument in call.args:
                if isinstance(argument, ast.Dict):
                    for key, value in zip(argument.keys, argument.values, strict=True):
                        self._named(key.value if isinstance(key, ast.Constant) else None, value, node.lineno)

    def _is_own_dict(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "__dict__" and self._is_first(node.value)

    def _named(self, name: object, value: ast.expr, line: int) -> None:
        if isinstance(name, str) and name.isidentifier():
            self.assigned.append(Assigned(name, line, None, Source(ast.Name(name), value, "value")))

    def _is_first(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.first

    def _bind(self, target: ast.expr, value: ast.expr, origin: Origin, tests: Tests) -> None:
        if isinstance(target, ast.Name):
            self._note(target.id, value if origin == "value" else None, tests)
            self.scope.assign(target.id, Source(target, value, origin))
        elif isinstance(target, ast.Attribute):
            self._attribute(target, Source(target, value, origin), None)
        elif isinstance(target, ast.Tuple | ast.List):
            source = Source(target, value, origin)
            for name in target_names(target):
                self._note(name, None, tests)
                self.scope.assign(name, source)
            for element in target.elts:
                if isinstance(element, ast.Attribute):
                    self._attribute(element, source, None)

    def _attribute(self, target: ast.Attribute, source: Source, annotation: ast.expr | None) -> None:
        if self.first is not None and self._is_first(target.value):
            self.assigned.append(Assigned(target.attr, target.lineno, annotation, source))

    def _note(self, name: str, value: ast.expr | None, tests: Tests) -> None:
        self.sources.setdefault(name, []).append(value)
        if tests:
            self.conditions.setdefault(name, []).append(tests)


_WALKERS: dict[type[ast.AST], Callable[[Body, Any, Tests], None]] = {
    ast.Return: Body._return,
    ast.Raise: Body._raise,
    ast.Assert: Body._raise,
    ast.Assign: Body._assign,
    ast.AnnAssign: Body._ann_assign,
    ast.AugAssign: Body._aug_assign,
    ast.For: Body._for,
    ast.AsyncFor: Body._for,
    ast.While: Body._while,
    ast.If: Body._if,
    ast.With: Body._with,
    ast.AsyncWith: Body._with,
    ast.Try: Body._try,
    ast.Match: Body._match,
    ast.Import: Body._import,
    ast.ImportFrom: Body._import,
    ast.FunctionDef: Body._function,
    ast.AsyncFunctionDef: Body._function,
    ast.ClassDef: Body._class,
    ast.Global: Body._global,
    ast.Expr: Body._expression,
}
if hasattr(ast, "TryStar"):
    _WALKERS[ast.TryStar] = Body._try


def expressions(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes inside a function but those of functions and classes inside it, in no particular order."""
    return nodes(*getattr(node, "body", ()), nested=False)
