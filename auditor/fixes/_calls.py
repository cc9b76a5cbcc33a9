"""Reading and writing the argument list of a call."""

from __future__ import annotations

import libcst as cst

from auditor.fixes import RepairError
from auditor.fixes._lists import NOTHING, Listing


def listing(call: cst.Call) -> Listing:
    """The arguments of a call with their layout."""
    return Listing.read(list(call.args), call.whitespace_before_args)


def with_arguments(call: cst.Call, arguments: Listing) -> cst.Call:
    """The call with other arguments."""
    return call.with_changes(args=arguments.written(), whitespace_before_args=arguments.gaps[0])


def keyword_index(call: cst.Call, name: str) -> int | None:
    """Where the keyword argument stands, if it is passed."""
    for index, argument in enumerate(call.args):
        if argument.keyword is not None and argument.keyword.value == name:
            return index
    return None


def positional_index(call: cst.Call, position: int) -> int | None:
    """Where positional argument number `position` (from 0) stands; None if fewer are passed."""
    seen = 0
    for index, argument in enumerate(call.args):
        if argument.star == "*":
            raise RepairError(f"Positional argument {position} cannot be counted: `*` unpacking comes first")
        if argument.keyword is None and not argument.star:
            if seen == position:
                return index
            seen += 1
    return None


def equals(call: cst.Call) -> cst.AssignEqual:
    """`=` written as the other keyword arguments of this call write it."""
    for argument in call.args:
        if isinstance(argument.equal, cst.AssignEqual):
            return argument.equal.with_changes()
    return cst.AssignEqual(whitespace_before=NOTHING, whitespace_after=NOTHING)
