"""Add an import at the top of a file: after its last import of the same package, else after its last import."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._expressions import dotted, dotted_text, identifier
from auditor.fixes._imports import local_name, module_text

ACTS_ON = cst.Module


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`from module import name`, or `import module` without a name; `alias` adds `as alias`."""

    module: str
    name: str | None = None
    alias: str | None = None


def fix(node: cst.Module, options: Options) -> cst.Module:
    """The file with that import."""
    statement = _statement(options)
    bound = options.alias or options.name or options.module
    for line in node.body:
        for present in _imports(line):
            if any(_same(present, alias, options) for alias in _names(present)):
                return node
    if bound in _bindings(node.body):
        raise RepairError(f"`{bound}` already means something else in this file")
    body = list(node.body)
    index = _place(body, options.module)
    line = cst.SimpleStatementLine(body=[statement])
    if index == 0:
        return _on_top(node, line, body)
    if not any(_imports(body[index - 1])) or _is_future(body[index - 1]):
        line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    body.insert(index, line)
    return node.with_changes(body=body)


def _on_top(
    node: cst.Module, line: cst.SimpleStatementLine, body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement]
) -> cst.Module:
    """Before everything but the comments that open the file, which stay on top."""
    if not body:
        return node.with_changes(body=[line], has_trailing_newline=True)
    first = body[0]
    leading = list(first.leading_lines)
    if not leading and not _imports(first):
        leading = [cst.EmptyLine(indent=False)]
    return node.with_changes(body=[line, first.with_changes(leading_lines=leading), *body[1:]])


def _statement(options: Options) -> cst.Import | cst.ImportFrom:
    asname = cst.AsName(name=identifier(options.alias)) if options.alias else None
    if options.name is None:
        return cst.Import(names=[cst.ImportAlias(name=dotted(options.module), asname=asname)])
    alias = cst.ImportAlias(name=identifier(options.name), asname=asname)
    return cst.ImportFrom(module=dotted(options.module), names=[alias])


def _imports(line: cst.CSTNode) -> list[cst.Import | cst.ImportFrom]:
    if not isinstance(line, cst.SimpleStatementLine):
        return []
    return [small for small in line.body if isinstance(small, cst.Import | cst.ImportFrom)]


def _names(node: cst.Import | cst.ImportFrom) -> list[cst.ImportAlias]:
    return [] if isinstance(node.names, cst.ImportStar) else list(node.names)


def _same(node: cst.Import | cst.ImportFrom, alias: cst.ImportAlias, options: Options) -> bool:
    asname = dotted_text(alias.asname.name) if alias.asname else None
    if asname is None and options.name == options.alias:
        asname = options.alias
    if asname != options.alias:
        return False
    if isinstance(node, cst.Import):
        return options.name is None and dotted_text(alias.name) == options.module
    return module_text(node) == options.module and dotted_text(alias.name) == options.name


def _bindings(body: object) -> set[str]:
    bound: set[str] = set()
    assert isinstance(body, list | tuple)
    for line in body:
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            bound.add(line.name.value)
        elif isinstance(line, cst.SimpleStatementLine):
            for small in line.body:
                if isinstance(small, cst.Import | cst.ImportFrom):
                    bound.update(
                        local_name(alias)
                        for alias in _names(small)
                        if alias.asname or isinstance(small, cst.ImportFrom)
                    )
                elif isinstance(small, cst.Assign):
                    bound.update(t.target.value for t in small.targets if isinstance(t.target, cst.Name))
                elif isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                    bound.add(small.target.value)
    return bound


def _place(body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement], module: str) -> int:
    package = module.partition(".")[0]
    related = last = 0
    for index, line in enumerate(body):
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            break
        imports = _imports(line)
        if imports:
            last = index + 1
        if any(_package(statement) == package for statement in imports):
            related = index + 1
    if related or last:
        return related or last
    return 1 if body and _is_docstring(body[0]) else 0


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
    return any(isinstance(i, cst.ImportFrom) and module_text(i) == "__future__" for i in _imports(line))
