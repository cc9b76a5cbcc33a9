"""Remove `await` from before an expression."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

ACTS_ON = cst.Await


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No options."""


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:  # noqa: ARG001 - one interface
    """The `await` itself or the one right before the spanned expression."""
    if isinstance(path[-1], cst.Await):
        return path[-1]
    parent = path[-2] if len(path) > 1 else None
    return parent if isinstance(parent, cst.Await) else None


def fix(node: cst.Await, options: Options) -> cst.BaseExpression:  # noqa: ARG001 - one interface
    """What was awaited."""
    return node.expression
