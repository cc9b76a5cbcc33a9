"""Asks the `__getattr__` of a module that helpers of other modules make or answer: their sources are followed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from auditor.api import Served
from auditor.provider.blocks import BlockReader
from auditor.provider.calls import call_value, parameters
from auditor.provider.evaluation import Evaluator
from auditor.provider.getattrs import NOBODY, Closure, Getattr
from auditor.provider.lazy import Tables
from auditor.provider.values import UNKNOWN, Missing, Ref

_MAX_DEPTH = 5
"""How many helpers may call one another."""


class _Opened(NamedTuple):
    """A module whose tables were evaluated, and the functions that it defines."""

    evaluator: Evaluator
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]
    executed: list[ast.stmt]


class Servers:
    """The modules of one release that serve names.

    Args:
        source: Gives the source of a module; None where there is no such module.
        is_package: Whether a module is a package.
    """

    def __init__(self, source: Callable[[str], str | None], is_package: Callable[[str], bool]) -> None:
        self._source = source
        self._is_package = is_package
        self._modules: dict[str, _Opened | None] = {}
        self._getattrs: dict[str, Getattr | None] = {}
        self._depth = 0

    def ask(self, module: str, name: str) -> Served | None:
        """What a module serves under a name that it does not bind; None where that cannot be told."""
        if module not in self._getattrs:
            found = self._getattr(module)
            told = found is not None and not found.ask(NOBODY).is_unknown
            self._getattrs[module] = found if told else None
        getattr_ = self._getattrs[module]
        if getattr_ is None:
            return None
        answer = getattr_.ask(name)
        if answer.is_unknown or len(answer.paths) > 1:
            return Served("")
        return Served(answer.paths[0] if answer.paths else None)

    def _getattr(self, module: str) -> Getattr | None:
        opened = self._open(module)
        if opened is None:
            return None
        if (own := opened.functions.get("__getattr__")) is not None:
            return Getattr(own, opened.evaluator, opened.evaluator.package)
        for statement in opened.executed:
            made = _assigned(statement, opened.evaluator) if isinstance(statement, ast.Assign) else None
            if isinstance(made, Closure):
                return Getattr(made.node, made.evaluator, made.evaluator.package, made.names)
        return None

    def _open(self, module: str) -> _Opened | None:
        if module not in self._modules:
            self._modules[module] = None
            source = self._source(module)
            try:
                body = ast.parse(source).body if source is not None else None
            except (SyntaxError, ValueError, RecursionError):
                body = None
            if body is not None:
                package = module if self._is_package(module) else module.rpartition(".")[0]
                blocks = BlockReader(module=module, package=package, is_stub=False, yields=(), asks=False)
                blocks.read(body)
                tables = Tables(blocks, self._call)
                tables.result()
                functions = {n.name: n for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
                self._modules[module] = _Opened(tables.evaluator, functions, blocks.executed)
        return self._modules[module]

    def _call(self, evaluator: Evaluator, node: ast.Call, names: dict[str, Any]) -> Any:
        """A call of a helper: what it returns on every way. Any other call is left to what is known of it."""
        if self._depth < _MAX_DEPTH and isinstance(node.func, ast.Name | ast.Attribute):
            helper = self._helper(evaluator.value(node.func, names))
            given = parameters(evaluator, helper.node, node, names) if helper is not None else None
            if helper is not None and given is not None:
                self._depth += 1
                try:
                    return Getattr(helper.node, helper.evaluator, helper.evaluator.package).result(
                        {**helper.names, **given}
                    )
                finally:
                    self._depth -= 1
        return call_value(evaluator, node, names)

    def _helper(self, value: Any) -> Closure | None:
        if isinstance(value, Closure):
            return value
        module, _, name = value.path.rpartition(".") if isinstance(value, Ref) else ("", "", "")
        opened = self._open(module) if module else None
        function = opened.functions.get(name) if opened is not None else None
        return Closure(function, {}, opened.evaluator) if opened is not None and function is not None else None


def _assigned(statement: ast.Assign, evaluator: Evaluator) -> Any:
    """What a statement assigns to `__getattr__`."""
    for target in statement.targets:
        names = [target] if isinstance(target, ast.Name) else getattr(target, "elts", [])
        place = next((n for n, e in enumerate(names) if isinstance(e, ast.Name) and e.id == "__getattr__"), None)
        if place is None:
            continue
        try:
            value = evaluator.value(statement.value, {})
        except Missing:
            return None
        if isinstance(target, ast.Name):
            return value
        return value[place] if isinstance(value, list) and len(value) > place else UNKNOWN
    return None
