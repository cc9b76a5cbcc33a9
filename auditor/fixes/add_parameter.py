"""Let a function accept one more parameter, with a default."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes._expressions import expression, identifier
from auditor.fixes._lists import NOTHING, SPACE
from auditor.fixes._parameters import add, find

ACTS_ON = cst.FunctionDef


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name: annotation = default`, after the positional parameters or, with `keyword_only`, the keyword-only ones."""

    name: str
    default: str = "None"
    annotation: str | None = None
    keyword_only: bool = False


def fix(node: cst.FunctionDef, options: Options) -> cst.FunctionDef:
    """The function with that parameter, unless it has it."""
    name = identifier(options.name)
    if find(node.params, options.name) is not None:
        return node
    annotation = cst.Annotation(annotation=expression(options.annotation)) if options.annotation else None
    gap = SPACE if annotation else NOTHING
    equal = cst.AssignEqual(whitespace_before=gap, whitespace_after=gap)
    new = cst.Param(name=name, annotation=annotation, equal=equal, default=expression(options.default), star="")
    return add(node, new, keyword_only=options.keyword_only)
