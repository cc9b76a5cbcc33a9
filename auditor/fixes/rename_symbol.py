"""Import a name under its new name, and either rename its uses in the file or keep the old name by `as`."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
import msgspec
from libcst.metadata import MetadataWrapper

from auditor.fixes import RepairError
from auditor.fixes._expressions import identifier
from auditor.fixes._imports import alias_index, aliases, local_name, module_text, renamed
from auditor.fixes._scopes import NotAloneError, uses_of_import

ACTS_ON = cst.ImportFrom


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`from m import name` becomes `from m import new_name`, or `import new_name as name` with `keep`.

    The old name is also kept where its uses cannot all be told apart, such as after two alternative imports.
    """

    name: str
    new_name: str
    keep: bool = False


def follow(wrapper: MetadataWrapper, node: cst.ImportFrom, options: Options) -> Mapping[cst.CSTNode, cst.CSTNode]:
    """The import itself with the uses of its name."""
    index = alias_index(node, options.name)
    if index is None:
        return {}
    alias = aliases(node)[index]
    if options.keep or alias.asname is not None:
        return {alias: renamed(alias, options.new_name, bind=local_name(alias))}
    try:
        uses = uses_of_import(wrapper, node, options.name, options.new_name)
    except NotAloneError:
        uses = None
    if uses is None or _exports(wrapper.module, options.name):
        return {alias: renamed(alias, options.new_name, bind=options.name)}
    edits: dict[cst.CSTNode, cst.CSTNode] = {use: use.with_changes(value=options.new_name) for use in uses}
    edits[alias] = renamed(alias, options.new_name, bind=None)
    return edits


def fix(node: cst.ImportFrom, options: Options) -> cst.ImportFrom:
    """The statement as `follow` has left it."""
    identifier(options.new_name)
    if alias_index(node, options.new_name) is None:
        raise RepairError(f"`{options.name}` is not imported from `{module_text(node)}` here")
    return node


def _exports(module: cst.Module, name: str) -> bool:
    """Whether the file names the import in a string, as `__all__` does."""
    finder = _Strings(name)
    module.visit(finder)
    return finder.found


class _Strings(cst.CSTVisitor):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.found = False

    def visit_SimpleString(self, node: cst.SimpleString) -> None:  # noqa: N802 - the visitor's interface
        if node.raw_value == self.name:
            self.found = True
