"""Import a name from the first of several places that has it: `try` the newest, and the old one where that fails."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import msgspec

from auditor.fixes import Around, RepairError
from auditor.fixes._imports import (
    alias_index,
    aliases,
    attempt,
    comment_after,
    from_import,
    local_name,
    module_text,
    renamed,
    without,
)

ACTS_ON = cst.SimpleStatementLine


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`places` are `module:name` with blanks between, first to last; the last resort is the import as it is."""

    name: str
    places: str


def anchor(path: Sequence[cst.CSTNode], options: Options) -> cst.CSTNode | None:
    """The line of the import, unless that is the last resort already."""
    line = next((node for node in reversed(path) if isinstance(node, cst.SimpleStatementLine)), None)
    if line is None or not any(isinstance(small, cst.ImportFrom) for small in line.body):
        raise RepairError("No `from ... import ...` stands here")
    places = [_place(text) for text in options.places.split()]
    tried = [_tried(outer) for outer in path if isinstance(outer, cst.Try)]
    return None if all(place in tried for place in places) else line


def fix(node: cst.SimpleStatementLine, options: Options) -> cst.CSTNode | Around:
    """The line without the name, and the alternatives after it; or these alone."""
    if len(node.body) != 1 or not isinstance(node.body[0], cst.ImportFrom):
        raise RepairError("The import shares its line with other statements")
    statement = node.body[0]
    index = alias_index(statement, options.name)
    if index is None:
        raise RepairError(f"`{options.name}` is not imported from `{module_text(statement)}` here")
    names = aliases(statement)
    alias = names[index].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    comment = node.trailing_whitespace.comment if len(names) == 1 else comment_after(statement, index)
    chosen = _chosen(statement, alias, options, comment)
    if len(names) == 1:
        return chosen.with_changes(leading_lines=node.leading_lines)
    chosen = chosen.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return Around(node.with_changes(body=[without(statement, index)]), after=(chosen,))


def _chosen(node: cst.ImportFrom, alias: cst.ImportAlias, options: Options, comment: cst.Comment | None) -> cst.Try:
    old = cst.ImportFrom(module=node.module, relative=node.relative, names=[alias])
    places = [_place(text) for text in options.places.split()]
    news = [from_import(module, renamed(alias, name, bind=local_name(alias))) for module, name in places]
    result: cst.SimpleStatementLine | cst.Try = cst.SimpleStatementLine(body=[old])
    for new in reversed(news):
        result = attempt(new, result)
    assert isinstance(result, cst.Try)
    if comment is None:
        return result
    first = result.body.body[0]
    trailing = cst.TrailingWhitespace(whitespace=cst.SimpleWhitespace("  "), comment=comment)
    return result.with_deep_changes(first, trailing_whitespace=trailing)


def _place(text: str) -> tuple[str, str]:
    module, _, name = text.partition(":")
    return module, name


def _tried(node: cst.Try) -> tuple[str, str] | None:
    """What the body of a `try` imports, where that is one name."""
    line = node.body.body[0] if node.body.body else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.ImportFrom) or isinstance(small.names, cst.ImportStar):
        return None
    name = small.names[0].evaluated_name
    return module_text(small), name
