"""What the handlers of a `try` statement mean for its body and for themselves."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from auditor.consumer.guards import ATTRIBUTE_ERRORS, CALL_ERRORS, IMPORT_ERRORS, caught
from auditor.consumer.imports import Absolute, asked_for, bound_names, imported_names
from auditor.reading import Environment, read, text
from auditor.syntax import nodes
from auditor.terms import Call, Guard

_OF_APIS = frozenset({"AttributeError", "TypeError"})
"""Exceptions that a call raises if the release does not know it, and seldom else."""

_MAX_ASKED = 8
"""Attributes that a block asks for, beyond which nobody can say which of them its handler is about."""

_ASIDE = frozenset({*dir(builtins), "debug", "info", "warning", "warn", "error", "exception", "log", "append", "get"})
"""Last names of calls that a handler makes for whatever reason."""


def around_body(node: ast.Try, replaced: frozenset[str] = frozenset()) -> list[Guard]:
    """What the handlers of a `try` mean for its body, unless all of them raise again.

    Args:
        node: The statement.
        replaced: Names in place of which something else is done where they are None.
    """
    if all(handler.body and isinstance(handler.body[-1], ast.Raise) for handler in node.handlers):
        return []
    guards: list[Guard] = []
    names = caught(node.handlers)
    shown = f"except {', '.join(sorted(n or 'everything' for n in names))}"
    if names & IMPORT_ERRORS:
        kind: Literal["import-fallback", "swallowed"] = "swallowed"
        if _has_alternative(node, replaced):
            kind = "import-fallback"
        guards.append(Guard(kind, shown, name="ImportError"))
    if names & (ATTRIBUTE_ERRORS | CALL_ERRORS):
        instead = any(_does_otherwise(node.body, handler) for handler in node.handlers)
        caught_here = " ".join(sorted(n or "Exception" for n in names))
        guards.append(Guard("alternative" if instead else "swallowed", shown, name=caught_here))
    return guards


def inside_handler(
    handler: ast.ExceptHandler, body: Sequence[ast.stmt], env: Environment, where: Absolute
) -> list[Guard]:
    """Why a handler runs: an import failed, or a call that the release does not know."""
    reasons: list[Guard] = []
    shown = f"except {text(handler.type) if handler.type else ''}"
    names = caught([handler])
    if names & IMPORT_ERRORS and (first := next(asked_for(body, where), None)) is not None:
        reasons.append(Guard("importable", shown, of=first, negated=True))
    if names <= _OF_APIS and _does_otherwise(body, handler):
        calls = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Call)]
        tried = [c for c in calls if text(c.func) in set(_called(handler.body))] or (calls if len(calls) == 1 else [])
        term = read(tried[0], env) if len(tried) == 1 and not _unpacks(tried[0]) else None
        if isinstance(term, Call):
            reasons.append(Guard("fails", shown, of=term))
    if names == {"AttributeError"} and (lacking := _lacking(body, env)):
        reasons.append(Guard("any", shown, parts=lacking))
    return reasons


def ran_through(node: ast.Try, env: Environment, where: Absolute) -> list[Guard]:
    """What surely holds after a block that asks for something, where nothing was caught: it is there.

    Nothing where a handler raises again: then the whole file is for releases that have it, and its drift is told.
    """
    if any(handler.body and isinstance(handler.body[-1], ast.Raise) for handler in node.handlers):
        return []
    there = [Guard("importable", "imported", of=path) for path in asked_for(node.body, where)]
    if (asked := _probed(node.body)) is not None:
        there.append(Guard("hasattr", text(asked), name=asked.attr, of=read(asked.value, env)))
    return there


def flagged(node: ast.Try) -> str | None:
    """The name that a block sets to true at its end."""
    match [*node.body, *node.orelse][-1]:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=True)):
            return name
        case _:
            return None


def set_once(tree: ast.Module) -> frozenset[str]:
    """Names that are bound once in a file, but for being set to False or None."""
    stored: Counter[str] = Counter()
    for node in nodes(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=False | None)):
                stored[name] -= 1
            case ast.Name(id=name, ctx=ast.Store()):
                stored[name] += 1
            case _:
                pass
    return frozenset(name for name, count in stored.items() if count == 1)


def _probed(body: Sequence[ast.stmt]) -> ast.Attribute | None:
    """The attribute that a block reads first, for no other purpose than to see whether it is there."""
    match body:
        case [ast.Expr(value=ast.Attribute() as asked), *_]:
            return asked
        case _:
            return None


def _lacking(body: Sequence[ast.stmt], env: Environment) -> tuple[Guard, ...]:
    """That one of the attributes which a block asks for is not there."""
    asked = {text(n): n for s in body for n in ast.walk(s) if isinstance(n, ast.Attribute)}
    if len(asked) > _MAX_ASKED:
        return ()
    return tuple(
        Guard("hasattr", f"no {shown}", name=node.attr, of=read(node.value, env), negated=True)
        for shown, node in asked.items()
    )


def _does_otherwise(body: Sequence[ast.stmt], handler: ast.ExceptHandler) -> bool:
    """Whether a handler does in another way what the body tried: the same call, the same names, or what is returned."""
    names = caught([handler])
    if not names & (ATTRIBUTE_ERRORS | CALL_ERRORS):
        return False
    if set(_called(body)) & set(_called(handler.body)) or ("AttributeError" in names and _probed(body)):
        return True
    if names <= _OF_APIS and {c.partition(".")[0] for c in _called(body) if "." in c} & {
        c.partition(".")[0] for c in _called(handler.body) if "." in c
    }:
        return True  # `lib.old()`, else `lib.new()`
    inside = [n for s in handler.body for n in ast.walk(s)]
    if not names <= _OF_APIS or not any(isinstance(n, ast.Call | ast.Attribute) for n in inside):
        return False
    if handler.name and any(isinstance(n, ast.Name) and n.id == handler.name for n in inside):
        return False  # it makes something out of the exception
    wanted, provided = bound_names(body), bound_names(handler.body, placeholders=False)
    if wanted:
        return wanted <= provided
    returned = [s.value for s in (body[-1], handler.body[-1]) if isinstance(s, ast.Return)]
    return len(returned) == 2 and isinstance(returned[1], ast.Call | ast.Await | ast.Attribute)


def _called(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and (name := text(node.func)).rsplit(".", 1)[-1] not in _ASIDE:
                yield name


def _unpacks(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _has_alternative(node: ast.Try, replaced: frozenset[str]) -> bool:
    """Whether the handlers bind all that the body imports, and not to placeholders alone."""
    imported = imported_names(node.body)
    provided = {name for h in node.handlers for name in bound_names(h.body)}
    real = {name for h in node.handlers for name in bound_names(h.body, placeholders=False)}
    return bool(imported) and imported <= provided and bool(imported & (real | replaced))
