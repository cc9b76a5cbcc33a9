"""Turns syntax into terms and stable texts: the one place that knows how an `ast` expression becomes a `Term`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from auditor.conditional import merge, sometimes, taken
from auditor.reading.environment import Environment
from auditor.spelling import accessed_by_name, constant, spell
from auditor.terms import (
    NONE,
    UNKNOWN,
    Awaited,
    Call,
    Constant,
    Element,
    Instance,
    Mapping,
    Member,
    Sequence,
    Subscript,
    Super,
    Term,
    Unknown,
    Unpacked,
    bounded,
    choice,
    global_path,
)

MAX_DEPTH = 24
"""Nesting beyond which an expression is not followed: real access paths are short, hostile ones are not."""

_MAX_TEXT = 400


def read(node: ast.expr | None, env: Environment, depth: int = 0) -> Term:
    """The term for the value of an expression."""
    if node is None:
        return NONE
    if depth > MAX_DEPTH:
        return Unknown("nested too deeply")
    reader = _READERS.get(type(node))
    return reader(node, env, depth + 1) if reader else UNKNOWN


def _name(node: ast.Name, env: Environment, _: int) -> Term:
    return env.get(node.id)


def _attribute(node: ast.Attribute, env: Environment, depth: int) -> Term:
    return Member(read(node.value, env, depth), node.attr)


def _call(node: ast.Call, env: Environment, depth: int) -> Term:
    known: Term | None = None
    if isinstance(node.func, ast.Name) and not env.is_local(node.func.id):
        known = _of_builtin(node, node.func.id, env, depth)
    elif isinstance(node.func, ast.Attribute):
        known = _of_method(node, node.func, env, depth)
    if known is not None:
        return known
    positional = [UNKNOWN if isinstance(a, ast.Starred) else read(a, env, depth + 6) for a in node.args]
    if len(positional) == 2 and "cast" in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
        positional[0] = annotation(node.args[0], env, depth + 6) or UNKNOWN
    return Call(
        read(node.func, env, depth),
        tuple(positional),
        tuple((k.arg, read(k.value, env, depth + 6)) for k in node.keywords if k.arg is not None),
    )


def _of_builtin(node: ast.Call, name: str, env: Environment, depth: int) -> Term | None:
    """What `super()`, `dict(...)` or `getattr(of, "name")` comes to; None for another function."""
    if name == "super" and env.class_path:
        return Super(global_path(env.module, env.class_path))
    if name == "dict":
        return _dict_call(node, env, depth)
    accessed = accessed_by_name(node)
    return Member(read(accessed[0], env, depth), accessed[1]) if accessed is not None else None


def _of_method(node: ast.Call, method: ast.Attribute, env: Environment, depth: int) -> Term | None:
    """What is taken out of a display, or a copy of it; None for another method."""
    if method.attr == "copy" and not node.args and not node.keywords:
        copied = read(method.value, env, depth)
        return copied if isinstance(copied, Mapping | Sequence) else None
    if method.attr in ("get", "pop", "values", "items"):
        of = read(method.value, env, depth)
        first = node.args[0] if node.args else None
        key = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        return taken(of, method.attr, key) if isinstance(of, Mapping) else None
    return None


def _dict_call(node: ast.Call, env: Environment, depth: int) -> Term:
    parts: list[Term] = [read(a, env, depth) for a in node.args]
    for keyword in node.keywords:
        value = read(keyword.value, env, depth)
        parts.append(value if keyword.arg is None else Mapping(((keyword.arg, value),)))
    return merge(parts)


def _dict(node: ast.Dict, env: Environment, depth: int) -> Term:
    parts: list[Term] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            parts.append(read(value, env, depth))
        elif isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isprintable():
            parts.append(Mapping(((key.value, read(value, env, depth)),)))
        else:
            parts.append(UNKNOWN)
    return merge(parts)


def _binary(node: ast.BinOp, env: Environment, depth: int) -> Term:
    left = read(node.left, env, depth)
    if isinstance(node.op, ast.BitOr):
        right = read(node.right, env, depth)
        if isinstance(left, Mapping) or isinstance(right, Mapping):
            return merge([left, right])
        return choice([left, right])
    if isinstance(node.op, ast.Mult | ast.Add) and isinstance(left, Sequence):
        return Sequence(left.type, left.items[:1])
    return UNKNOWN


def _subscript(node: ast.Subscript, env: Environment, depth: int) -> Term:
    of = read(node.value, env, depth)
    if isinstance(node.slice, ast.Slice):
        return of
    elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    index = tuple(read(e, env, depth) for e in elements)
    if isinstance(of, Mapping) and len(index) == 1 and isinstance(index[0], Constant):
        known = dict(of.items).get(index[0].text[1:-1])
        if known is not None or of.rest is not None:
            return known or of.rest or UNKNOWN
    return Subscript(of, index)


def _unary(node: ast.UnaryOp, env: Environment, depth: int) -> Term:
    operand = read(node.operand, env, depth)
    if isinstance(node.op, ast.USub) and isinstance(operand, Constant) and operand.type in ("int", "float"):
        return Constant(operand.type, f"-{operand.text}")
    return Constant("bool", "") if isinstance(node.op, ast.Not) else UNKNOWN


def _boolean(node: ast.BoolOp, env: Environment, depth: int) -> Term:
    if isinstance(node.op, ast.And):
        return read(node.values[-1], env, depth)
    values = [read(v, env, depth) for v in node.values]
    if isinstance(values[0], Mapping) and all(isinstance(v, Mapping) and not v.items for v in values[1:]):
        return values[0]
    return choice(values)


def _conditional(node: ast.IfExp, env: Environment, depth: int) -> Term:
    body, orelse = read(node.body, env, depth), read(node.orelse, env, depth)
    if isinstance(body, Mapping) and isinstance(orelse, Mapping):
        holding = [env.conditions(node.test, env, n) if env.conditions else () for n in (False, True)]
        return sometimes([(body, holding[0]), (orelse, holding[1])])
    return choice([body, orelse])


def _constant(node: ast.Constant, _: Environment, __: int) -> Term:
    if node.value is None:
        return NONE
    shown = constant(node.value)
    return Constant(type(node.value).__name__, shown if len(shown) <= _MAX_TEXT else "...")


def _display(node: ast.Tuple | ast.List | ast.Set, env: Environment, depth: int) -> Term:
    items = tuple(UNKNOWN if isinstance(e, ast.Starred) else read(e, env, depth) for e in node.elts[:64])
    return Sequence(type(node).__name__.lower(), items)


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, env: Environment, depth: int) -> Term:
    inner = comprehension_scope(node.generators, env, depth)
    kind = {"ListComp": "list", "SetComp": "set"}.get(type(node).__name__, "generator")
    return Sequence(kind, (read(node.elt, inner, depth),))


def comprehension_scope(generators: list[ast.comprehension], env: Environment, depth: int = 0) -> Environment:
    """The scope inside a comprehension: its targets bound to the elements they run over."""
    inner = env.child()
    for generator in generators:
        element = Element(read(generator.iter, inner, depth), bool(generator.is_async))
        bind_target(generator.target, element, inner)
    return inner


def bind_target(target: ast.expr, value: Term, env: Environment) -> None:
    """Bind the plain names of an assignment target to (parts of) `value`."""
    if isinstance(target, ast.Name):
        env.names[target.id] = bounded(value)
    elif isinstance(target, ast.Starred):
        bind_target(target.value, UNKNOWN, env)
    elif isinstance(target, ast.Tuple | ast.List):
        starred = any(isinstance(e, ast.Starred) for e in target.elts)
        for index, element in enumerate(target.elts):
            if starred:
                part: Term = UNKNOWN
            elif isinstance(value, Sequence) and len(value.items) == len(target.elts):
                part = value.items[index]
            else:
                part = Unpacked(value, index, len(target.elts))
            bind_target(element, part, env)


_READERS: dict[type[ast.expr], Callable[[Any, Environment, int], Term]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.Subscript: _subscript,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.IfExp: _conditional,
    ast.Constant: _constant,
    ast.Tuple: _display,
    ast.List: _display,
    ast.Set: _display,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.Await: lambda node, env, depth: Awaited(read(node.value, env, depth)),
    ast.NamedExpr: lambda node, env, depth: read(node.value, env, depth),
    ast.JoinedStr: lambda *_: Constant("str", ""),
    ast.Compare: lambda *_: Constant("bool", ""),
}


def annotation(node: ast.expr | None, env: Environment, depth: int = 0) -> Term | None:
    """The term for a type expression: strings are read, `X | Y` is a choice, `None` is the constant.

    Returns None where there is no annotation.
    """
    if node is None:
        return None
    if depth > MAX_DEPTH:
        return Unknown("nested too deeply")
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            try:
                parsed = ast.parse(node.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return Unknown("unreadable annotation")
            return annotation(parsed, env, depth + 1)
        return read(node, env)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = (annotation(node.left, env, depth + 1), annotation(node.right, env, depth + 1))
        return choice([side for side in sides if side is not None])
    if isinstance(node, ast.Subscript):
        of = annotation(node.value, env, depth + 1)
        if of is None:
            return UNKNOWN
        if isinstance(node.value, ast.Name | ast.Attribute) and text(node.value).endswith("Literal"):
            return Subscript(of, tuple(read(e, env) for e in _elements(node.slice)))
        return Subscript(of, tuple(annotation(e, env, depth + 1) or UNKNOWN for e in _elements(node.slice)))
    if isinstance(node, ast.List | ast.Tuple):
        return Sequence("list", tuple(annotation(e, env, depth + 1) or UNKNOWN for e in node.elts))
    if isinstance(node, ast.Name | ast.Attribute):
        return read(node, env)
    return UNKNOWN


def _elements(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def annotated(node: ast.expr | None, env: Environment) -> Term | None:
    """The term for a value annotated with the type expression `node`."""
    found = annotation(node, env)
    return None if found is None else Instance(found)


def text(node: ast.AST) -> str:
    """Source text of an expression in one normal form, so that formatting never counts as a change."""
    return spell(node)
