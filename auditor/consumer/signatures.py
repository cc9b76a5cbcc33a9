"""Reads tests of a signature: whether a callable has a parameter, or a class a field, of some name."""

from __future__ import annotations

import ast

from auditor.consumer.versions import Definitions
from auditor.reading import Environment, read, text
from auditor.terms import Guard

_OF_SIGNATURES = (
    "signature",
    "co_varnames",
    "getfullargspec",
    "__fields__",
    "model_fields",
    "parameters",
    "__annotations__",
    "__dataclass_fields__",
    "fields(",
)
"""What expressions that list a callable's parameters, or a class's fields, are spelled with."""
_ASKING = frozenset({"signature", "getfullargspec", "getargspec", "fields"})
_LISTS = frozenset({"__code__", "__fields__", "model_fields", "__dataclass_fields__"})
_PARTS = frozenset({"parameters", "args", "kwonlyargs", "co_varnames", "keys"})
_COPYING = frozenset({"list", "set", "tuple", "frozenset", "sorted", "dict"})
_MAX_DEPTH = 8


def tested_parameter(test: ast.expr, definitions: Definitions, env: Environment) -> Guard | None:
    """`"x" in inspect.signature(f).parameters`, `"x" in f.__code__.co_varnames`, `"x" in names_of(f)`."""
    match test:
        case ast.Compare(
            left=ast.Constant(value=str() as name), ops=[ast.In() | ast.NotIn() as op], comparators=[container]
        ):
            for _ in range(_MAX_DEPTH):
                if isinstance(container, ast.Name) and isinstance(target := definitions(container.id), ast.expr):
                    container = target
            subject = _subject(container, definitions)
            if subject is not None or any(word in text(container) for word in _OF_SIGNATURES):
                of = read(subject, env) if subject is not None else None
                return Guard("parameter", text(test), name=name, of=of, negated=isinstance(op, ast.NotIn))
        case _:
            pass
    return None


def _subject(node: ast.expr, definitions: Definitions, depth: int = 0) -> ast.expr | None:
    """The callable or class whose parameters or fields an expression lists."""
    if depth > _MAX_DEPTH:
        return None
    match node:
        case ast.Attribute(value=value, attr=attr) if attr in _LISTS:
            return value
        case ast.Attribute(value=value, attr=attr) if attr in _PARTS:
            return _subject(value, definitions, depth + 1)
        case ast.Call(func=ast.Attribute(attr="keys", value=value), args=[]):
            return _subject(value, definitions, depth + 1)
        case ast.Call(func=function, args=[of, *_]) if text(function).rsplit(".", 1)[-1] in _ASKING:
            return of
        case ast.Call(func=ast.Name(id=name), args=[of]) if name in _COPYING:
            return _subject(of, definitions, depth + 1)
        case ast.SetComp(generators=[generator]) | ast.ListComp(generators=[generator]):
            return _subject(generator.iter, definitions, depth + 1)
        case ast.Name(id=name) if isinstance(target := definitions(name), ast.expr):
            return _subject(target, definitions, depth + 1)
        case _:
            return None
