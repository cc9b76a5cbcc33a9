"""Names that the statements of a file bind, found without following the flow: imports, globals, branches of a `try`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence

from auditor.syntax import nodes
from auditor.terms import Import

Absolute = Callable[[ast.ImportFrom], str]
"""The absolute module path of a `from` import."""


def absolute(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """The absolute module path of a `from` import that stands in `module`."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, node.module] if node.module else base)


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks inside a compound statement that run in the same scope."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(statement, field, None)
        if isinstance(inner, list):
            yield inner
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements that run in one scope, in source order, compound ones before what they hold."""
    for statement in body:
        yield statement
        for inner in blocks(statement):
            yield from statements(inner)


def global_paths(tree: ast.Module, where: Absolute) -> dict[str, list[str]]:
    """Every path that an import outside functions binds to a name, alternatives included ("" for another value)."""
    found: dict[str, list[str]] = {}
    for statement in statements(tree.body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.asname or alias.name.split(".", 1)[0]
                found.setdefault(name, []).append(alias.name if alias.asname else name)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                found.setdefault(alias.asname or alias.name, []).append(f"{where(statement)}.{alias.name}")
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name) and target.id in found:
                    found[target.id].append("")
    return found


def star_names(tree: ast.Module, where: Absolute, interesting: frozenset[str]) -> frozenset[str]:
    """Names that are read and that only an `import *` can bring: nothing else in the file binds them globally."""
    stars = (
        where(statement)
        for statement in statements(tree.body)
        if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names)
    )
    if not any(star.split(".", 1)[0] in interesting for star in stars):
        return frozenset()
    bound = set(dir(builtins)) | {"__file__", "__path__"} | bound_names(tree.body)
    read = set()
    for node in nodes(tree):
        if isinstance(node, ast.Global):
            bound.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
    for statement in statements(tree.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for node in nodes(statement):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
            elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name is not None:
                bound.add(node.name)
    return frozenset(read - bound)


def global_definitions(tree: ast.Module) -> dict[str, ast.AST]:
    """What each global name is last defined as: for reading guards through names.

    `None` in place of something else says that a package is not there; what it otherwise is tells more.
    """
    found: dict[str, ast.AST] = {}
    for statement in statements(tree.body):
        match statement:
            case ast.Assign(value=ast.Constant(value=None) as value):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, value)
            case ast.Assign():
                found.update({t.id: statement.value for t in statement.targets if isinstance(t, ast.Name)})
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found[statement.name] = statement
            case ast.Import():
                found.update({alias.asname or alias.name.split(".", 1)[0]: alias for alias in statement.names})
            case _:
                pass
    return found


def replaced_names(tree: ast.AST) -> frozenset[str]:
    """Names in place of which something else is done where they are None: tested by an `if` with an `else`."""
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.IfExp) or (isinstance(node, ast.If) and node.orelse):
            match node.test:
                case ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]
                ):
                    found.add(name)
                case ast.Name(id=name) | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
                    found.add(name)
                case _:
                    pass
    return frozenset(found)


def asked_for(body: Sequence[ast.stmt], where: Absolute) -> Iterator[Import]:
    """The import paths that a block asks for itself, in order."""
    for statement in body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield Import(alias.name)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                yield Import(f"{where(statement)}.{alias.name}")


def imported_names(body: Sequence[ast.stmt]) -> set[str]:
    """Local names that the imports of a block bind."""
    return {
        alias.asname or alias.name.split(".", 1)[0]
        for statement in body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
    }


def bound_names(body: Sequence[ast.stmt], *, placeholders: bool = True) -> set[str]:
    """Names that a block binds; without `placeholders`, those set to a constant such as None do not count."""
    names: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, ast.Assign):
            if placeholders or not isinstance(statement.value, ast.Constant):
                names.update(t.id for t in statement.targets if isinstance(t, ast.Name))
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        else:
            names |= imported_names([statement])
    return names
