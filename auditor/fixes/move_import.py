"""Import one name from another module; the other names of the statement stay where they are."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
import msgspec
from libcst.metadata import MetadataWrapper

from auditor.fixes import Around, RepairError
from auditor.fixes._expressions import dotted, dotted_text
from auditor.fixes._imports import (
    alias_index,
    aliases,
    comment_after,
    from_import,
    local_name,
    module_text,
    renamed,
    with_module,
    without,
)
from auditor.fixes._scopes import dotted_uses

ACTS_ON = (cst.ImportFrom, cst.Import)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`from module import name` becomes `from new_module import name`; `import name` becomes `import new_module`.

    With `new_name` the name is another one there, and goes on under its old one in this file.
    """

    name: str
    new_module: str
    module: str | None = None
    """When given, what the statement must import from."""
    new_name: str | None = None


def follow(
    wrapper: MetadataWrapper, node: cst.ImportFrom | cst.Import, options: Options
) -> Mapping[cst.CSTNode, cst.CSTNode]:
    """The uses of `a.b` that a plain `import a.b` served."""
    if isinstance(node, cst.ImportFrom):
        return {}
    alias = _plain(node, options.name)
    if alias is None or alias.asname is not None:
        return {}
    return {use: dotted(options.new_module) for use in dotted_uses(wrapper, node, options.name)}


def fix(node: cst.ImportFrom | cst.Import, options: Options) -> cst.CSTNode | Around:
    """The statement, and a new one where only some of its names moved."""
    if isinstance(node, cst.Import):
        return _fix_plain(node, options)
    if module_text(node) == options.new_module:
        return node
    index = alias_index(node, options.name)
    if index is None or options.module not in (None, module_text(node)):
        raise RepairError(f"`{options.name}` is not imported from `{options.module or module_text(node)}` here")
    names = aliases(node)
    moved = names[index]
    if options.new_name is not None and options.new_name != options.name:
        moved = renamed(moved, options.new_name, bind=local_name(moved))
    if len(names) == 1:
        return with_module(node.with_changes(names=[moved]), options.new_module)
    comment = comment_after(node, index)
    trailing = cst.TrailingWhitespace(whitespace=cst.SimpleWhitespace("  " if comment else ""), comment=comment)
    line = cst.SimpleStatementLine(body=[from_import(options.new_module, moved)], trailing_whitespace=trailing)
    return Around(without(node, index), after=(line,))


def _fix_plain(node: cst.Import, options: Options) -> cst.Import:
    alias = _plain(node, options.name)
    if alias is None:
        if _plain(node, options.new_module) is not None:
            return node
        raise RepairError(f"`{options.name}` is not imported here")
    moved = alias.with_changes(name=dotted(options.new_module))
    return node.with_changes(names=[moved if name is alias else name for name in node.names])


def _plain(node: cst.Import, name: str) -> cst.ImportAlias | None:
    return next((alias for alias in node.names if dotted_text(alias.name) == name), None)
