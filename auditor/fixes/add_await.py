"""Put `await` before an expression inside an async function."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from auditor.fixes import RepairError

ACTS_ON = cst.BaseExpression


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No options."""


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:  # noqa: ARG001 - one interface
    """The spanned expression, unless it is awaited already."""
    node = next((n for n in reversed(path) if isinstance(n, cst.BaseExpression)), None)
    if node is None:
        raise RepairError("No expression stands here")
    if isinstance(node, cst.Await) or isinstance(path[path.index(node) - 1], cst.Await):
        return None
    for outer in reversed(path):
        if isinstance(outer, cst.FunctionDef) and outer.asynchronous is not None:
            return node
        if isinstance(outer, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            break
    raise RepairError("`await` needs an async function around it")


def fix(node: cst.BaseExpression, options: Options) -> cst.Await:  # noqa: ARG001 - one interface
    """The awaited expression."""
    if isinstance(node, cst.Await):
        return node
    inner = node
    if not node.lpar and not isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        inner = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Await(expression=inner)
