"""Calls that call something else: `partial(f, x)`, `to_thread(f, x)`, `replace(obj, field=x)`."""

from __future__ import annotations

import ast

from auditor.model import Argument
from auditor.reading import Environment, read
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
