"""Calls that call something else: `partial(f, x)`, `to_thread(f, x)`, `replace(obj, field=x)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import msgspec

from auditor.model import Argument
from auditor.reading import Environment, read, text
from auditor.terms import Call, Import, Mapping, Term

_PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})
_WHOLE = frozenset({"asyncio.to_thread", "anyio.to_thread.run_sync", "starlette.concurrency.run_in_threadpool"})
_REPLACING = frozenset(
    {"dataclasses.replace", "attr.evolve", "attrs.evolve", "attr.assoc", "msgspec.structs.replace", "copy.replace"}
)

FUNCTIONS = _PARTIAL | _WHOLE | _REPLACING
"""Functions that call what they are given, or the class of it."""


def target(
    node: ast.Call, function: str, arguments: tuple[Argument, ...], env: Environment
) -> tuple[Term, tuple[Argument, ...]] | None:
    """What such a call calls in the end, and with which arguments; None where that cannot be told.

    Args:
        node: The call.
        function: Dotted path of what it calls, one of `FUNCTIONS`.
        arguments: All its arguments.
        env: The names around it.
    """
    if not node.args or isinstance(node.args[0], ast.Starred):
        return None
    first = read(node.args[0], env)
    if function in _WHOLE:
        return first, arguments[1:]
    more = Argument(arguments[0].span, "", Mapping((), open=True), star="**")
    if function in _PARTIAL:
        return first, (*arguments[1:], Argument(arguments[0].span, "", first, star="*"), more)
    if function in _REPLACING:
        return Call(Import("builtins.type"), (first,)), (*(a for a in arguments[1:] if a.name is not None), more)
    return None


def replaced_by_name(node: ast.Call) -> tuple[ast.expr, str] | None:
    """The object and the attribute that `patch.object(of, "name")` or `monkeypatch.setattr(of, "name", x)` replaces.

    Both ask for the attribute first, unless they are told that it need not be there.
    """
    match node:
        case ast.Call(
            func=ast.Attribute(value=owner, attr="object" | "setattr" as method),
            args=[of, ast.Constant(value=str() as name), *_],
            keywords=keywords,
        ) if method == "setattr" or text(owner).rsplit(".", 1)[-1] == "patch":
            excused = any(k.arg in ("create", "raising", None) for k in keywords)
            return (of, name) if name.isidentifier() and not excused else None
        case _:
            return None


def may_be_filled(passed: Iterable[ast.expr | ast.keyword], env: Environment) -> bool:
    """A dict that is handed to another function may come back with more keys; whether there is one."""
    filled = False
    for argument in passed:
        value = argument.value if isinstance(argument, ast.keyword) and argument.arg else argument
        known = env.get(value.id) if isinstance(value, ast.Name) else None
        if isinstance(value, ast.Name) and isinstance(known, Mapping) and not known.open:
            env.names[value.id] = msgspec.structs.replace(known, open=True)
            filled = True
    return filled
