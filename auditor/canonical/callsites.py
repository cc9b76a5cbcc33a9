"""A provider's own calls of a symbol, found in its sources; and whether they are made on a given class."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.api import FunctionApi
from auditor.excerpts import parse_around
from auditor.model import Confidence
from auditor.sides import Side
from auditor.terms import Instance, Name, Term
from auditor.whereabouts import Searchable
from auditor.world.classes import ClassRef
from auditor.world.values import InstanceValue, UnknownValue, Value, alternatives


@dataclass(frozen=True)
class Site:
    """A call in the provider's own sources with the function and class around it."""

    module: str
    call: ast.Call
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    class_: ast.ClassDef | None


def passes_keyword(new: Side, method: str, keyword: str, owner: str, near: str) -> Confidence | None:
    """How surely the provider itself calls a method with a keyword.

    Args:
        new: The release.
        method: Name of the method.
        keyword: Name of the argument.
        owner: Dotted path of the class whose method it is.
        near: The module to search around.

    Returns:
        "high" for a call on an object of that class, or of one above or below it; "medium" for one on an object of
        which the class cannot be told; None for no such call.
    """
    tree = new.world.tree(near)
    if not isinstance(tree, Searchable):
        return None
    cls = new.world.class_(owner)
    found: Confidence | None = None
    for site in sites(tree, method, keyword, near, everywhere=False):
        called = site.call.func
        if not isinstance(called, ast.Attribute) or all(k.arg != keyword for k in site.call.keywords):
            continue
        if ast.unparse(called.value) == "super()":
            continue
        values = list(alternatives(_receiver(new, site, called.value)))
        if cls is not None and any(isinstance(v, InstanceValue) and _related(v.ref, cls) for v in values):
            return "high"
        if cls is None or not all(isinstance(v, InstanceValue) for v in values):
            found = "medium"
    return found


def _related(one: ClassRef, other: ClassRef) -> bool:
    return one in other.mro() or other in one.mro()


def _receiver(new: Side, site: Site, node: ast.expr) -> Value:
    """What stands before the dot of a call: `self`, an annotated parameter, or attributes of these."""
    if isinstance(node, ast.Attribute):
        of = _receiver(new, site, node.value)
        return of if isinstance(of, UnknownValue) else new.world.member(of, node.attr)
    term = _typed(new, site, node.id) if isinstance(node, ast.Name) else None
    return new.world.evaluate(Instance(term)) if term is not None else UnknownValue("an expression")


def _typed(new: Side, site: Site, name: str) -> Term | None:
    """The type of a parameter of the function around a call."""
    if site.function is None:
        return None
    if site.class_ is None:
        function = new.world.function(f"{site.module}.{site.function.name}")
    else:
        if name == "self":
            return Name(site.module, site.class_.name)
        cls = new.world.class_(f"{site.module}.{site.class_.name}")
        definition = cls.own(site.function.name) if cls is not None else None
        function = definition if isinstance(definition, FunctionApi) else None
    return next((p.type for p in function.parameters if p.name == name), None) if function is not None else None


def sites(tree: Searchable, symbol: str, name: str, near: str, *, everywhere: bool) -> Iterator[Site]:
    """The calls of a symbol in files that mention a keyword, those nearest to a module first."""
    pattern = rf"\b{re.escape(symbol)}\s*\("
    for module, source in tree.search(symbol, pattern, near, everywhere=everywhere):
        if not re.search(rf"\b{re.escape(name)}\s*=", source):
            continue
        places = [match.start() for match in re.finditer(pattern, source)]
        try:
            parts = parse_around(source, places)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = [source.count("\n", 0, place) + 1 for place in places]
        for part in parts:
            yield from _calls(part, symbol, module, lines)


def _calls(tree: ast.AST, symbol: str, module: str, lines: Sequence[int]) -> Iterator[Site]:
    """The calls of a symbol; what does not reach over any of the lines that mention it is not looked into."""
    stack: list[tuple[ast.AST, ast.FunctionDef | ast.AsyncFunctionDef | None, ast.ClassDef | None]] = [
        (tree, None, None)
    ]
    while stack:
        node, function, class_ = stack.pop()
        if isinstance(node, ast.Call) and last_name(node.func) == symbol:
            yield Site(module, node, function, class_)
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
