"""Rename the attribute of an access: `x.old` becomes `x.new`, or `x.inner.new`."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._expressions import identifier

ACTS_ON = cst.Attribute


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`new_name` may be dotted; `name`, when given, must be what stands there."""

    new_name: str
    name: str | None = None


def fix(node: cst.Attribute, options: Options) -> cst.Attribute:
    """The access by its new name."""
    *inner, last = options.new_name.split(".")
    if _ends_with(node, [*inner, last]):
        return node
    if options.name is not None and node.attr.value != options.name:
        raise RepairError(f"The attribute here is `{node.attr.value}`, not `{options.name}`")
    value = node.value
    for name in inner:
        value = cst.Attribute(value=value, attr=identifier(name))
    return node.with_changes(value=value, attr=node.attr.with_changes(value=identifier(last).value))


def _ends_with(node: cst.BaseExpression, names: list[str]) -> bool:
    for name in reversed(names):
        if not isinstance(node, cst.Attribute) or node.attr.value != name:
            return False
        node = node.value
    return True
