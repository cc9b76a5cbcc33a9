"""Rename a keyword argument of a call."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._calls import keyword_index
from auditor.fixes._expressions import identifier

ACTS_ON = cst.Call


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name=value` becomes `new_name=value`."""

    name: str
    new_name: str


def fix(node: cst.Call, options: Options) -> cst.Call:
    """The call with the argument under its new name."""
    old, new = keyword_index(node, options.name), keyword_index(node, options.new_name)
    if old is None:
        if new is None:
            raise RepairError(f"The call passes neither `{options.name}` nor `{options.new_name}` by name")
        return node
    if new is not None:
        raise RepairError(f"The call passes both `{options.name}` and `{options.new_name}`")
    arguments = list(node.args)
    arguments[old] = arguments[old].with_changes(keyword=identifier(options.new_name))
    return node.with_changes(args=arguments)
