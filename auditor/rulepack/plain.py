"""Fills in templates that only name, ask and compare: most do, and importing jinja2 takes an eighth of a warm scan.

What is not certain to mean the same in jinja2 is left to it: names that nothing binds, filters, blocks, comments,
operators, literals with escapes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any, TypeAlias

_EXPRESSION = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_Part: TypeAlias = str | ast.expr


class _NotPlainError(Exception):
    """Only jinja2 knows what this is."""


def fill(template: str, bound: Mapping[str, Any]) -> str | None:
    """The text of a plain template; None where it is none, or not with what is bound here."""
    try:
        return "".join(p if isinstance(p, str) else str(_value(p, bound)) for p in _parts(template))
    except _NotPlainError:
        return None


@cache
def _parts(template: str) -> tuple[_Part, ...]:
    """Texts and expressions in turn; one expression that cannot be read stands for a template that is not plain."""
    unreadable = (ast.Name(""),)
    if any(mark in template for mark in ("{%", "{#", "\\", "\r")):
        return unreadable
    parts: list[_Part] = list(_EXPRESSION.split(template.removesuffix("\n")))
    if any("{{" in str(text) for text in parts):
        return unreadable
    try:
        parts[1::2] = [ast.parse(str(text).strip(), mode="eval").body for text in parts[1::2]]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return unreadable
    return tuple(parts)


def _value(node: ast.expr, bound: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
        case ast.Name(id=name) if name in bound:
            return bound[name]
        case ast.Attribute(value=of, attr=name) if not name.startswith("_"):
            holder = _value(of, bound)
            if isinstance(holder, SimpleNamespace) and hasattr(holder, name):
                return getattr(holder, name)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if isinstance(bound.get(name), FunctionType):
            return bound[name](*(_value(argument, bound) for argument in arguments))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, bound)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
            return (_value(left, bound) == _value(right, bound)) is isinstance(operator, ast.Eq)
        case ast.IfExp(test=test, body=then, orelse=otherwise):
            return _value(then if _value(test, bound) else otherwise, bound)
    raise _NotPlainError
