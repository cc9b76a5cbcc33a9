"""What a match binds: source texts of the call, its receiver, target and arguments; and helpers that shape them."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

from auditor.migrations.syntax import Syntax
from auditor.model import Argument


def negated(text: str) -> str:
    """The opposite of a condition, as source text."""
    node = ast.parse(text, mode="eval").body
    match node:
        case ast.Constant(value=bool() as value):
            return str(not value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case _:
            return f"not {grouped(text)}"


def grouped(text: str) -> str:
    """An expression as an operand: in brackets where it is not of one piece."""
    node = ast.parse(text, mode="eval").body
    whole = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
    return text if whole else f"({text})"


def texts(node: ast.expr, arguments: dict[str, Argument], syntax: Syntax) -> dict[str, Any]:
    """The metavariables that every call or access binds."""
    bound: dict[str, Any] = {}
    of = node.func if isinstance(node, ast.Call) else node
    if isinstance(of, ast.Attribute):
        bound["receiver"] = syntax.source(of.value)
    if isinstance(node, ast.Call):
        bound["callee"] = syntax.source(node.func)
    if (target := syntax.target(node)) is not None:
        bound["target"] = syntax.source(target)
    bound["args"] = SimpleNamespace(**{name: argument_text(a, syntax) for name, a in arguments.items()})
    return bound


def argument_text(argument: Argument, syntax: Syntax) -> str:
    """The text of an argument's value, as written."""
    node = syntax.find(argument.span, ast.keyword) or syntax.find(argument.span, ast.expr)
    if isinstance(node, ast.keyword):
        node = node.value
    return syntax.source(node) if node is not None else argument.text
