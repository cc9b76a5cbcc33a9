"""Edits one file: guards out, then what only they used, with the proofs that need no release."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import libcst as cst

from auditor.codemod import MAX_BYTES
from auditor.consumer.places import Places
from auditor.decoding import decode_leniently
from auditor.errors import AuditError
from auditor.fixes import RepairError
from auditor.fixes._expressions import code
from auditor.fixes._places import PlacedFile, read
from auditor.patches import proofs
from auditor.prune.guarding import Guard
from auditor.prune.leftovers import Leftover
from auditor.prune.rewriting import Cuts, Rewriter
from auditor.prune.scopes import FileScopes, Scope

_KINDS: dict[str, type[cst.CSTNode] | tuple[type[cst.CSTNode], ...]] = {
    "branch": cst.If,
    "choice": cst.IfExp,
    "try": cst.Try,
    "operand": (cst.BaseExpression,),
}
Leftovers: TypeAlias = Callable[[FileScopes, FileScopes, str], Iterable[Leftover]]
"""What of a file is not needed any more: as it was, as it is, and its text."""


def without_guards(
    path: str, source: bytes, file: FileScopes, guards: Sequence[Guard], leftovers: Leftovers
) -> tuple[bytes, dict[int, str]]:
    """The file without its guards, and why some of them had to stay, by their position.

    Guards that cannot go together are tried one by one.
    """
    try:
        return _edited(path, source, file, guards, leftovers), {}
    except AuditError as error:
        if len(guards) == 1:
            return source, {0: error.what}
    reasons: dict[int, str] = {}
    kept: list[Guard] = []
    after = source
    for number, guard in enumerate(guards):
        try:
            after = _edited(path, source, file, [*kept, guard], leftovers)
            kept.append(guard)
        except AuditError as error:  # noqa: PERF203 - each one has its own reason
            reasons[number] = error.what
    return after, reasons


def _edited(path: str, source: bytes, file: FileScopes, guards: Sequence[Guard], leftovers: Leftovers) -> bytes:
    if len(source) > MAX_BYTES:
        raise RepairError(f"The file is larger than {MAX_BYTES // 1000} kB", where=path)
    placed = read(source)
    places = Places(path, decode_leniently(source))
    cuts = Cuts()
    touched: list[cst.CSTNode] = []
    for guard in guards:
        node = placed.find(places.span(guard.node), _KINDS[guard.kind])
        if not _is_meant(node, guard):
            raise RepairError("It cannot be told apart from what stands around it", where=path)
        touched.append(node)
        if guard.kind == "try":
            cuts.tries[node] = guard.truth
        elif guard.kind == "operand":
            cuts.operands.add(node)
        else:
            cuts.branches[node] = guard.truth
    after = _carried_out(path, source, placed, cuts, touched)
    while True:
        now = parsed(after, file)
        _refuse_changed_names(file, now, path)
        found = list(leftovers(file, now, decode_leniently(after)))
        if not found:
            return after
        placed, cuts = read(after), Cuts()
        places = Places(path, decode_leniently(after))
        touched = []
        for leftover in found:
            node = placed.find(places.span(leftover.statement), (cst.BaseSmallStatement, cst.BaseCompoundStatement))
            line = placed.path(node)[-2] if isinstance(node, cst.BaseSmallStatement) else node
            if leftover.alias is not None:
                cuts.aliases.setdefault(node, set()).add(leftover.alias)
            elif not isinstance(line, cst.SimpleStatementLine) or len(line.body) == 1:
                cuts.statements.add(line)
            touched.append(node)
        for node, gone in list(cuts.aliases.items()):
            if (
                isinstance(node, cst.Import | cst.ImportFrom)
                and not isinstance(node.names, cst.ImportStar)
                and len(gone) == len(node.names)
            ):
                del cuts.aliases[node]
                cuts.statements.add(placed.path(node)[-2])
        slimmer = _carried_out(path, after, placed, cuts, touched)
        if slimmer == after:
            return after
        after = slimmer


def parsed(source: bytes, like: FileScopes) -> FileScopes:
    """The scopes of another content of a file."""
    tree = proofs.tree(source)
    if tree is None:
        raise RepairError("The file would no longer be valid Python")
    return FileScopes(tree, like.module, is_package=like.is_package)


def _is_meant(node: cst.CSTNode, guard: Guard) -> bool:
    """Whether a node is the one that was found: positions inside f-strings are not to be relied on."""
    if isinstance(guard.node, ast.Try):
        return isinstance(node, cst.Try)
    test = node.test if isinstance(node, cst.If | cst.IfExp) else node
    try:
        return ast.dump(ast.parse(f"({code(test)})", mode="eval").body) == ast.dump(guard.test)
    except SyntaxError:
        return False


def _carried_out(path: str, source: bytes, placed: PlacedFile, cuts: Cuts, touched: Sequence[cst.CSTNode]) -> bytes:
    try:
        module = placed.wrapper.module.visit(Rewriter(placed, cuts))
    except (cst.CSTValidationError, RecursionError) as error:
        raise RepairError(f"It cannot be taken out: {error}", where=path) from error
    assert isinstance(module, cst.Module)
    after = module.bytes
    if not proofs.compiles(after) and (proofs.compiles(source) or proofs.tree(after) is None):
        raise RepairError("The file would no longer be valid Python", where=path)
    if not proofs.untouched(source, after, _footprint(placed, touched)):
        raise RepairError("Lines outside the guard would change", where=path)
    return after


def _footprint(placed: PlacedFile, touched: Sequence[cst.CSTNode]) -> list[tuple[int, int]]:
    """The lines of what goes or shrinks, and of the blank lines around it."""
    return sorted((start - 1, end + 3) for start, end in (_lines(placed, node) for node in touched))


def _lines(placed: PlacedFile, node: cst.CSTNode) -> tuple[int, int]:
    """The first and the last line that change with a node; in a function all to the end of a block may go."""
    around = placed.path(node)
    statement = next(n for n in reversed(around) if isinstance(n, cst.SimpleStatementLine | cst.BaseCompoundStatement))
    if statement is not node and not isinstance(statement, cst.SimpleStatementLine):
        return placed.positions[node].start.line, placed.positions[node].end.line
    while isinstance(statement, cst.If) and isinstance(outer := placed.parents[statement], cst.If):
        statement = outer
    start = placed.positions[statement].start.line - len(statement.leading_lines)
    end = placed.positions[statement].end.line
    block = placed.parents[statement]
    if isinstance(statement, cst.If | cst.Try) and any(isinstance(n, cst.FunctionDef) for n in around):
        assert isinstance(block, cst.IndentedBlock)
        end = placed.positions[block.body[-1]].end.line
    return start, end


def _refuse_changed_names(before: FileScopes, after: FileScopes, path: str) -> None:
    """A name that is still read must still be bound where it was, and a generator must stay one."""
    bound = {(scope.name, name) for scope in after.scopes for name in scope.bindings}
    for scope in before.scopes:
        for name in scope.bindings:
            if (scope.name, name) in bound:
                continue
            if any(n.id == name and _is_lost(n, scope, after) for n in _loads(after.tree)):
                raise RepairError(f"`{name}` would be read and no longer set", where=path)
    for name, kinds in _generators(after).items():
        if kinds - _generators(before).get(name, kinds):
            raise RepairError(f"`{name}` would no longer be a generator", where=path)


def _loads(tree: ast.Module) -> Iterable[ast.Name]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _is_lost(node: ast.Name, scope: Scope, after: FileScopes) -> bool:
    """Whether a name that is read got its value from a scope that no longer sets it."""
    here = after.of[id(node)]
    owner = here.find(node.id)
    return _within(scope.name, here.name) and (owner is None or not _within(scope.name, owner.name))


def _within(outer: str, inner: str) -> bool:
    return not outer or inner == outer or inner.startswith(f"{outer}.")


def _generators(file: FileScopes) -> dict[str, set[bool]]:
    found: dict[str, set[bool]] = {}
    for scope in file.scopes:
        if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
            yields = any(
                isinstance(n, ast.Yield | ast.YieldFrom) and file.of[id(n)] is scope for n in ast.walk(scope.node)
            )
            found.setdefault(scope.name, set()).add(yields)
    return found
