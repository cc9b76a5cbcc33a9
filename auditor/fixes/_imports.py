"""Reading and writing `from ... import ...` statements."""

from __future__ import annotations

import libcst as cst

from auditor.fixes import RepairError
from auditor.fixes._expressions import dotted, dotted_text, identifier
from auditor.fixes._lists import NOTHING, Listing


def module_text(node: cst.ImportFrom) -> str:
    """The module a statement imports from, with its leading dots."""
    return "." * len(node.relative) + (dotted_text(node.module) or "")


def aliases(node: cst.ImportFrom) -> list[cst.ImportAlias]:
    """The imported names of a statement."""
    if isinstance(node.names, cst.ImportStar):
        raise RepairError(f"`from {module_text(node)} import *` names nothing that could be moved or renamed")
    return list(node.names)


def alias_index(node: cst.ImportFrom, name: str) -> int | None:
    """Where a name stands among the imported ones."""
    for index, alias in enumerate(aliases(node)):
        if dotted_text(alias.name) == name:
            return index
    return None


def local_name(alias: cst.ImportAlias) -> str:
    """The name that an alias binds."""
    if alias.asname is not None:
        return dotted_text(alias.asname.name) or ""
    return (dotted_text(alias.name) or "").partition(".")[0]


def with_module(node: cst.ImportFrom, module: str) -> cst.ImportFrom:
    """The same statement importing from another module."""
    return node.with_changes(module=dotted(module), relative=())


def without(node: cst.ImportFrom, index: int) -> cst.ImportFrom:
    """The statement without one of its names."""
    head = node.lpar.whitespace_after if node.lpar else NOTHING
    tail = node.rpar.whitespace_before if node.rpar else NOTHING
    names = Listing.read(aliases(node), head, tail)
    names.remove(index)
    changes: dict[str, object] = {"names": names.written()}
    if node.lpar is not None and node.rpar is not None:
        changes["lpar"] = node.lpar.with_changes(whitespace_after=names.gaps[0])
        closing = NOTHING if names.trailing else names.gaps[-1]
        changes["rpar"] = node.rpar.with_changes(whitespace_before=closing)
    return node.with_changes(**changes)


def renamed(alias: cst.ImportAlias, name: str, *, bind: str | None) -> cst.ImportAlias:
    """The alias importing `name`; with `bind` under that local name."""
    asname = alias.asname
    if bind is not None and asname is None and bind != name:
        asname = cst.AsName(name=identifier(bind))
    return alias.with_changes(name=identifier(name), asname=asname)


def from_import(module: str, alias: cst.ImportAlias) -> cst.ImportFrom:
    """A statement of its own for one name."""
    return cst.ImportFrom(module=dotted(module), names=[alias.with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def attempt(statement: cst.ImportFrom | cst.Import, otherwise: cst.SimpleStatementLine | cst.Try) -> cst.Try:
    """An import, and what stands in for it where it fails."""
    handler = cst.ExceptHandler(type=cst.Name("ImportError"), body=cst.IndentedBlock(body=[otherwise]))
    body = cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[statement])])
    return cst.Try(body=body, handlers=[handler])


def comment_after(node: cst.ImportFrom, index: int) -> cst.Comment | None:
    """The comment that shares a line with one name alone."""
    names = aliases(node)
    comma = names[index].comma
    gap: object = (
        comma.whitespace_after if isinstance(comma, cst.Comma) else (node.rpar and node.rpar.whitespace_before)
    )
    before: object = node.lpar.whitespace_after if node.lpar else None
    if index:
        previous = names[index - 1].comma
        before = previous.whitespace_after if isinstance(previous, cst.Comma) else None
    if isinstance(gap, cst.ParenthesizedWhitespace) and isinstance(before, cst.ParenthesizedWhitespace):
        return gap.first_line.comment
    return None
