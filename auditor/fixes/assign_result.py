"""Keep the value of an expression statement in a variable: `f(x)` becomes `name = f(x)`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._expressions import identifier

ACTS_ON = (cst.Expr, cst.Assign, cst.AnnAssign)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name` is the variable; an assignment that stands there already is left as it is."""

    name: str


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:  # noqa: ARG001 - one interface
    """The statement that is the spanned expression."""
    found = next((node for node in reversed(path) if isinstance(node, cst.BaseSmallStatement)), None)
    inner = path[path.index(found) + 1 :] if found is not None else ()
    alone = all(isinstance(node, cst.Await) for node in inner[:-1])
    if not isinstance(found, ACTS_ON) or (isinstance(found, cst.Expr) and not alone):
        raise RepairError("The value is not that of a statement of its own")
    return found


def fix(node: cst.BaseSmallStatement, options: Options) -> cst.BaseSmallStatement:
    """The assignment."""
    if not isinstance(node, cst.Expr):
        return node
    target = cst.AssignTarget(target=identifier(options.name))
    return cst.Assign(targets=[target], value=node.value, semicolon=node.semicolon)
