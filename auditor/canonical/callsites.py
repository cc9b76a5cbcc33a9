"""A provider's own calls of a symbol with some argument, read out of its sources once for a content."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import TypeAlias

import msgspec

from auditor.decoding import decode_leniently
from auditor.excerpts import parse_around
from auditor.whereabouts import Searchable

MAX_SITES = 24
"""Calls of one symbol that are looked at where a whole release is searched."""
MAX_EXPANSIONS = 6
"""How often names in an expression are replaced by what was assigned to them."""
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Site(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call in the provider's own sources, with what the function and class around it say of its arguments."""

    module: str
    line: int
    callee: str
    """What is called, as source text; the following texts as well."""
    keywords: dict[str, str]
    function: str | None
    class_: str | None
    aliases: tuple[tuple[str, str], ...]
    """Of what `self.x = x` in the class makes one thing with an argument: the other name, and the argument."""
    assigned: dict[str, str]
    """Names that the wanted argument is computed from, with what alone is assigned to each before the call."""


def sites(tree: Searchable, symbol: str, name: str, near: str, *, everywhere: bool) -> Iterator[Site]:
    """The calls of a symbol that pass a keyword, those nearest to a module first."""
    most = MAX_SITES if everywhere else None

    def found(sources: Mapping[str, bytes]) -> bytes:
        return msgspec.msgpack.encode(list(islice(_sites(sources, symbol, name), most)))

    for ring in tree.rings(near, everywhere=everywhere):
        yield from _decoder().decode(tree.recalled(f"calls\0{symbol}\0{name}\0{most}", ring, found))


@cache
def _decoder() -> msgspec.msgpack.Decoder[list[Site]]:
    return msgspec.msgpack.Decoder(list[Site])


def _sites(sources: Mapping[str, bytes], symbol: str, name: str) -> Iterator[Site]:
    called = re.compile(rf"\b{re.escape(symbol)}\s*\(")
    passed = re.compile(rf"\b{re.escape(name)}\s*=")
    for module, data in sources.items():
        if symbol.encode() not in data or name.encode() not in data:
            continue
        source = decode_leniently(data)
        places = [match.start() for match in called.finditer(source)]
        if not places or not passed.search(source):
            continue
        try:
            parts = parse_around(source, places)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = [source.count("\n", 0, place) + 1 for place in places]
        for part in parts:
            for call, function, class_ in _calls(part, symbol, lines):
                if any(keyword.arg == name for keyword in call.keywords):
                    yield _site(module, name, call, function, class_)


def _site(module: str, name: str, call: ast.Call, function: _Function | None, class_: ast.ClassDef | None) -> Site:
    keywords = {k.arg: ast.unparse(k.value) for k in call.keywords if k.arg is not None}
    return Site(
        module,
        call.lineno,
        ast.unparse(call.func),
        keywords,
        function.name if function is not None else None,
        class_.name if class_ is not None else None,
        tuple(_aliases(class_, set(keywords.values()))),
        _assigned(next(k.value for k in call.keywords if k.arg == name), call, function, class_),
    )


def _aliases(class_: ast.ClassDef | None, texts: set[str]) -> Iterator[tuple[str, str]]:
    for node in ast.walk(class_) if class_ is not None else ():
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
            target, source = ast.unparse(node.targets[0]), ast.unparse(node.value)
            if source in texts:
                yield target, source
            if target in texts and isinstance(node.value, ast.Name):
                yield source, target


def _assigned(
    value: ast.expr, call: ast.Call, function: _Function | None, class_: ast.ClassDef | None
) -> dict[str, str]:
    found: dict[str, str] = {}
    names = unexplained(value)
    for _ in range(MAX_EXPANSIONS):
        ahead: set[str] = set()
        for name in sorted(names - found.keys()):
            scope = class_ if name.startswith("self.") else function
            expression = _only(name, scope, call) if scope is not None else None
            if expression is not None:
                found[name] = ast.unparse(expression)
                ahead |= unexplained(expression)
        names = ahead
    return found


def _only(name: str, scope: ast.AST, call: ast.Call) -> ast.expr | None:
    """The one expression assigned to a local name before the call; None for several, and for parameters."""
    found = [
        node.value
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.value is not None
        and any(ast.unparse(t) == name for t in (node.targets if isinstance(node, ast.Assign) else [node.target]))
        and (name.startswith("self.") or node.lineno < call.lineno)
    ]
    return found[0] if len(found) == 1 else None


def unexplained(node: ast.expr) -> set[str]:
    """The names in an expression, and the attributes of `self`."""
    inside = list(ast.walk(node))
    return {n.id for n in inside if isinstance(n, ast.Name)} | {
        f"self.{n.attr}"
        for n in inside
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
    }


def _calls(
    tree: ast.AST, symbol: str, lines: Sequence[int]
) -> Iterator[tuple[ast.Call, _Function | None, ast.ClassDef | None]]:
    """The calls of a symbol; what does not reach over any of the lines that mention it is not looked into."""
    stack: list[tuple[ast.AST, _Function | None, ast.ClassDef | None]] = [(tree, None, None)]
    while stack:
        node, function, class_ = stack.pop()
        if isinstance(node, ast.Call) and last_name(node.func) == symbol:
            yield node, function, class_
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node
        elif isinstance(node, ast.ClassDef):
            class_, function = node, None
        inside = [child for child in ast.iter_child_nodes(node) if _reaches(child, lines)]
        stack.extend((child, function, class_) for child in reversed(inside))


def _reaches(node: ast.AST, lines: Sequence[int]) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if first is None or last is None:
        return True
    first = min([first, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    place = bisect_left(lines, first)
    return place < len(lines) and lines[place] <= last


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`; "" where the expression is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
