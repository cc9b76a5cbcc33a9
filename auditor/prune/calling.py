"""Computes calls in conditions: what asks the release, what only computes, and short functions of the consumer."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet

from auditor.consumer.guards import caught
from auditor.packages.spec import normalise
from auditor.prune import known
from auditor.prune.known import Distribution, Found, Parameters
from auditor.prune.naming import UnknownError
from auditor.prune.scopes import FileScopes
from auditor.reading import text

if TYPE_CHECKING:
    from auditor.prune.computing import Computer

_ABSENT = frozenset({"PackageNotFoundError", "DistributionNotFound", "ImportError", "ModuleNotFoundError"})
"""What says that the provider is not installed."""
_COPYING = frozenset({f"builtins.{name}" for name in ("list", "set", "tuple", "frozenset", "sorted")})


def called(computer: Computer, node: ast.Call, file: FileScopes) -> Any:
    """The value of a call.

    Raises:
        UnknownError: It cannot be computed, or does more than compute.
    """
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise UnknownError
    path = computer.names.path(node.func, file)
    if path is not None and (found := _asked(computer, path, node, file)) is not None:
        return found[0]
    definition = computer.names.definition(node.func, file)
    if definition is not None:
        if isinstance(definition[1].value, ast.FunctionDef):
            return _returned(computer, definition[1].value, definition[0], node, file)
        raise UnknownError
    arguments = [int if computer.names.path(a, file) == "builtins.int" else computer.value(a, file) for a in node.args]
    keywords = {str(k.arg): computer.value(k.value, file) for k in node.keywords}
    if path is not None and path in known.FUNCTIONS:
        if any(isinstance(a, Parameters) for a in arguments):
            if path in _COPYING and len(arguments) == 1:
                return arguments[0]
            raise UnknownError
        return known.FUNCTIONS[path](*arguments, **keywords)
    if isinstance(node.func, ast.Attribute):
        return _method(computer.value(node.func.value, file), node.func.attr, arguments, keywords)
    raise UnknownError


def _method(of: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if isinstance(of, Parameters) and name == "keys" and not arguments:
        return of
    if name not in known.METHODS.get(type(of), ()):
        raise UnknownError
    if isinstance(of, SpecifierSet):
        keywords.setdefault("prereleases", True)
    return getattr(of, name)(*arguments, **keywords)


def _asked(computer: Computer, path: str, node: ast.Call, file: FileScopes) -> tuple[Any] | None:
    """What a call asks of the release: a version, an attribute, a signature, a module."""
    release = computer.release
    match path, node.args:
        case _, [first] if path in known.VERSION_OF | known.DISTRIBUTION:
            if normalise(str(computer.value(first, file))) != computer.claim.provider:
                raise UnknownError
            computer.asked.add(f"{release.packages[0]}.__version__")
            return (computer.version if path in known.VERSION_OF else Distribution(computer.version),)
        case "builtins.hasattr", [of, name]:
            owner, attribute = _owned(computer, of, file), str(computer.value(name, file))
            there = release.attribute(owner, attribute)
            if there is None:
                raise UnknownError
            computer.asked.add(f"{owner}.{attribute}")
            return (there,)
        case "builtins.getattr", [of, name, *_]:
            version = computer.fact(f"{_owned(computer, of, file)}.{computer.value(name, file)}")
            if not isinstance(version, str | tuple) or isinstance(version, Parameters):
                raise UnknownError
            return (version,)
        case _, [of] if path in known.SIGNATURE | known.ARGUMENTS | known.FIELDS:
            return (Parameters(_owned(computer, of, file), more=path in known.FIELDS),)
        case _, [of] if path in known.FIND:
            module = str(computer.value(of, file))
            there = release.imported(module, None) if release.owns(module) and "." in module else None
            if there is None:
                raise UnknownError
            computer.asked.add(module)
            return (Found(module) if there else None,)
        case _:
            return None


def _owned(computer: Computer, node: ast.expr, file: FileScopes) -> str:
    path = computer.names.path(node, file)
    if path is None or not computer.release.owns(path):
        raise UnknownError
    return path


def _returned(computer: Computer, function: ast.FunctionDef, home: FileScopes, node: ast.Call, file: FileScopes) -> Any:
    """What a short function of the consumer returns, its parameters standing for what is passed."""
    a = function.args
    names = [each.arg for each in a.args]
    cached = all(
        text(d).partition("(")[0].rpartition(".")[2] in ("cache", "lru_cache") for d in function.decorator_list
    )
    if not cached or a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or len(node.args) > len(names):
        raise UnknownError
    given = {name: computer.value(v, home) for name, v in zip(names[::-1], a.defaults[::-1], strict=False)}
    given |= {name: computer.value(v, file) for name, v in zip(names, node.args, strict=False)}
    given |= {str(k.arg): computer.value(k.value, file) for k in node.keywords}
    scope = next((s for s in home.scopes if s.node is function), None)
    if set(names) != set(given) or scope is None:
        raise UnknownError
    with computer.frame(scope, given):
        for result in _run(computer, function.body, home):
            return result
    raise UnknownError


def _run(computer: Computer, body: Sequence[ast.stmt], file: FileScopes) -> Iterator[Any]:
    """What a body returns, if it does nothing but compute."""
    for statement in body:
        match statement:
            case _ if _only_names(statement):
                pass
            case ast.Return(value=ast.expr() as value):
                yield computer.value(value, file)
            case ast.If(body=inner, orelse=orelse) if all(_only_names(s) for s in (*inner, *orelse)):
                pass
            case ast.If(test=test, body=inner, orelse=orelse):
                yield from _run(computer, inner if computer.value(test, file) else orelse, file)
            case ast.Try(body=inner, handlers=handlers, orelse=[], finalbody=[]) if all(
                isinstance(handler.body[-1], ast.Raise) for handler in handlers
            ) or (computer.claim.required and caught(handlers) <= _ABSENT):
                yield from _run(computer, inner, file)
            case _:
                raise UnknownError


def _only_names(statement: ast.stmt) -> bool:
    """Whether a statement does no more than bind names, which are computed where they are read."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name()]):
            return True
        case _:
            return isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass)
