"""Set an attribute on `self` once, at the end of the `__init__` of the class around the spanned node."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from auditor.fixes import Around, RepairError
from auditor.fixes._expressions import code, dotted_text, expression, identifier, same

ACTS_ON = (cst.BaseCompoundStatement, cst.BaseSmallStatement)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`self.name = value`, after the last statement of `__init__`, or before it if that is a `return` or `raise`."""

    name: str
    value: str
    receiver: str = "self"


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:
    """The last statement of the innermost class's `__init__`, unless that assigns the attribute so already."""
    owner = next((node for node in reversed(path) if isinstance(node, cst.ClassDef)), None)
    if owner is None:
        raise RepairError("No class stands around this place")
    for node in owner.body.body:
        if isinstance(node, cst.FunctionDef) and node.name.value == "__init__":
            last: cst.CSTNode = node.body.body[-1]
            last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
            return None if _assigned(node, options) else last
    raise RepairError(f"`{owner.name.value}` has no `__init__` of its own")


def fix(node: cst.CSTNode, options: Options) -> Around:
    """The statement with the assignment beside it."""
    target = cst.Attribute(value=identifier(options.receiver), attr=identifier(options.name))
    small = cst.Assign(targets=[cst.AssignTarget(target=target)], value=expression(options.value))
    line = cst.SimpleStatementLine(body=[small])
    return Around(node, before=(line,)) if isinstance(node, cst.Return | cst.Raise) else Around(node, after=(line,))


def _assigned(node: cst.FunctionDef, options: Options) -> bool:
    first = [*node.params.posonly_params, *node.params.params][:1]
    if not first or first[0].name.value != options.receiver:
        raise RepairError(f"`__init__` takes no `{options.receiver}`")
    finder = _Finder(f"{options.receiver}.{options.name}")
    node.body.visit(finder)
    for value in finder.values:
        if not same(value, expression(options.value)):
            raise RepairError(f"`__init__` already sets `{options.name}` to `{code(value)}`")
    return bool(finder.values)


class _Finder(cst.CSTVisitor):
    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target
        self.values: list[cst.BaseExpression] = []

    def visit_Assign(self, node: cst.Assign) -> None:  # noqa: N802 - the visitor's interface
        if any(dotted_text(target.target) == self.target for target in node.targets):
            self.values.append(node.value)
