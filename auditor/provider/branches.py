"""Conditions, `try`, loops and `with` in module and class bodies: which definitions are alternatives to each other."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from auditor.provider.flags import TRUE, both, flag_term, is_flag, negation
from auditor.provider.namespaces import TYPING_ONLY, Branch, is_type_checking
from auditor.provider.scopes import Source
from auditor.reading import text
from auditor.settled import settled
from auditor.terms import UNKNOWN, Term

if TYPE_CHECKING:
    from auditor.provider.blocks import BlockReader

_FAILURES = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError", "OSError")


def read_if(reader: BlockReader, node: ast.If) -> None:
    """`if`, with what is known of its condition; an `elif` chain is one choice among many branches."""
    branches: list[Branch] = []
    since = len(reader.namespace.log)
    failed: Term = TRUE
    """What holds where none of the tests so far did."""
    while True:
        if is_type_checking(node.test) or _is_not_type_checking(node.test):
            positive = is_type_checking(node.test)
            reader.inside(node.body if positive else node.orelse, (*reader.branch, TYPING_ONLY))
            rest = node.orelse if positive else node.body
            reader.inside(rest, reader.next_branch() if branches else reader.branch)
            return
        known = settled(node.test, imported=True)
        if known is not False:
            if known:
                branches.append(reader.next_branch() if branches else reader.branch)
            else:
                test = flag_term(node.test, reader.env) if is_flag(node.test) else UNKNOWN
                branches.append(reader.next_branch(both(failed, test)))
                failed = both(failed, negation(test))
            reader.inside(node.body, branches[-1])
            if known:
                break
        rest = node.orelse
        if len(rest) == 1 and isinstance(rest[0], ast.If):
            node = rest[0]
            continue
        if not rest:
            return
        branches.append(reader.next_branch(failed) if branches else reader.branch)
        reader.inside(rest, branches[-1])
        break
    if len(branches) > 1:
        reader.namespace.settle(reader.branch, branches, since)


def read_try(reader: BlockReader, node: ast.Try) -> None:
    """`try`: a handler that does not raise is an alternative to the body."""
    fallbacks = [handler for handler in node.handlers if not _raises(handler.body)]
    branch = reader.next_branch() if fallbacks else reader.branch
    reader.inside(node.body, branch, optional=reader.optional or any(_catches_import(h.type) for h in fallbacks))
    reader.inside(node.orelse, branch)
    for handler in fallbacks:
        reader.inside(handler.body, reader.next_branch())
    reader.inside(node.finalbody, reader.branch)


def read_loop(reader: BlockReader, node: ast.For | ast.AsyncFor | ast.While) -> None:
    """`for` and `while`: the body may run or not."""
    branch = reader.next_branch()
    if not isinstance(node, ast.While):
        outer, reader.branch = reader.branch, branch
        reader.bind_targets(node.target, Source(node.target, node.iter, "each"), node.lineno)
        reader.branch = outer
        reader.record(node)
    elif settled(node.test, imported=True) is False:
        return
    recording, reader.recording = reader.recording, False
    reader.inside(node.body, branch)
    reader.recording = recording
    reader.inside(node.orelse, branch)


def read_with(reader: BlockReader, node: ast.With | ast.AsyncWith) -> None:
    """`with`: its body runs, unless it suppresses failed imports."""
    for item in node.items:
        if item.optional_vars is not None:
            reader.bind_targets(item.optional_vars, Source(item.optional_vars, item.context_expr, "enter"), node.lineno)
    if any(_suppresses(item.context_expr) for item in node.items):
        reader.inside(node.body, reader.next_branch(), optional=True)
    else:
        reader.inside(node.body, reader.branch)


def read_match(reader: BlockReader, node: ast.Match) -> None:
    """`match`: each case may run."""
    for case in node.cases:
        reader.inside(case.body, reader.next_branch())


def _is_not_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and is_type_checking(test.operand)


def _raises(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise)


def _catches_import(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(text(kind).rsplit(".", 1)[-1] in _FAILURES for kind in kinds)


def _suppresses(context: ast.expr) -> bool:
    return (
        isinstance(context, ast.Call)
        and text(context.func) in ("suppress", "contextlib.suppress")
        and any(_catches_import(argument) for argument in context.args)
    )
