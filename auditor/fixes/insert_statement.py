"""Insert statements before or after the one that contains the spanned node."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Literal

import libcst as cst
import msgspec

from auditor.fixes import Around, RepairError
from auditor.fixes._expressions import code

ACTS_ON = (cst.BaseCompoundStatement, cst.BaseSmallStatement)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`text` is one or more statements, without the indentation of the place."""

    text: str
    where: Literal["before", "after"] = "before"


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:
    """The statement to stand beside, unless the new one stands there already."""
    depth = max((i for i, node in enumerate(path) if isinstance(node, ACTS_ON)), default=0)
    if depth == 0:
        raise RepairError("No statement stands here")
    node, holder = path[depth], path[depth - 1]
    if isinstance(node, cst.If) and isinstance(holder, cst.If):
        raise RepairError("Nothing can be inserted beside an `elif`")
    if isinstance(holder, cst.SimpleStatementLine) and len(holder.body) == 1:
        return None if _is_beside(holder, path[depth - 2], options) else node
    return None if _is_beside(node, holder, options) else node


def fix(node: cst.CSTNode, options: Options) -> Around:
    """The statement with its new neighbours."""
    new = _parse(options.text)
    return Around(node, before=new) if options.where == "before" else Around(node, after=new)


def _parse(text: str) -> tuple[cst.SimpleStatementLine | cst.BaseCompoundStatement, ...]:
    try:
        module = cst.parse_module(textwrap.dedent(text).strip("\n") + "\n")
    except (cst.ParserSyntaxError, RecursionError) as error:
        raise RepairError(f"`{text}` is not a statement") from error
    if not module.body:
        raise RepairError("`insert-statement` has no statement to insert")
    first, *rest = module.body
    return (first.with_changes(leading_lines=[*module.header, *first.leading_lines]), *rest)


def _is_beside(node: cst.CSTNode, holder: cst.CSTNode, options: Options) -> bool:
    siblings: Sequence[cst.CSTNode] = getattr(holder, "body", ())
    index = next((i for i, sibling in enumerate(siblings) if sibling is node), None)
    if index is None:
        return False
    new = [_plain(line) for line in _parse(options.text)]
    start = index - len(new) if options.where == "before" else index + 1
    return start >= 0 and [_plain(sibling) for sibling in siblings[start : start + len(new)]] == new


def _plain(node: cst.CSTNode) -> str:
    if isinstance(node, cst.BaseSmallStatement):
        node = node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    elif isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        node = node.with_changes(leading_lines=())
    return code(node).strip()
