"""Pass one more keyword argument in a call, laid out as the others are and before any `**` unpacking."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._calls import equals, keyword_index, listing, with_arguments
from auditor.fixes._expressions import WIDTH, as_argument, bracketed, code, expression, identifier, over_lines, same

ACTS_ON = cst.Call


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`value` is the source text of an expression."""

    name: str
    value: str


def fix(node: cst.Call, options: Options) -> cst.Call:
    """The call with `name=value`."""
    value = as_argument(expression(options.value))
    present = keyword_index(node, options.name)
    if present is not None:
        found = node.args[present].value
        if not same(found, value):
            raise RepairError(f"The call already passes `{options.name}={code(found)}`")
        return node
    argument = cst.Arg(keyword=identifier(options.name), equal=equals(node), value=value)
    arguments = listing(node)
    _bracket_lone_generator(arguments.items)
    index = _place(node)
    arguments.insert(index, argument)
    gap = arguments.gaps[index]
    if isinstance(gap, cst.ParenthesizedWhitespace) and len(gap.last_line.value) + len(code(argument)) > WIDTH:
        arguments.items[index] = argument.with_changes(value=over_lines(value, gap.last_line.value))
    return with_arguments(node, arguments)


def _place(node: cst.Call) -> int:
    for index, argument in enumerate(node.args):
        if argument.star == "**":
            return index
    return len(node.args)


def _bracket_lone_generator(items: list[cst.Arg]) -> None:
    """`f(x for x in y)` may go without brackets of its own only while it is alone."""
    if len(items) == 1 and isinstance(items[0].value, cst.GeneratorExp) and not items[0].value.lpar:
        items[0] = items[0].with_changes(value=bracketed(items[0].value))
