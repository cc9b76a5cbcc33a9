"""Remove an argument from a call, by keyword or by position, with its line if it has one of its own."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._calls import keyword_index, listing, positional_index, with_arguments
from auditor.fixes._expressions import code

ACTS_ON = cst.Call


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give either `name` or `position` (from 0)."""

    name: str | None = None
    position: int | None = None
    expect: str | None = None
    """Source text of the positional value; another value there means that it was removed before."""


def fix(node: cst.Call, options: Options) -> cst.Call:
    """The call without that argument."""
    if (options.name is None) == (options.position is None):
        raise RepairError("`remove-argument` needs either `name` or `position`")
    if options.name is not None:
        index = keyword_index(node, options.name)
    else:
        index = positional_index(node, options.position or 0)
    if index is None:
        return node
    if options.expect is not None and code(node.args[index].value) != options.expect:
        return node
    arguments = listing(node)
    arguments.remove(index)
    return with_arguments(node, arguments)
