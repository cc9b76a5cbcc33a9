"""Takes guards, and what only they used, out of a file: what always runs moves up, everything else keeps its bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import libcst as cst

from auditor.fixes import _imports
from auditor.fixes._expressions import code, seated
from auditor.fixes._lists import NOTHING, Listing
from auditor.fixes._places import PlacedFile
from auditor.prune.spreading import spread_arguments, spread_elements

Statement: TypeAlias = "cst.SimpleStatementLine | cst.BaseCompoundStatement"
_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)
_OPEN = (cst.If, cst.While, cst.Assert, cst.Assign, cst.AnnAssign, cst.Return)
"""Where an expression needs no brackets."""
_CLOSED = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Dict, cst.List, cst.Set, cst.SimpleString, cst.Integer)
"""Expressions that need none wherever they stand."""
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


@dataclass
class Cuts:
    """What is to go, by node of the parsed file."""

    branches: dict[cst.CSTNode, bool] = field(default_factory=dict)
    """`if`, `elif` and conditional expressions, with what their test always is."""
    tries: dict[cst.CSTNode, bool] = field(default_factory=dict)
    """`try` statements, with whether their body always runs through."""
    operands: set[cst.CSTNode] = field(default_factory=set)
    """Parts of a condition that never decide it."""
    statements: set[cst.CSTNode] = field(default_factory=set)
    aliases: dict[cst.CSTNode, set[int]] = field(default_factory=dict)
    """Import statements, with the positions of the names that go."""


class Rewriter(cst.CSTTransformer):
    """Carries out cuts, from the leaves up."""

    def __init__(self, file: PlacedFile, cuts: Cuts) -> None:
        super().__init__()
        self.parents = file.parents
        self.cuts = cuts
        self._functions = 0

    # expressions

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:  # noqa: N802
        truth = self.cuts.branches.get(original_node)
        if truth is None:
            return updated_node
        kept = updated_node.body if truth else updated_node.orelse
        return self._seated(kept, original_node)

    def leave_BooleanOperation(  # noqa: N802
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        if self._is_idle(original_node.left):
            return self._seated(updated_node.right, original_node)
        if self._is_idle(original_node.right):
            return self._seated(updated_node.left, original_node)
        return updated_node

    def _is_idle(self, node: cst.BaseExpression) -> bool:
        if node in self.cuts.operands:
            return True
        return isinstance(node, cst.BooleanOperation) and self._is_idle(node.left) and self._is_idle(node.right)

    def _seated(self, kept: cst.BaseExpression, place: cst.BaseExpression) -> cst.BaseExpression:
        parent = self.parents.get(place)
        if "\n" in code(kept) and place.lpar:
            return kept.with_changes(lpar=place.lpar, rpar=place.rpar)
        if isinstance(parent, _OPEN) or isinstance(kept, _CLOSED):
            return kept
        return seated(kept, place, parent)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: N802
        chosen = [a.star == "**" and a.value in self.cuts.branches for a in original_node.args]
        return spread_arguments(updated_node, chosen) if any(chosen) else updated_node

    def leave_Dict(self, original_node: cst.Dict, updated_node: cst.Dict) -> cst.Dict:  # noqa: N802
        chosen = [
            isinstance(e, cst.StarredDictElement) and e.value in self.cuts.branches for e in original_node.elements
        ]
        return spread_elements(updated_node, chosen) if any(chosen) else updated_node

    # statements

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:  # noqa: N802
        gone = self.cuts.aliases.get(original_node)
        if not gone:
            return updated_node
        names = Listing.read(list(updated_node.names), NOTHING)
        for index in sorted(gone, reverse=True):
            names.remove(index)
        return updated_node.with_changes(names=names.written())

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> cst.ImportFrom:  # noqa: N802
        for index in sorted(self.cuts.aliases.get(original_node, ()), reverse=True):
            updated_node = _imports.without(updated_node, index)
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        del node
        self._functions += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:  # noqa: N802
        del original_node
        self._functions -= 1
        return updated_node

    def leave_IndentedBlock(  # noqa: N802
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body, loose = self._block(original_node.body, updated_node.body)
        if body and updated_node.body and body[0] is not updated_node.body[0]:
            body[0] = body[0].with_changes(leading_lines=_without_blank(body[0].leading_lines))
        if not body:
            body = [cst.SimpleStatementLine([cst.Pass()])]
        return updated_node.with_changes(body=body, footer=[*loose, *updated_node.footer])

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:  # noqa: N802
        body, loose = self._block(original_node.body, updated_node.body)
        if body and updated_node.body and body[0] is not updated_node.body[0] and not updated_node.header:
            body[0] = body[0].with_changes(leading_lines=_without_blank(body[0].leading_lines))
        return updated_node.with_changes(body=body, footer=[*loose, *updated_node.footer])

    def _block(self, before: Sequence[Any], after: Sequence[Any]) -> tuple[list[Any], list[cst.EmptyLine]]:
        """The statements of a block without what goes, and the comments that were left without a statement."""
        out: list[Any] = []
        loose: list[cst.EmptyLine] = []
        blank = 0
        for original, updated in zip(before, after, strict=True):
            lines = list(updated.leading_lines)
            have = len(lines) - len(_without_blank(lines))
            statement = updated
            if loose or blank > have:
                missing = [cst.EmptyLine(indent=False)] * max(0, blank - have)
                statement = updated.with_changes(leading_lines=[*loose, *missing, *lines])
            loose, blank = [], 0
            kept, footer = self._settled(original, statement)
            if not kept:
                blank = max(have, blank)
                loose = _of_the_group(statement, before, original)
            out += kept
            loose = [*loose, *footer]
            if kept and self._functions and self._is_cut(original) and _leaves(kept[-1]):
                break  # what follows ran in other releases only
        return out, loose

    def _is_cut(self, node: cst.CSTNode) -> bool:
        return node in self.cuts.branches or node in self.cuts.tries or (isinstance(node, cst.If) and self._ends(node))

    def _ends(self, node: cst.If) -> bool:
        """Whether some `elif` of a chain is cut."""
        return any(arm in self.cuts.branches for arm in _arms(node))

    def _settled(self, original: cst.CSTNode, updated: Any) -> tuple[list[Any], list[cst.EmptyLine]]:
        """What stands for a statement, and the comments at the end of a block that moved up."""
        if original in self.cuts.statements:
            return [], []
        if isinstance(original, cst.Try) and original in self.cuts.tries:
            if not self.cuts.tries[original]:
                return _moved_up(updated.handlers[0].body, list(updated.leading_lines))
            body, footer = _moved_up(updated.body, list(updated.leading_lines))
            if updated.orelse is not None:
                more, last = _moved_up(updated.orelse.body, footer)
                return [*body, *more], last
            return body, footer
        if isinstance(original, cst.If) and self._ends(original):
            return self._chain(original, updated)
        return [updated], []

    def _chain(self, original: cst.If, updated: cst.If) -> tuple[list[Any], list[cst.EmptyLine]]:
        """An `if` with its `elif` and `else`, without the arms that never run and the tests that always hold."""
        arms: list[cst.If] = []
        last: cst.Else | None = None
        for before, after in zip(_arms(original), _arms(updated), strict=True):
            truth = self.cuts.branches.get(before)
            if truth is None:
                arms.append(after)
            elif truth:
                last = cst.Else(_headless(after.body), leading_lines=after.leading_lines)
                break
            if isinstance(after.orelse, cst.Else):
                last = after.orelse
        lines = list(updated.leading_lines)
        if original in self.cuts.branches:
            lines = _without_stale(lines, code(original.test))
        if not arms:
            return _moved_up(last.body, lines) if last is not None else ([], [])
        chain: cst.If | cst.Else | None = last
        for arm in reversed(arms):
            chain = arm.with_changes(orelse=chain)
        assert isinstance(chain, cst.If)
        own = [] if arms[0] is updated else list(chain.leading_lines)
        return [chain.with_changes(leading_lines=[*lines, *own])], []


def _arms(node: cst.If) -> list[cst.If]:
    arms = [node]
    while isinstance(arms[-1].orelse, cst.If):
        arms.append(arms[-1].orelse)
    return arms


def _headless(suite: cst.BaseSuite) -> cst.BaseSuite:
    """A block without the comment behind the colon, which is about the test."""
    return suite.with_changes(header=cst.TrailingWhitespace()) if isinstance(suite, cst.IndentedBlock) else suite


def _moved_up(suite: cst.BaseSuite, lines: list[cst.EmptyLine]) -> tuple[list[Any], list[cst.EmptyLine]]:
    """The statements of a block, to stand where the statement around it stood."""
    footer: list[cst.EmptyLine] = []
    if isinstance(suite, cst.SimpleStatementSuite):
        body: list[Any] = [cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)]
    else:
        assert isinstance(suite, cst.IndentedBlock)
        body, footer = list(suite.body), [line for line in suite.footer if line.comment is not None]
    if all(isinstance(s, cst.SimpleStatementLine) and isinstance(s.body[0], cst.Pass) for s in body):
        return [], []
    own = body[0].leading_lines
    body[0] = body[0].with_changes(leading_lines=[*lines, *(_without_blank(own) if lines else own)])
    return body, footer


def _without_blank(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    first = next((i for i, line in enumerate(lines) if line.comment is not None), len(lines))
    return list(lines[first:])


def _without_stale(lines: list[cst.EmptyLine], test: str) -> list[cst.EmptyLine]:
    """The lines above a guard without a comment that speaks of the very version that its test does."""
    start = len(lines) - next((i for i, line in enumerate(reversed(lines)) if line.comment is None), len(lines))
    said = " ".join(line.comment.value for line in lines[start:] if line.comment is not None)
    return lines[:start] if set(_NUMBERS.findall(said)) & set(_NUMBERS.findall(test)) else lines


def _of_the_group(statement: Any, block: Sequence[Any], original: Any) -> list[cst.EmptyLine]:
    """The comment above a statement that goes, where it heads a group of which others stay."""
    index = list(block).index(original)
    following = block[index + 1] if index + 1 < len(block) else None
    lines = _without_blank(statement.leading_lines)
    small = isinstance(original, cst.SimpleStatementLine) and isinstance(following, cst.SimpleStatementLine)
    return lines if small and following is not None and not following.leading_lines else []


def _leaves(statement: Any) -> bool:
    """Whether control never comes past a statement."""
    if isinstance(statement, cst.SimpleStatementLine):
        return isinstance(statement.body[-1], _LEAVING)
    if isinstance(statement, cst.If) and statement.orelse is not None:
        arms = _arms(statement)
        bodies = [arm.body for arm in arms]
        bodies += [arms[-1].orelse.body] if isinstance(arms[-1].orelse, cst.Else) else []
        return arms[-1].orelse is not None and all(b.body and _leaves_last(b) for b in bodies)
    return False


def _leaves_last(suite: cst.BaseSuite) -> bool:
    last = suite.body[-1]
    return isinstance(last, _LEAVING) if isinstance(suite, cst.SimpleStatementSuite) else _leaves(last)
