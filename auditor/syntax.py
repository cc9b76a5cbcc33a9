"""Walks syntax trees quickly: what is below a node, the names that a target binds, whether a function yields."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_LEAVES = frozenset({int, str, type(None), ast.Load, ast.Store, ast.Del})
_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef})
_WORDS = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "level", "module"})
"""Fields that hold no statement, expression or part of one."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes directly below one, in the order of its fields, without operators and contexts."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple([field for field in kind._fields if field not in _WORDS])
    for field in fields:
        value: Any = getattr(node, field, None)
        if value.__class__ is list:
            for item in value:
                if isinstance(item, ast.AST):
                    yield item
        elif isinstance(value, ast.AST):
            yield value


def nodes(*roots: ast.AST, nested: bool = True) -> Iterator[ast.AST]:
    """Some nodes and all below them, in no particular order; unless `nested`, not what is inside other functions and
    classes.
    """
    waiting: list[Any] = list(roots)
    while waiting:
        current = waiting.pop()
        kind = current.__class__
        if kind in _LEAVES or not isinstance(current, ast.AST):
            continue
        yield current
        if kind in _SCOPES and not nested:
            continue
        for value in current.__dict__.values():
            if value.__class__ is list:
                waiting += value
            elif value.__class__ not in _LEAVES:
                waiting.append(value)


def names_in(target: ast.expr) -> Iterator[ast.Name]:
    """The names in an assignment target, those that are only read included."""
    return (node for node in nodes(target) if isinstance(node, ast.Name))


def lines_with(source: str, word: str) -> list[int]:
    """The numbers of the lines that have a word, once for each time they have it."""
    found: list[int] = []
    line, before = 1, 0
    place = source.find(word)
    while place >= 0:
        line += source.count("\n", before, place)
        found.append(line)
        before, place = place, source.find(word, place + 1)
    return found


def is_generator(node: Function, lines: Sequence[int]) -> bool:
    """Whether a function yields, given the numbers of the lines that have the word `yield`: few functions do."""
    index = bisect_left(lines, node.lineno)
    if index == len(lines) or lines[index] > (node.end_lineno or node.lineno):
        return False
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in nodes(*node.body, nested=False))
