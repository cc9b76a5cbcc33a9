"""Add an import at the top of a file: after its last import of the same package, else after its last import."""

from __future__ import annotations

import sys
from typing import TypeAlias

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._bindings import bound_at_top, flat, imported, imports, is_import_like
from auditor.fixes._expressions import dotted, dotted_text, identifier
from auditor.fixes._imports import attempt, module_text

ACTS_ON = cst.Module
Line: TypeAlias = cst.SimpleStatementLine | cst.Try


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`from module import name`, or `import module` without a name; `alias` adds `as alias`."""

    module: str
    name: str | None = None
    alias: str | None = None
    otherwise: str = ""
    """Further modules to try, one after the other, with blanks between; `None` at the end binds the name to that."""


def fix(node: cst.Module, options: Options) -> cst.Module:
    """The file with that import."""
    statement = _statement(options)
    bound = options.alias or options.name or options.module
    for line in flat(node.body):
        for present in imports(line):
            if any(_same(present, alias, options) for alias in imported(present)):
                return node
    if bound in bound_at_top(node.body):
        raise RepairError(f"`{bound}` already means something else in this file")
    body = list(node.body)
    index = _place(body, options)
    new: Line = cst.SimpleStatementLine(body=[statement])
    if options.otherwise:
        new = _tried(options, options.otherwise.split())
    if index == 0:
        return _on_top(node, new, body)
    if index < len(body) and imports(body[index]) and not imports(body[index - 1]):
        return _first(node, new, body, index)
    if not is_import_like(body[index - 1]) or _is_future(body[index - 1]) or isinstance(new, cst.Try):
        new = new.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    body.insert(index, new)
    return node.with_changes(body=body)


def _tried(options: Options, otherwise: list[str]) -> cst.Try:
    """The import with what is done in releases that do not have it."""
    bound = options.alias or options.name or options.module
    first, *rest = otherwise
    alternative: cst.SimpleStatementLine | cst.Try
    if first == "None":
        target = cst.AssignTarget(target=identifier(bound))
        alternative = cst.SimpleStatementLine(body=[cst.Assign(targets=[target], value=cst.Name("None"))])
    else:
        other = msgspec.structs.replace(options, module=first, otherwise="")
        alternative = _tried(other, rest) if rest else cst.SimpleStatementLine(body=[_statement(other)])
    return attempt(_statement(options), alternative)


def _on_top(
    node: cst.Module,
    line: cst.SimpleStatementLine | cst.Try,
    body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement],
) -> cst.Module:
    """Before everything but the comments that open the file, which stay on top."""
    if not body:
        return node.with_changes(body=[line], has_trailing_newline=True)
    first = body[0]
    leading = list(first.leading_lines)
    others = [_package(statement) in sys.stdlib_module_names for statement in imports(first)]
    mine = [_package(statement) in sys.stdlib_module_names for one in flat([line]) for statement in imports(one)]
    if not leading and (not others or all(mine) != all(others)):
        leading = [cst.EmptyLine(indent=False)]
    return node.with_changes(body=[line, first.with_changes(leading_lines=leading), *body[1:]])


def _first(
    node: cst.Module, line: Line, body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement], index: int
) -> cst.Module:
    """Before the first import of all, whose blank lines it takes over; another section keeps its distance."""
    after = body[index]
    standard = all(_package(statement) in sys.stdlib_module_names for statement in imports(after))
    kept = () if standard else (cst.EmptyLine(indent=False),)
    line = line.with_changes(leading_lines=after.leading_lines)
    return node.with_changes(body=[*body[:index], line, after.with_changes(leading_lines=kept), *body[index + 1 :]])


def _statement(options: Options) -> cst.Import | cst.ImportFrom:
    asname = cst.AsName(name=identifier(options.alias)) if options.alias else None
    if options.name is None:
        return cst.Import(names=[cst.ImportAlias(name=dotted(options.module), asname=asname)])
    alias = cst.ImportAlias(name=identifier(options.name), asname=asname)
    return cst.ImportFrom(module=dotted(options.module), names=[alias])


def _same(node: cst.Import | cst.ImportFrom, alias: cst.ImportAlias, options: Options) -> bool:
    asname = dotted_text(alias.asname.name) if alias.asname else None
    if asname is None and options.name == options.alias:
        asname = options.alias
    if asname != options.alias:
        return False
    if isinstance(node, cst.Import):
        return options.name is None and dotted_text(alias.name) == options.module
    return module_text(node) == options.module and dotted_text(alias.name) == options.name


def _place(body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement], options: Options) -> int:
    package = options.module.partition(".")[0]
    if package in sys.stdlib_module_names:
        return _among_standard(body, options)
    related = absolute = last = 0
    for index, line in enumerate(body):
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            break
        if is_import_like(line):
            last = index + 1
        found = [statement for one in flat([line]) for statement in imports(one)]
        if any(_package(statement) for statement in found) and not _is_future(line):
            absolute = index + 1
        if any(_package(statement) == package for statement in found):
            related = index + 1
    if last:
        return last if options.otherwise else related or absolute or last
    return 1 if body and _is_docstring(body[0]) else 0


def _among_standard(body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement], options: Options) -> int:
    """The place of an import from the standard library: in the order that import sorters keep, else on top."""
    mine = (options.name is not None, options.module)
    place = None
    for index, line in enumerate(body):
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            break
        if _opens(line):
            continue
        for statement in imports(line):
            if _package(statement) in sys.stdlib_module_names and (place is None or _order(statement) < mine):
                place = index + (_order(statement) < mine)
    return place if place is not None else next((i for i, line in enumerate(body) if not _opens(line)), len(body))


def _order(statement: cst.Import | cst.ImportFrom) -> tuple[bool, str]:
    if isinstance(statement, cst.ImportFrom):
        return True, module_text(statement)
    return False, dotted_text(statement.names[0].name) or ""


def _opens(line: cst.CSTNode) -> bool:
    return _is_docstring(line) or _is_future(line)


def _package(statement: cst.Import | cst.ImportFrom) -> str:
    if isinstance(statement, cst.ImportFrom):
        return module_text(statement).partition(".")[0]
    return (dotted_text(statement.names[-1].name) or "").partition(".")[0]


def _is_docstring(line: cst.CSTNode) -> bool:
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    first = line.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)


def _is_future(line: cst.CSTNode) -> bool:
    return any(isinstance(i, cst.ImportFrom) and module_text(i) == "__future__" for i in imports(line))
