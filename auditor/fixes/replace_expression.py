"""Replace an expression by another one, given as text."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._expressions import code, expression

ACTS_ON = cst.BaseExpression
DISCARDS = True


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`expect`, when given, is the source text that must stand there."""

    text: str
    expect: str | None = None


def fix(node: cst.BaseExpression, options: Options) -> cst.BaseExpression:
    """The new expression."""
    new = expression(options.text)
    found = code(node.with_changes(lpar=(), rpar=()))
    if found == code(new.with_changes(lpar=(), rpar=())):
        return node
    if options.expect is not None and found != options.expect:
        raise RepairError(f"The expression here is `{found}`, not `{options.expect}`")
    return new
