"""Tells of a `try` around imports of the provider whether its body runs through, or fails at once."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from auditor.consumer.guards import caught
from auditor.consumer.imports import absolute
from auditor.prune.computing import Computer
from auditor.prune.releases import Asked
from auditor.prune.scopes import FileScopes

_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError"})


def tried(computer: Computer, node: ast.Try, file: FileScopes) -> bool | None:
    """Whether the body of a `try` that catches failed imports runs through; False where its first import fails.

    None where that depends on more than the release: what else is caught, done or imported, or on the provider being
    installed at all.
    """
    if len(node.handlers) != 1 or node.finalbody or not caught(node.handlers) <= _CAUGHT:
        return None
    if not all(isinstance(s, ast.Import | ast.ImportFrom) or _is_plain(s) for s in node.body):
        return None
    imports = [s for s in node.body if isinstance(s, ast.Import | ast.ImportFrom)]
    verdicts = [_imported(computer, statement, file) for statement in imports]
    if verdicts and all(verdicts):
        return _sure(computer, node, file)
    if verdicts and verdicts[0] is False and imports[0] is node.body[0] and node.handlers[0].name is None:
        missing = caught(node.handlers) == {"ModuleNotFoundError"} and not _lacks_module(computer.release, imports[0])
        return None if missing else False
    return None


def _sure(computer: Computer, node: ast.Try, file: FileScopes) -> bool | None:
    """That a body runs through, unless its handler may be there for when the provider is not installed."""
    handler = node.handlers[0].body
    if needs(handler, computer.release, file):
        return True
    if isinstance(handler[-1], ast.Raise):
        return None  # it says what is missing, in better words
    if not computer.claim.required:
        return None
    computer.doubts.add("the import can fail for another reason than the release, such as a part that was not built")
    return True


def needs(body: Sequence[ast.stmt], release: Asked, file: FileScopes) -> bool:
    """Whether a block fails where the provider is not installed: it imports from it, without another way out."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if any(release.owns(path) for path, _ in _asked_for(statement, file)):
                return True
        elif isinstance(statement, ast.Try):
            ways_out = [handler.body for handler in statement.handlers]
            return needs(statement.body, release, file) and all(
                needs(way, release, file) or isinstance(way[-1], ast.Raise) for way in ways_out
            )
    return False


def _imported(computer: Computer, statement: ast.Import | ast.ImportFrom, file: FileScopes) -> bool | None:
    verdicts: list[bool | None] = []
    for module, name in _asked_for(statement, file):
        if not computer.release.owns(module) or name == "*":
            return None
        computer.asked.add(f"{module}.{name}" if name else module)
        verdicts.append(computer.release.imported(module, name))
    return False if verdicts[0] is False else None if None in verdicts or False in verdicts else True


def _asked_for(statement: ast.Import | ast.ImportFrom, file: FileScopes) -> list[tuple[str, str | None]]:
    if isinstance(statement, ast.Import):
        return [(alias.name, None) for alias in statement.names]
    where = absolute(statement, file.module, is_package=file.is_package)
    return [(where, alias.name) for alias in statement.names]


def _lacks_module(release: Asked, statement: ast.Import | ast.ImportFrom) -> bool:
    module = statement.module if isinstance(statement, ast.ImportFrom) else statement.names[0].name
    return release.imported(module or "", None) is False


def _is_plain(statement: ast.stmt) -> bool:
    """`HAS_IT = True`"""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case _:
            return False
