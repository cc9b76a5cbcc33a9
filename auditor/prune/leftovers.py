"""Finds what only the guards that went had used: imports, constants, helper functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from auditor.prune import known
from auditor.prune.naming import Names, UnknownError
from auditor.prune.scopes import Binding, FileScopes, Scope

_PURE = known.VERSION_OF | known.DISTRIBUTION | known.SIGNATURE | known.ARGUMENTS | known.FIELDS | known.FIND
_PLAIN = _PURE | known.FUNCTIONS.keys() | {"builtins.hasattr", "builtins.getattr"}
_METHODS = frozenset().union(*known.METHODS.values()) | {"keys"}
_DOING = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


class Leftover(NamedTuple):
    """A statement that nothing needs any more, or one name of an import."""

    statement: ast.stmt
    alias: int | None = None


def leftovers(
    before: FileScopes, after: FileScopes, text: str, names: Names, used: Callable[[str, bool], bool]
) -> Iterator[Leftover]:
    """What code had read before, and nothing reads after.

    Args:
        before: The file with its guards.
        after: The file without them.
        text: Its source after.
        names: Tells what names stand for.
        used: Whether another file imports a global, or (if it is a constant or function) reads it as an attribute.
    """
    said = {n.value for n in ast.walk(after.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    spoken = " ".join(_annotations(after.tree))
    lines = text.splitlines()
    for scope in after.scopes:
        if scope.is_class or not isinstance(scope.node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for name, bindings in scope.bindings.items():
            if scope.reads[name] or name in said or re.search(rf"\b{re.escape(name)}\b", spoken):
                continue
            if not any(s.reads[name] for s in before.scopes if s.name == scope.name):
                continue
            found = [_removable(name, b, scope, after, names) for b in bindings]
            kept = any("noqa" in lines[b.node.lineno - 1] for b in bindings if isinstance(b.node, ast.stmt))
            constant = any(not b.path for b in bindings)
            if None in found or kept or (constant and len(bindings) > 1):
                continue
            if scope is after.top and ((after.is_package and not constant) or used(name, constant)):
                continue
            yield from (each for each in found if each is not None)


def _removable(name: str, binding: Binding, scope: Scope, file: FileScopes, names: Names) -> Leftover | None:
    node = binding.node
    if file.parents.get(id(node)) is not scope.node:
        return None
    match node:
        case ast.ImportFrom(module="__future__"):
            return None
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            bound = [alias.asname or alias.name.partition(".")[0] for alias in aliases]
            alias = aliases[bound.index(name)] if isinstance(node, ast.Import) else None
            if alias is not None and "." in alias.name:
                return None  # it loads a module that others may need
            return Leftover(node, None if len(aliases) == 1 else bound.index(name))
        case (
            ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
        ):
            return Leftover(node) if is_pure(value, file, names) else None
        case ast.FunctionDef(decorator_list=[]) if scope is file.top:
            return Leftover(node)
        case _:
            return None


def is_pure(value: ast.expr, file: FileScopes, names: Names, depth: int = 0) -> bool:
    """Whether computing an expression does nothing that anybody could miss."""
    for node in ast.walk(value):
        if isinstance(node, _DOING):
            return False
        if isinstance(node, ast.Call) and not _is_pure_call(node, file, names, depth):
            return False
    return True


def _is_pure_call(node: ast.Call, file: FileScopes, names: Names, depth: int) -> bool:
    try:
        if names.path(node.func, file) in _PLAIN:
            return True
        definition = names.definition(node.func, file)
    except UnknownError:
        return False
    if definition is None:
        return isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
    function = definition[1].value
    if not isinstance(function, ast.FunctionDef) or depth > 5:
        return False
    returned = [s for s in function.body if isinstance(s, ast.Return) and s.value is not None]
    fine = all(isinstance(s, ast.Return | ast.Import | ast.ImportFrom) or _is_docstring(s) for s in function.body)
    return fine and all(s.value is None or is_pure(s.value, definition[0], names, depth + 1) for s in returned)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _annotations(tree: ast.Module) -> Iterator[str]:
    """The strings that stand in annotations."""
    for node in ast.walk(tree):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            for inner in ast.walk(part) if isinstance(part, ast.expr) else ():
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield inner.value
