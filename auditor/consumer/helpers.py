"""Helper functions that tell something in one `return`: what it is, and what the names in it stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditor.consumer.imports import statements
from auditor.reading import text

_MAX_STATEMENTS = 12


def only_return(body: ast.AST | None) -> ast.expr | None:
    """What a short function returns, where it has one `return` that it always comes to unless it fails."""
    if not isinstance(body, ast.FunctionDef):
        return None
    inside = list(statements(body.body))
    returned = [s for s in inside if isinstance(s, ast.Return)]
    if len(returned) != 1 or len(inside) > _MAX_STATEMENTS:
        return None
    always = [inner for s in body.body for inner in (s.body if isinstance(s, ast.Try | ast.With) else [s])]
    return returned[0].value if returned[0] in always else None


def arguments(function: ast.FunctionDef, call: ast.Call | None, *, skip: bool) -> dict[str, ast.AST | None] | None:
    """Parameter -> what is passed for it, or its default; None where the call unpacks or does not fit."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    found: dict[str, ast.AST | None] = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    defaults = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    found.update({a.arg: default for a, default in defaults if default is not None})
    if skip and names and not any(text(d).endswith("staticmethod") for d in function.decorator_list):
        found[names.pop(0)] = None
    if call is not None:
        if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(names):
            return None
        found.update(zip(names, call.args, strict=False))
        if any(k.arg is None for k in call.keywords):
            return None
        found.update({str(k.arg): k.value for k in call.keywords})
    return found if set(names) <= set(found) else None


def assigned(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """Local name -> the expressions assigned to it."""
    found: dict[str, list[ast.expr]] = {}
    for statement in statements(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.setdefault(name, []).append(value)
            case _:
                pass
    return found


def imported(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The names that absolute imports inside the function bind, each with its path."""
    for statement in statements(function.body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.asname or alias.name.split(".", 1)[0]
                yield name, alias.name if alias.asname else name
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            for alias in statement.names:
                yield alias.asname or alias.name, f"{statement.module}.{alias.name}"
