"""Finds in one file the guards whose outcome is the same in every release of a range."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from auditor.prune.computing import Computer, Verdict
from auditor.prune.scopes import FileScopes

Kind: TypeAlias = Literal["branch", "choice", "operand", "try"]
_DOING = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
_SAYING = frozenset({"warn", "warning", "warning_once", "error", "critical", "exit", "skip"})


class Guard(NamedTuple):
    """A guard that no release of the range needs."""

    kind: Kind
    node: ast.If | ast.IfExp | ast.Try | ast.expr
    test: ast.expr | ast.Try
    """What is tested: the condition, or the imports that are tried."""
    truth: bool
    """What the condition always is; of a `try`, whether its body always runs through."""
    asked: frozenset[str]
    doubts: frozenset[str]

    @property
    def dropped(self) -> Sequence[ast.AST]:
        """What goes."""
        match self.node:
            case ast.If(test=test, body=body, orelse=orelse):
                return [test, *(orelse if self.truth else body)]
            case ast.IfExp(test=test, body=value, orelse=other):
                return [test, other if self.truth else value]
            case ast.Try(body=body, handlers=handlers, orelse=orelse):
                return handlers if self.truth else [*body, *orelse]
            case _:
                return []


def guards(file: FileScopes, computers: Sequence[Computer]) -> Iterator[Guard]:
    """The guards of a file that none of some releases needs, outer ones first.

    A branch that only refuses a release stays: it says what the range is. So does a test that does something.
    """
    for node in _reachable(file.tree.body):
        match node:
            case ast.If(test=test):
                found = _decided("branch", node, test, file, computers)
                if found is not None and not (_refuses(node.body) or _refuses(node.orelse)):
                    yield found
                else:
                    yield from _operands(test, file, computers)
            case ast.IfExp(test=test):
                found = _decided("choice", node, test, file, computers)
                yield from [found] if found is not None else _operands(test, file, computers)
            case ast.While(test=test) | ast.Assert(test=test):
                yield from _operands(test, file, computers)
            case ast.Try(handlers=[_]):
                verdict = _agreed(node, file, computers)
                if verdict is not None and verdict.truth is not None:
                    yield Guard("try", node, node, verdict.truth, verdict.asked, verdict.doubts)
            case _:
                pass


def _reachable(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes, outer ones first, in the order of the source."""
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(ast.iter_child_nodes(node))))


def _decided(
    kind: Kind, node: ast.If | ast.IfExp, test: ast.expr, file: FileScopes, computers: Sequence[Computer]
) -> Guard | None:
    verdict = _agreed(test, file, computers)
    if verdict is None or verdict.truth is None or _does_before(test, file, computers):
        return None
    return Guard(kind, node, test, verdict.truth, verdict.asked, verdict.doubts)


def _operands(test: ast.expr, file: FileScopes, computers: Sequence[Computer]) -> Iterator[Guard]:
    """The parts of a condition that never decide it: what is always true in an `and`, always false in an `or`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _operands(operand, file, computers)
        case ast.BoolOp(op=op, values=values):
            verdicts = [_agreed(value, file, computers) for value in values]
            idle = isinstance(op, ast.And)
            if all(verdict is not None and verdict.truth is idle for verdict in verdicts):
                return  # it is decided as a whole, but something else keeps it
            for value, verdict in zip(values, verdicts, strict=True):
                if verdict is None or verdict.truth is None:
                    yield from _operands(value, file, computers)
                elif verdict.truth is idle and not _does(value, file, computers):
                    yield Guard("operand", value, value, idle, verdict.asked, verdict.doubts)
        case _:
            pass


def _agreed(test: ast.expr | ast.Try, file: FileScopes, computers: Sequence[Computer]) -> Verdict | None:
    """The verdict of all releases, if they agree."""
    asked: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()
    truth: bool | None = None
    for computer in computers:
        verdict = computer.verdict(test, file)
        if verdict.truth is None or (truth is not None and verdict.truth is not truth):
            return None
        truth, asked, doubts = verdict.truth, asked | verdict.asked, doubts | verdict.doubts
    return Verdict(truth, asked, doubts)


def _does_before(test: ast.expr, file: FileScopes, computers: Sequence[Computer]) -> bool:
    """Whether anything but the release is asked, or done, before a condition is decided."""
    if not isinstance(test, ast.BoolOp):
        return isinstance(test, ast.UnaryOp) and _does_before(test.operand, file, computers)
    decisive = isinstance(test.op, ast.Or)
    for value in test.values:
        verdict = _agreed(value, file, computers)
        if verdict is not None and verdict.truth is decisive:
            return _does_before(value, file, computers)
        if _does(value, file, computers):
            return True
    return False


def _does(test: ast.expr, file: FileScopes, computers: Sequence[Computer]) -> bool:
    """Whether a part of a condition that is not computed calls something or binds a name."""
    if isinstance(test, ast.BoolOp):
        return any(_does(value, file, computers) for value in test.values)
    if isinstance(test, ast.UnaryOp):
        return _does(test.operand, file, computers)
    verdict = _agreed(test, file, computers)
    return (verdict is None or verdict.truth is None) and any(isinstance(n, _DOING) for n in ast.walk(test))


def _refuses(body: Sequence[ast.stmt]) -> bool:
    """Whether a branch does nothing but say that a release is not supported."""
    if not body:
        return False
    return all(_says(statement) for statement in body) and not all(isinstance(s, ast.Pass) for s in body)


def _says(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise() | ast.Pass():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name in _SAYING
        case _:
            return False
