"""Evaluates a module's `__getattr__` for one name: what it would return, as paths, without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from auditor.provider.documents import warned
from auditor.provider.evaluation import Evaluator
from auditor.provider.scopes import imported
from auditor.provider.values import UNKNOWN, Missing, Ref

NOBODY = "api_audit_asks_for_nobody"
"""A name that no module has: what `__getattr__` does with it is what it does with any other."""

_MAX_STEPS = 4000
_WARNED = "deprecation warning"
"""Under this the local names of one way hold the warning it issued; no variable can have such a name."""


class Closure(NamedTuple):
    """A function defined inside another one, with what it sees there."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    names: dict[str, Any]
    evaluator: Evaluator


def makes_getattr(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function defines a `__getattr__` inside itself, to be put into a module."""
    return any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in function.body)


class Answer(NamedTuple):
    """What may be returned: paths of importable things, and whether something else may be returned as well."""

    paths: tuple[str, ...]
    is_unknown: bool
    deprecated: str | None = None
    """The deprecation warning that is issued on every way."""
    value: Any = UNKNOWN
    """What is returned on every way that returns anything, where it is always the same."""


class _Outcome(NamedTuple):
    """One way through some statements: how it leaves them, with which value or local names."""

    kind: Literal["return", "raise", "missing", "skip", "end"]
    value: Any = None
    names: dict[str, Any] = {}


class Getattr:
    """A module's `__getattr__`, to be asked for names; `seen` is what it sees of a function around it."""

    def __init__(
        self,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        evaluator: Evaluator,
        package: str,
        seen: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.function = function
        self.evaluator = evaluator
        self.package = package
        self.seen = seen
        self._steps = 0

    def result(self, names: dict[str, Any]) -> Any:
        """What the function returns on every way through it; it is as if the value were `Missing` where all raise."""
        self._steps = 0
        outcomes = self._run(self.function.body, names)
        if outcomes and all(outcome.kind == "raise" for outcome in outcomes):
            raise Missing
        values = [outcome.value if outcome.kind in ("return", "end") else UNKNOWN for outcome in outcomes]
        return values[0] if values and all(value == values[0] for value in values) else UNKNOWN

    def ask(self, name: Any) -> Answer:
        """What `__getattr__(name)` returns; nothing at all where it raises."""
        arguments = [*self.function.args.posonlyargs, *self.function.args.args]
        if not arguments and name is not UNKNOWN:
            return Answer((), is_unknown=True)
        self._steps = 0
        paths: dict[str, None] = {}
        is_unknown = False
        warnings: list[str | None] = []
        returned: list[Any] = []
        for outcome in self._run(self.function.body, {**self.seen, **{a.arg: name for a in arguments[:1]}}):
            if outcome.kind == "return" and isinstance(outcome.value, Ref):
                paths[outcome.value.path] = None
            elif outcome.kind in ("return", "end"):
                is_unknown = True
            if outcome.kind in ("return", "end"):
                returned.append(outcome.value)
                warnings.append(outcome.names.get(_WARNED))
        warning = warnings[0] if warnings and None not in warnings else None
        value = returned[0] if returned and all(v == returned[0] for v in returned) else UNKNOWN
        return Answer(tuple(paths), is_unknown, warning, value)

    def _run(self, body: list[ast.stmt], names: dict[str, Any]) -> list[_Outcome]:
        """All ways through `body`; a condition that is not known opens two."""
        for index, node in enumerate(body):
            self._steps += 1
            if self._steps > _MAX_STEPS:
                return [_Outcome("return", UNKNOWN)]
            step = _STEPS.get(type(node))
            if step is None:
                continue
            try:
                outcomes = step(self, node, names)
            except Missing:
                return [_Outcome("missing")]
            if outcomes is None:
                continue
            found: list[_Outcome] = []
            for outcome in outcomes:
                found += self._run(body[index + 1 :], outcome.names) if outcome.kind == "end" else [outcome]
            return found
        return [_Outcome("end", None, names)]

    def _return(self, node: ast.Return, names: dict[str, Any]) -> list[_Outcome]:
        return [_Outcome("return", self.evaluator.value(node.value, names), names)]

    def _expression(self, node: ast.Expr, names: dict[str, Any]) -> None:
        if (message := warned([node])) is not None and isinstance(node.value, ast.Call):
            told = self.evaluator.value(node.value.args[0], names)
            names[_WARNED] = told if isinstance(told, str) else message

    def _raise(self, _: ast.Raise, __: dict[str, Any]) -> list[_Outcome]:
        return [_Outcome("raise")]

    def _skip(self, _: ast.stmt, names: dict[str, Any]) -> list[_Outcome]:
        return [_Outcome("skip", None, names)]

    def _if(self, node: ast.If, names: dict[str, Any]) -> list[_Outcome]:
        truth = self.evaluator.truth(self.evaluator.value(node.test, names))
        if truth is None:
            return [*self._run(node.body, dict(names)), *self._run(node.orelse, dict(names))]
        return self._run(node.body if truth else node.orelse, names)

    def _try(self, node: ast.Try, names: dict[str, Any]) -> list[_Outcome]:
        found: list[_Outcome] = []
        for outcome in self._run(node.body, names):
            if outcome.kind == "missing" and node.handlers:
                found += self._run(node.handlers[0].body, dict(names))
            elif outcome.kind == "end":
                found += self._run(node.orelse, outcome.names)
            else:
                found.append(outcome)
        return found

    def _with(self, node: ast.With | ast.AsyncWith, names: dict[str, Any]) -> list[_Outcome]:
        return self._run(node.body, names)

    def _for(self, node: ast.For, names: dict[str, Any]) -> list[_Outcome]:
        items = self.evaluator.items(self.evaluator.value(node.iter, names))
        left: list[_Outcome] = []
        current = [names]
        for item in [UNKNOWN] if items is None else items[:_MAX_STEPS]:
            if self._steps > _MAX_STEPS:
                return [_Outcome("return", UNKNOWN)]
            following: list[dict[str, Any]] = []
            for scope in current:
                inner = dict(scope)
                self.evaluator.bind(node.target, item, inner)
                for outcome in self._run(node.body, inner):
                    if outcome.kind in ("end", "skip"):
                        following.append(outcome.names)
                    else:
                        left.append(outcome)
            current = following[:8]
        return [*left, *[o for scope in current or [names] for o in self._run(node.orelse, scope)]]

    def _match(self, node: ast.Match, names: dict[str, Any]) -> list[_Outcome]:
        subject = self.evaluator.value(node.subject, names)
        found: list[_Outcome] = []
        for case in node.cases:
            matches = self._matches(case.pattern, subject) if case.guard is None else None
            if matches is not False:
                found += self._run(case.body, dict(names))
            if matches:
                return found
        return [*found, _Outcome("end", None, names)]

    def _matches(self, pattern: ast.pattern, subject: Any) -> bool | None:
        if isinstance(pattern, ast.MatchOr):
            answers = [self._matches(p, subject) for p in pattern.patterns]
            return True if True in answers else None if None in answers else False
        if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
            value = pattern.value.value
            if isinstance(value, str):
                self.evaluator.asked[value] = None
            return None if subject is UNKNOWN else subject == value
        return True if isinstance(pattern, ast.MatchAs) and pattern.pattern is None else None

    def _import(self, node: ast.Import | ast.ImportFrom, names: dict[str, Any]) -> None:
        for name, path in imported(node, self.package):
            names[name] = Ref(path)

    def _assign(self, node: ast.Assign, names: dict[str, Any]) -> None:
        value = self.evaluator.value(node.value, names)
        for target in node.targets:
            self.evaluator.bind(target, value, names)

    def _ann_assign(self, node: ast.AnnAssign, names: dict[str, Any]) -> None:
        if node.value is not None:
            self.evaluator.bind(node.target, self.evaluator.value(node.value, names), names)

    def _aug_assign(self, node: ast.AugAssign, names: dict[str, Any]) -> None:
        self.evaluator.bind(node.target, UNKNOWN, names)

    def _definition(self, node: ast.FunctionDef | ast.ClassDef, names: dict[str, Any]) -> None:
        names[node.name] = Closure(node, names, self.evaluator) if isinstance(node, ast.FunctionDef) else UNKNOWN


_STEPS: dict[type[ast.AST], Callable[[Getattr, Any, dict[str, Any]], list[_Outcome] | None]] = {
    ast.Return: Getattr._return,
    ast.Raise: Getattr._raise,
    ast.Expr: Getattr._expression,
    ast.Break: Getattr._skip,
    ast.Continue: Getattr._skip,
    ast.If: Getattr._if,
    ast.Try: Getattr._try,
    ast.With: Getattr._with,
    ast.For: Getattr._for,
    ast.Match: Getattr._match,
    ast.Import: Getattr._import,
    ast.ImportFrom: Getattr._import,
    ast.Assign: Getattr._assign,
    ast.AnnAssign: Getattr._ann_assign,
    ast.AugAssign: Getattr._aug_assign,
    ast.FunctionDef: Getattr._definition,
    ast.ClassDef: Getattr._definition,
}
