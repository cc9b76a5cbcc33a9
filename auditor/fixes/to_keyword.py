"""Pass a positional argument of a call by keyword."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._calls import equals, keyword_index, positional_index
from auditor.fixes._expressions import as_argument, identifier

ACTS_ON = cst.Call


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Positional argument number `position` (from 0) becomes `name=`; those after it must become keywords too."""

    position: int
    name: str


def fix(node: cst.Call, options: Options) -> cst.Call:
    """The call with that argument by name."""
    if keyword_index(node, options.name) is not None:
        return node
    index = positional_index(node, options.position)
    if index is None:
        raise RepairError(f"The call has no positional argument {options.position}")
    if any(later.keyword is None and later.star != "**" for later in node.args[index + 1 :]):
        raise RepairError(f"A positional argument follows number {options.position}, which can then not be a keyword")
    arguments = list(node.args)
    value = as_argument(arguments[index].value)
    arguments[index] = arguments[index].with_changes(keyword=identifier(options.name), equal=equals(node), value=value)
    return node.with_changes(args=arguments)
