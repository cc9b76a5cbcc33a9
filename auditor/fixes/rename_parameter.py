"""Rename a parameter of a function together with its uses in the body."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
import msgspec
from libcst.metadata import MetadataWrapper

from auditor.fixes import RepairError
from auditor.fixes._expressions import identifier
from auditor.fixes._parameters import find
from auditor.fixes._scopes import NotAloneError, uses_of_parameter

ACTS_ON = cst.FunctionDef


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`def f(name)` becomes `def f(new_name)`."""

    name: str
    new_name: str


def follow(wrapper: MetadataWrapper, node: cst.FunctionDef, options: Options) -> Mapping[cst.CSTNode, cst.CSTNode]:
    """The parameter's name and the places in the body that use it."""
    parameter = find(node.params, options.name)
    if parameter is None:
        return {}
    if find(node.params, options.new_name) is not None:
        raise RepairError(f"The function has both `{options.name}` and `{options.new_name}`")
    try:
        uses = uses_of_parameter(wrapper, node, options.name, options.new_name)
    except NotAloneError as error:
        what = f"`{options.new_name}` is used in `{node.name.value}` already, or some `{options.name}` is unclear"
        raise RepairError(what) from error
    edits: dict[cst.CSTNode, cst.CSTNode] = {use: use.with_changes(value=options.new_name) for use in uses}
    edits[parameter.name] = parameter.name.with_changes(value=identifier(options.new_name).value)
    return edits


def fix(node: cst.FunctionDef, options: Options) -> cst.FunctionDef:
    """The function as `follow` has left it."""
    if find(node.params, options.new_name) is None:
        raise RepairError(f"`{node.name.value}` has no parameter `{options.name}`")
    return node
