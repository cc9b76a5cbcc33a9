"""What a function returns where tests of flags decide it: its body read once for each answer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from auditor.provider.bodies import Body, FunctionNode
from auditor.provider.flags import flag_term
from auditor.spelling import spell
from auditor.terms import Decided, Term

_MAX_FLAGS = 2
"""Flags that are told apart in one function: each doubles the work."""

Result = Callable[[FunctionNode], Term]
"""What a function returns, told from its statements."""


def by_default(body: Body, result: Result) -> Term | None:
    """What a function returns, as a decision between its flags; None where no flag makes a difference.

    Args:
        body: The function as read.
        result: Reads a variant of it.
    """
    tests = list({spell(test): test for test in body.flags}.items())[:_MAX_FLAGS]
    if not tests or not body.returns:
        return None
    found = _decided(body, body.node.body, tests, result)
    return found if isinstance(found, Decided) else None


def _decided(body: Body, statements: Sequence[ast.stmt], tests: list[tuple[str, ast.expr]], result: Result) -> Term:
    if not tests:
        variant = type(body.node)(**{**body.node.__dict__, "body": list(statements)})
        return result(variant)
    (shown, test), *rest = tests
    held, failed = (_decided(body, _assuming(statements, shown, holds=holds), rest, result) for holds in (True, False))
    return held if held == failed else Decided(flag_term(test, body.scope), held, failed)


def _assuming(statements: Sequence[ast.stmt], test: str, *, holds: bool) -> list[ast.stmt]:
    """The statements that run where a test holds, or fails: later assignments replace earlier ones."""
    found: list[ast.stmt] = []
    for statement in statements:
        chosen: list[ast.stmt] = [statement]
        if isinstance(statement, ast.If) and spell(statement.test) == test:
            chosen = _assuming(statement.body if holds else statement.orelse, test, holds=holds)
            assigned = {name for s in chosen if (name := _assigned(s)) is not None}
            found = [s for s in found if _assigned(s) not in assigned]
        found.extend(chosen)
        if chosen and isinstance(chosen[-1], ast.Return | ast.Raise):
            break
    return found


def _assigned(statement: ast.stmt) -> str | None:
    """The one plain name that a statement assigns."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None
