"""Follows audited calls from the published source into the patched one, and gathers the names that strings spell."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.model import ByName
from auditor.runner.audit import Site


@dataclass(frozen=True)
class Shape:
    """What a call passes, without the values."""

    positional: int
    keywords: tuple[str, ...]
    star: bool
    double_star: bool


@dataclass(frozen=True)
class Found:
    """A call in a source: where, of what, with what."""

    line: int
    column: int
    scope: str
    callee: str
    shape: Shape
    text: str


@dataclass(frozen=True)
class Names:
    """What a module asks of others by name."""

    imports: tuple[tuple[int, str], ...]
    """Line and dotted path of each name imported unconditionally."""
    dotted: tuple[tuple[int, str], ...]
    """Line and text of each string that spells a dotted path into one of the packages."""
    methods: tuple[tuple[int, str], ...]
    """Line and name of each method called by name."""


def find(source: bytes) -> list[Found]:
    """Every call of a source, in the order in which they begin."""
    text = source.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    found: list[Found] = []

    def visit(node: ast.AST, scope: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{scope}.{child.name}" if scope else child.name
            if isinstance(child, ast.Call):
                found.append(_found(child, scope, text, lines))
            visit(child, inner)

    visit(ast.parse(source), "")
    return sorted(found, key=lambda call: (call.line, call.column))


def _found(node: ast.Call, scope: str, text: str, lines: Sequence[str]) -> Found:
    line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    column = len(line.encode()[: node.col_offset].decode("utf-8", "replace")) + 1
    shape = Shape(
        positional=sum(not isinstance(argument, ast.Starred) for argument in node.args),
        keywords=tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None),
        star=any(isinstance(argument, ast.Starred) for argument in node.args),
        double_star=any(keyword.arg is None for keyword in node.keywords),
    )
    return Found(node.lineno, column, scope, ast.unparse(node.func), shape, ast.get_source_segment(text, node) or "")


def follow(before: Sequence[Found], after: Sequence[Found]) -> dict[int, int]:
    """Index of each call before the patches -> its index after them; calls that are gone are left out."""
    keys = [[(call.scope, call.callee) for call in calls] for calls in (before, after)]
    pairs: dict[int, int] = {}
    for tag, i, j, k, m in difflib.SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and j - i == m - k):
            pairs.update(zip(range(i, j), range(k, m), strict=True))
    return pairs


def locate(site: Site, calls: Sequence[Found]) -> int | None:
    """Index of the call that a site describes: where it begins, and of those the one with its keywords."""
    here = [i for i, call in enumerate(calls) if (call.line, call.column) == (site.line, site.column)]
    name = site.symbol.rsplit(".", 1)[-1]
    return min(here, key=lambda i: (calls[i].callee.rsplit(".", 1)[-1] != name, i), default=None)


def reshape(site: Site, before: Shape, after: Shape) -> Shape:
    """The site's shape with what the patches changed; it may know more keywords than the source spells out."""
    kept = [name for name in site.keywords if name not in before.keywords or name in after.keywords]
    added = [name for name in after.keywords if name not in before.keywords]
    return Shape(
        positional=max(0, site.positional + after.positional - before.positional),
        keywords=(*kept, *added),
        star=(site.star or after.star) if after.star or not before.star else False,
        double_star=(site.double_star or after.double_star) if after.double_star or not before.double_star else False,
    )


def names(source: bytes, packages: Sequence[str], by_name: Sequence[ByName] = ()) -> Names:
    """The names that must exist for a module to work.

    Args:
        source: The module.
        packages: Whose names count.
        by_name: What takes methods by their names.
    """
    tree = ast.parse(source)
    heads = "|".join(map(re.escape, packages)) or "(?!)"
    pattern = re.compile(rf"(?:{heads})(?:\.[A-Za-z_]\w*){{2,}}")
    dotted: list[tuple[int, str]] = []
    methods: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and pattern.fullmatch(node.value):
            dotted.append((node.lineno, node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            for one in by_name:
                name = _passed(node, one.parameter) if node.func.attr in one.calls else None
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    methods.append((node.lineno, name.value))
    return Names(tuple(_imports(tree.body, packages)), tuple(dotted), tuple(methods))


def _passed(call: ast.Call, parameter: str) -> ast.expr | None:
    named = next((keyword.value for keyword in call.keywords if keyword.arg == parameter), None)
    return named or (call.args[0] if call.args else None)


def _imports(body: Sequence[ast.stmt], packages: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Imports that nothing guards: at module level or in functions, outside `try` and `if`."""
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module.split(".")[0] in packages:
                yield from ((node.lineno, f"{node.module}.{a.name}") for a in node.names if a.name != "*")
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names if a.name.split(".")[0] in packages)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.With):
            yield from _imports(node.body, packages)
