"""What the statements of a module bind, those inside `try` and `if` included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from auditor.fixes._expressions import dotted_text
from auditor.fixes._imports import local_name


def flat(body: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The statements of a block, and of the blocks of `try` and `if` in it."""
    for line in body:
        yield line
        blocks: list[cst.CSTNode | None] = []
        if isinstance(line, cst.Try):
            blocks = [line.body, *(handler.body for handler in line.handlers)]
            blocks += [line.orelse.body if line.orelse else None]
        elif isinstance(line, cst.If):
            blocks = [line.body, line.orelse]
        elif isinstance(line, cst.Else):
            blocks = [line.body]
        for block in blocks:
            if isinstance(block, cst.IndentedBlock):
                yield from flat(block.body)
            elif isinstance(block, cst.If | cst.Else):
                yield from flat([block])


def imports(line: cst.CSTNode) -> list[cst.Import | cst.ImportFrom]:
    """The import statements of a line."""
    if not isinstance(line, cst.SimpleStatementLine):
        return []
    return [small for small in line.body if isinstance(small, cst.Import | cst.ImportFrom)]


def imported(node: cst.Import | cst.ImportFrom) -> list[cst.ImportAlias]:
    """The names of an import statement; none where it brings all that there are."""
    return [] if isinstance(node.names, cst.ImportStar) else list(node.names)


def is_import_like(line: cst.CSTNode) -> bool:
    """Whether a statement imports, or is a `try` or `if` that does nothing else first."""
    if imports(line):
        return True
    if isinstance(line, cst.Try | cst.If) and isinstance(line.body, cst.IndentedBlock):
        return bool(line.body.body) and is_import_like(line.body.body[0])
    return False


def bound_at_top(body: Iterable[cst.CSTNode]) -> set[str]:
    """The names that the statements of a module bind."""
    bound: set[str] = set()
    for line in flat(body):
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            bound.add(line.name.value)
        elif isinstance(line, cst.SimpleStatementLine):
            for small in line.body:
                if isinstance(small, cst.Import | cst.ImportFrom):
                    bound.update(local_name(alias) for alias in imported(small) if _binds(small, alias))
                elif isinstance(small, cst.Assign):
                    bound.update(t.target.value for t in small.targets if isinstance(t.target, cst.Name))
                elif isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                    bound.add(small.target.value)
    return bound


def _binds(node: cst.Import | cst.ImportFrom, alias: cst.ImportAlias) -> bool:
    """`import a.b` binds `a` to a package that any number of them share."""
    return alias.asname is not None or isinstance(node, cst.ImportFrom) or "." not in (dotted_text(alias.name) or "")
