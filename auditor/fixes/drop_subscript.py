"""Drop the subscript after an expression: `f(...)[0]` becomes `f(...)`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._expressions import code

ACTS_ON = cst.Subscript


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`index`, when given, is the source text that must stand between the brackets."""

    index: str | None = None


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:  # noqa: ARG001 - one interface
    """The subscript itself, or the one right after the spanned expression (or its `await`)."""
    if isinstance(path[-1], cst.Subscript):
        return path[-1]
    node = path[-1]
    for parent in reversed(path[:-1]):
        if isinstance(parent, cst.Subscript) and parent.value is node:
            return parent
        if not isinstance(parent, cst.Await):
            return None
        node = parent
    return None


def fix(node: cst.Subscript, options: Options) -> cst.BaseExpression:
    """What was subscripted."""
    found = ", ".join(code(element.slice) for element in node.slice)
    if options.index is not None and found != options.index:
        raise RepairError(f"The subscript here is `[{found}]`, not `[{options.index}]`")
    value = node.value
    if isinstance(value, cst.Await) and len(value.lpar) == 1:
        return value.with_changes(lpar=(), rpar=())
    return value
