"""Define a name of the module, once, after the imports: the answer to a question that is asked in several places."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._bindings import bound_at_top, is_import_like
from auditor.fixes._expressions import expression, identifier, same

ACTS_ON = cst.Module


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`NAME = value`, with `comment` on the line before."""

    name: str
    value: str
    comment: str = ""


def fix(node: cst.Module, options: Options) -> cst.Module:
    """The file with that definition."""
    value = expression(options.value)
    for line in node.body:
        if (found := _defined(line, options.name)) is not None and same(found, value):
            return node
    if options.name in bound_at_top(node.body):
        raise RepairError(f"`{options.name}` already means something else in this file")
    target = cst.AssignTarget(target=identifier(options.name))
    place = _place(node.body, _names(value))
    first = place == 0 or not _is_constant(node.body[place - 1])
    leading = [cst.EmptyLine(indent=False)] if first and place else []
    if options.comment:
        leading.append(cst.EmptyLine(comment=cst.Comment(f"# {options.comment}")))
    line = cst.SimpleStatementLine(body=[cst.Assign(targets=[target], value=value)], leading_lines=leading)
    return node.with_changes(body=[*node.body[:place], line, *node.body[place:]])


def _defined(line: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    if isinstance(line, cst.SimpleStatementLine):
        for small in line.body:
            if isinstance(small, cst.Assign) and any(
                isinstance(t.target, cst.Name) and t.target.value == name for t in small.targets
            ):
                return small.value
    return None


def _is_constant(line: cst.CSTNode) -> bool:
    """Whether a line is one that an earlier repair of this kind may have left."""
    return isinstance(line, cst.SimpleStatementLine) and any(
        isinstance(small, cst.Assign)
        and isinstance(small.targets[0].target, cst.Name)
        and small.targets[0].target.value.lstrip("_").isupper()
        for small in line.body
    )


class _Names(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:  # noqa: N802 - the visitor's interface
        self.found.add(node.value)


def _names(value: cst.BaseExpression) -> set[str]:
    finder = _Names()
    value.visit(finder)
    return finder.found


def _place(body: Sequence[cst.CSTNode], needed: set[str]) -> int:
    """After the imports that open the file, after constants like it, and after what it needs itself."""
    place = 0
    for index, line in enumerate(body):
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            break
        if is_import_like(line) or (place and place == index and _is_constant(line)):
            place = index + 1
    for index, line in enumerate(body):
        if needed & bound_at_top([line]):
            place = max(place, index + 1)
    return place or (1 if body and _is_docstring(body[0]) else 0)


def _is_docstring(line: cst.CSTNode) -> bool:
    first = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)
