"""What a function does with its own `*args` and `**kwargs`: which keys it takes out, and where it passes the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from auditor.api import Forward
from auditor.provider.bodies import Body, expressions
from auditor.provider.scopes import bounded
from auditor.reading import read
from auditor.terms import Term

_MAX_FORWARDS = 16


class Stars(NamedTuple):
    """The names of a function's `*` and `**` parameters."""

    args: str | None
    kwargs: str | None


def star_names(arguments: ast.arguments) -> Stars | None:
    """The variadic parameters, or None where there is neither."""
    if arguments.vararg is None and arguments.kwarg is None:
        return None
    return Stars(arguments.vararg.arg if arguments.vararg else None, arguments.kwarg.arg if arguments.kwarg else None)


def kwargs_keys(body: Body, stars: Stars) -> tuple[str, ...]:
    """Keys that the body takes out of its own `**kwargs`: `pop`, `get`, `setdefault`, `[...]`, `in`."""
    if stars.kwargs is None:
        return ()
    found = [(key.lineno, key.col_offset, str(key.value)) for _, key in _taken(body, _aliases(body, stars.kwargs))]
    return tuple(dict.fromkeys([name for _, _, name in sorted(found)]))


def _taken(body: Body, names: set[str]) -> Iterator[tuple[ast.expr, ast.Constant]]:
    """Where the body looks for a key in one of `names`, and the key."""
    for node in expressions(body.node):
        of: ast.expr | None = None
        key: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in ("pop", "get", "setdefault"):
                of, key = node.func.value, node.args[0]
        elif isinstance(node, ast.Subscript):
            if isinstance(node.ctx, ast.Load):
                of, key = node.value, node.slice
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            of, key = node.comparators[0], node.left
        match key:
            case ast.Constant(value=str() as name) if of is not None and _is_one(of, names) and name.isidentifier():
                yield of, key


def refuses_rest(body: Body, stars: Stars) -> bool:
    """Whether the body raises where any of its own `**kwargs` is left, and does nothing with them but take out keys."""
    for statement in body.node.body:
        match statement:
            case ast.If(test=ast.Name(id=name), body=[*_, ast.Raise()]) if name == stars.kwargs:
                known = [*ast.walk(statement), *(of for of, _ in _taken(body, {name}))]
                told = {id(node) for node in known}
                return all(id(node) in told for node in expressions(body.node) if _is_one(node, {name}))
            case _:
                continue
    return False


def stands_for(body: Body, stars: Stars) -> Term | None:
    """What `def f(*args, **kwargs)` hands them on to, where it does nothing else with them and returns the result."""
    *before, last = body.node.body
    names = {stars.args, stars.kwargs}
    match last:
        case ast.Return(value=ast.Call(func=func, args=[ast.Starred(ast.Name(id=a))], keywords=[ast.keyword(None, k)])):
            alone = isinstance(k, ast.Name) and {a, k.id} == names and not isinstance(func, ast.Call)
            used = (node for part in (*before, func) for node in ast.walk(part) if isinstance(node, ast.Name))
            return bounded(read(func, body.scope)) if alone and all(node.id not in names for node in used) else None
        case _:
            return None


def forwards(body: Body, stars: Stars) -> tuple[Forward, ...]:
    """Calls that pass the function's own `*args` or `**kwargs` on, in source order."""
    kwargs = _aliases(body, stars.kwargs) if stars.kwargs is not None else set()
    args = _aliases(body, stars.args) if stars.args is not None else set()
    calls = [
        node
        for node in expressions(body.node)
        if isinstance(node, ast.Call) and (_passes_kwargs(node, kwargs) or _passes_args(node, args))
    ]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    found: dict[Forward, None] = {}
    for call in calls[:_MAX_FORWARDS]:
        function: ast.expr = call.func
        positional = [a for a in call.args if not isinstance(a, ast.Starred)]
        if _last_name(function) == "partial" and positional and positional[0] is call.args[0]:
            function, positional = positional[0], positional[1:]
        if _last_name(function) in ("dict", "list", "tuple"):
            continue
        forward = Forward(
            bounded(read(function, body.scope)),
            len(positional),
            tuple([k.arg for k in call.keywords if k.arg is not None]),
            _passes_args(call, args),
            _passes_kwargs(call, kwargs),
        )
        found[forward] = None
    return tuple(found)


def _passes_kwargs(call: ast.Call, names: set[str]) -> bool:
    return any(k.arg is None and _mentions(k.value, names) for k in call.keywords)


def _passes_args(call: ast.Call, names: set[str]) -> bool:
    return any(isinstance(a, ast.Starred) and _mentions(a.value, names) for a in call.args)


def _mentions(node: ast.expr, names: set[str]) -> bool:
    """Whether `node` is one of `names`, or a display with one of them unpacked into it."""
    if isinstance(node, ast.Dict):
        return any(k is None and _is_one(v, names) for k, v in zip(node.keys, node.values, strict=True))
    return _is_one(node, names)


def _is_one(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _aliases(body: Body, name: str) -> set[str]:
    """`name`, and the locals that are it or a copy of it."""
    names = {name}
    for local, values in body.sources.items():
        if any(value is not None and _is_copy(value, names) for value in values):
            names.add(local)
    return names


def _is_copy(value: ast.expr, names: set[str]) -> bool:
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
            return _is_one(value.func.value, names)
        if _last_name(value.func) in ("dict", "list", "tuple", "copy", "deepcopy") and value.args:
            return _is_one(value.args[0], names)
        if _last_name(value.func) == "dict":
            return _passes_kwargs(value, names)
        return False
    return _mentions(value, names)


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
