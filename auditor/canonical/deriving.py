"""A value that a call now lacks, from how the provider itself makes that call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from auditor.binding import ArgumentKey
from auditor.canonical.callsites import MAX_EXPANSIONS, MAX_SITES, Site, last_name, sites
from auditor.model import Use
from auditor.sides import Side
from auditor.whereabouts import Searchable
from auditor.world.calls import Callee


class Derived(msgspec.Struct, frozen=True):
    """A value for a missing argument: its expression in the consumer's names, and where it comes from."""

    expression: str
    origin: Literal["call site", "factory", "constant"]
    where: str
    """`module:line` of the provider's code that it was read from."""


def derive(use: Use, callee: Callee, name: str, new: Side) -> tuple[Derived | None, str]:
    """The value that the provider's own calls give to a parameter, said in names that the consumer passes.

    Returns:
        The derived value, or None and the reason why none could be derived.
    """
    tree = new.world.tree(callee.path)
    if not isinstance(tree, Searchable):
        return None, "the provider's sources cannot be searched"
    symbol = callee.path.rsplit(".", 1)[-1]
    passed = _passed(use, new)
    near = _from_sites(sites(tree, symbol, name, callee.module, everywhere=False), name, passed)
    if isinstance(near, Derived) and near.origin == "call site":
        return near, ""
    factory = _factory(tree, symbol, name, callee.module)
    if factory is not None:
        return factory, ""
    found = _from_sites(sites(tree, symbol, name, callee.module, everywhere=True), name, passed)
    if isinstance(found, Derived):
        return found, ""
    return None, found or f"the provider never calls `{symbol}` with `{name}` in a way that could be read"


def _from_sites(found: Iterator[Site], name: str, passed: dict[str, str]) -> Derived | str | None:
    """What the first call says that can be put in the consumer's words, else the constant all agree on, or why not."""
    constants: list[Derived] = []
    seen = 0
    for site in found:
        value = site.keywords[name]
        seen += 1
        where = f"{site.module}:{site.line}"
        if _is_constant(value):
            constants.append(Derived(value, "constant", where))
        elif (expression := _translate(site, value, passed)) is not None:
            return Derived(expression, "call site", where)
        if seen >= MAX_SITES:
            break
    agreed = sorted({c.expression for c in constants})
    if len(agreed) == 1:
        return constants[0]
    if agreed:
        return f"the provider's own calls pass different constants: {', '.join(agreed)}"
    return f"the provider's own calls compute `{name}` from values that this call does not have" if seen else None


def _passed(use: Use, new: Side) -> dict[str, str]:
    """Parameter name -> the consumer's expression, for what the call passes."""
    binding = new.call(use).binding
    if binding is None:
        return {}
    found: dict[str, str] = {}
    position = 0
    for argument in use.arguments:
        if argument.star:
            continue
        key: ArgumentKey = ("keyword", argument.name) if argument.name is not None else ("positional", position)
        position += argument.name is None
        landed = binding.landing.get(key)
        if landed is not None and not landed.startswith("*"):
            found[landed] = argument.text
    return found


def _is_constant(node: ast.expr | str) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _translate(site: Site, value: str, passed: dict[str, str]) -> str | None:
    """Rewrite the provider's expression: what both pass to the same parameter is the same thing."""
    theirs = {text: passed[key] for key, text in site.keywords.items() if key in passed}
    theirs |= {other: theirs[argument] for other, argument in site.aliases if argument in theirs}
    current = value
    for _ in range(MAX_EXPANSIONS):
        rewriter = _Rewriter(theirs)
        candidate = rewriter.visit(_parsed(current))
        if not rewriter.unknown:
            return ast.unparse(candidate) if rewriter.replaced else None
        if not rewriter.unknown <= site.assigned.keys():
            return None
        values = {name: site.assigned[name] for name in rewriter.unknown}
        current = ast.unparse(_Rewriter(values).visit(_parsed(current)))
    return None


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Rewriter(ast.NodeTransformer):
    """Replaces whole known subexpressions; collects the names that stay unexplained."""

    def __init__(self, theirs: dict[str, str]) -> None:
        self.theirs = theirs
        self.unknown: set[str] = set()
        self.replaced = False

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name | ast.Attribute):
            text = ast.unparse(node)
            if text in self.theirs:
                self.replaced = True
                return _parsed(self.theirs[text])
            if isinstance(node, ast.Name):
                self.unknown.add(node.id)
                return node
            if _root(node) == "self" and text.count(".") == 1:
                self.unknown.add(text)
                return node
        return self.generic_visit(node)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _factory(tree: Searchable, symbol: str, name: str, module: str) -> Derived | None:
    """A factory beside the definition that fills the argument where its caller does not: `kwargs["x"] = False`."""
    for found, source in tree.search(name, rf"\b{re.escape(name)}\b", module, everywhere=False):
        if found != module:
            return None
        try:
            parsed = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for node in ast.walk(parsed):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(c, ast.Call)
                and last_name(c.func) in (symbol, "cls")
                and any(k.arg is None for k in c.keywords)
                for c in ast.walk(node)
            ):
                value = _filled(node, name)
                if value is not None:
                    return Derived(ast.unparse(value), "factory", f"{found}:{node.lineno}")
        return None
    return None


def _filled(function: ast.FunctionDef, name: str) -> ast.expr | None:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            key = node.targets[0].slice
            if isinstance(key, ast.Constant) and key.value == name and _is_constant(node.value):
                return node.value
        if isinstance(node, ast.Call) and last_name(node.func) == "setdefault" and len(node.args) == 2:
            key = node.args[0]
            if isinstance(key, ast.Constant) and key.value == name and _is_constant(node.args[1]):
                return node.args[1]
    return None
