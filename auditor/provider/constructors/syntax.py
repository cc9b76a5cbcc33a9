"""Reads the source texts of class bodies: calls, literals, annotations with their wrappers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from auditor.api import AttributeApi, Parameter, ParameterKind
from auditor.reading import Environment, read, text
from auditor.terms import Call, Constant, Member, Name, Term

UNREADABLE = "unreadable"

_WRAPPERS = frozenset(
    {"Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required", "SkipValidation"}
)


@lru_cache(maxsize=8192)
def parse(source: str | None) -> ast.expr | None:
    """The expression that a text holds, or None."""
    if source is None:
        return None
    try:
        return ast.parse(f"({source}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def value(attribute: AttributeApi) -> ast.expr | None:
    """The assigned expression; where its text was too long to be kept, what its term still knows of it."""
    return parse(attribute.value) or spelled(attribute.term)


def spelled(known: Term | None) -> ast.expr | None:
    """The expression that a term was read from, with a name that means nothing for each part it does not keep."""
    match known:
        case Call(function, positional, named):
            callee = spelled(function) or ast.Name(UNREADABLE)
            arguments = [spelled(argument) or ast.Name(UNREADABLE) for argument in positional]
            given = [ast.keyword(name, spelled(argument) or ast.Name(UNREADABLE)) for name, argument in named]
            return ast.Call(callee, arguments, given)
        case Member(of, name):
            inner = spelled(of)
            return None if inner is None else ast.Attribute(inner, name)
        case Name(name=name):
            return ast.Name(name)
        case Constant(text=shown) if shown != "...":
            return parse(shown)
        case _:
            return None


def term(node: ast.expr, module: str) -> Term:
    """The term of an expression in the global scope of a module."""
    return read(node, Environment(module))


def callee(node: ast.Call, module: str, known: Term | None = None) -> Term:
    """What a call calls; `known` is the term of the whole call, if its reader has kept it."""
    return known.function if isinstance(known, Call) else term(node.func, module)


def keywords(node: ast.expr | None, positional: Sequence[str] = ()) -> dict[str, ast.expr]:
    """Arguments of a call (or items of a dict display with string keys) by name."""
    found: dict[str, ast.expr] = {}
    if isinstance(node, ast.Call):
        found.update(zip(positional, node.args, strict=False))
        for item in node.keywords:
            if item.arg is not None:
                found[item.arg] = item.value
            else:
                found.update(keywords(item.value))
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = value
            elif key is None:
                found.update(keywords(value))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found = {**keywords(node.left), **keywords(node.right)}
    return found


def flag(node: ast.expr | None) -> bool | None:
    """The value of a literal `True` or `False`; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def string(node: ast.expr | None) -> str | None:
    """The value of a string literal."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`, and of `a.b.c[...]`."""
    if isinstance(node, ast.Subscript):
        return last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and node.value is ...:
        return "..."
    return node.id if isinstance(node, ast.Name) else ""


def is_literal(node: ast.expr) -> bool:
    """Whether an expression says its value without naming anything."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def value_text(node: ast.expr) -> str:
    """A default as stable text; an empty display reads like the call of its type, as factories are written."""
    if isinstance(node, ast.List) and not node.elts:
        return "list()"
    if isinstance(node, ast.Dict) and not node.keys:
        return "dict()"
    return text(node)


def factory_text(node: ast.expr) -> str:
    """What calling a factory evaluates, as stable text: the body of a lambda, else the factory with `()`."""
    if isinstance(node, ast.Lambda):
        return value_text(node.body)
    return f"{text(node)}()"


class Annotation(msgspec.Struct, frozen=True):
    """A type expression without its wrappers."""

    markers: frozenset[str] = frozenset()
    """Names of the wrappers: `ClassVar`, `InitVar`, `Required`, ...; the bare name for a lone one or `KW_ONLY`."""
    metadata: tuple[ast.expr, ...] = ()
    """What `Annotated` carries."""
    optional: bool = False
    """It names `None` or `Any`."""


@lru_cache(maxsize=8192)
def annotation(source: str | None) -> Annotation:
    """Unwrap an annotation; strings are read."""
    node = parse(source)
    markers: set[str] = set()
    metadata: list[ast.expr] = []
    for _ in range(16):
        if (quoted := string(node)) is not None:
            node = parse(quoted)
        if node is None:
            break
        name = last_name(node)
        if not isinstance(node, ast.Subscript):
            markers.add(name)
            break
        if name not in _WRAPPERS:
            break
        markers.add(name)
        inner = node.slice
        if isinstance(inner, ast.Tuple):
            metadata.extend(inner.elts[1:])
            inner = inner.elts[0] if inner.elts else inner
        node = inner
    return Annotation(frozenset(markers), tuple(metadata), node is not None and _is_optional(node))


def _is_optional(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.BinOp):
        return _is_optional(node.left) or _is_optional(node.right)
    name = last_name(node)
    if isinstance(node, ast.Subscript) and name == "Union":
        return any(_is_optional(e) for e in (node.slice.elts if isinstance(node.slice, ast.Tuple) else ()))
    return name in ("Any", "Optional")


@lru_cache(maxsize=128)
def signature(source: str) -> tuple[Parameter, ...]:
    """Parameters written as in `def`, without annotations."""
    node = parse(f"lambda {source}: None")
    assert isinstance(node, ast.Lambda)
    arguments = node.args
    slots: list[tuple[ast.arg, ParameterKind]] = [(a, "positional-only") for a in arguments.posonlyargs]
    slots += [(a, "positional-or-keyword") for a in arguments.args]
    defaults = [None] * (len(slots) - len(arguments.defaults)) + [text(d) for d in arguments.defaults]
    found = [Parameter(a.arg, kind, d) for (a, kind), d in zip(slots, defaults, strict=True)]
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, "var-positional"))
    for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(keyword.arg, "keyword-only", None if default is None else text(default)))
    if arguments.kwarg:
        found.append(Parameter(arguments.kwarg.arg, "var-keyword"))
    return tuple(found)
