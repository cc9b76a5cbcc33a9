"""Carries out repairs on one file: finds their places, orders them, edits, and leaves every other byte as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
import msgspec

from auditor import fixes
from auditor.fixes import Around, Fixer, RepairError
from auditor.fixes._expressions import seated
from auditor.fixes._places import PlacedFile, read
from auditor.fixes._statements import beside_line, beside_small
from auditor.model import Repair

__all__ = ["RepairError", "footprint", "rewrite"]


MAX_BYTES = 400_000
"""Size of a file beyond which rewriting it and proving each edit would take minutes; nobody writes such a file."""


def rewrite(source: bytes, repairs: Sequence[Repair]) -> bytes:
    """The file after all repairs; spans refer to `source`. A repair whose place looks repaired changes nothing."""
    if not repairs:
        return source
    if len(source) > MAX_BYTES:
        raise RepairError(f"The file is larger than {MAX_BYTES // 1000} kB", where=repairs[0].span.path)
    plan = _plan(read(source), repairs)
    try:
        return _rewritten(plan)
    except (cst.CSTValidationError, RecursionError, UnicodeEncodeError) as error:
        raise RepairError(f"The repairs do not fit together: {error}", where=repairs[0].span.path) from error


def _rewritten(plan: _Plan) -> bytes:
    module: object = plan.file.module.visit(_Editor(plan))
    for edit in plan.whole:
        assert isinstance(module, cst.Module)
        module = _apply(edit, module, [])
    assert isinstance(module, cst.Module)
    return module.bytes


def footprint(source: bytes, repairs: Sequence[Repair]) -> tuple[tuple[int, int], ...]:
    """Ranges of lines of `source` (from 1, end exclusive) that the repairs may change; empty ones mean insertion."""
    plan = _plan(read(source), repairs)
    ranges: set[tuple[int, int]] = set()
    for node in (*plan.edits, *plan.followers):
        ranges.update(plan.file.extent(node))
    if plan.whole:
        ranges.update((line, line) for line in plan.file.head())
    return tuple(sorted(ranges))


@dataclass(frozen=True)
class _Edit:
    repair: Repair
    fixer: Fixer
    options: msgspec.Struct


@dataclass
class _Plan:
    file: PlacedFile
    edits: dict[cst.CSTNode, list[_Edit]] = field(default_factory=dict)
    followers: dict[cst.CSTNode, tuple[cst.CSTNode, _Edit]] = field(default_factory=dict)
    whole: list[_Edit] = field(default_factory=list)


def _plan(file: PlacedFile, repairs: Sequence[Repair]) -> _Plan:
    plan = _Plan(file)
    for repair in _distinct(repairs):
        try:
            fixer = fixes.load(repair.repair)
            _place(plan, _Edit(repair, fixer, fixer.read(repair.options)))
        except RepairError as error:  # noqa: PERF203 - each one names its own place
            raise _located(error, repair) from error
    for edits in plan.edits.values():
        edits.sort(key=_precedence)
    _refuse_collisions(plan)
    return plan


def _distinct(repairs: Sequence[Repair]) -> list[Repair]:
    seen: list[Repair] = []
    for repair in repairs:
        if repair not in seen:
            seen.append(repair)
    return seen


def _place(plan: _Plan, edit: _Edit) -> None:
    if edit.fixer.acts_on is cst.Module:
        plan.whole.append(edit)
        return
    node: cst.CSTNode | None
    if edit.fixer.anchor is not None:
        node = edit.fixer.anchor(plan.file.path(plan.file.find(edit.repair.span, cst.CSTNode)), edit.options)
        if node is None:
            return
    else:
        node = plan.file.find(edit.repair.span, edit.fixer.acts_on)
    if edit.fixer.follow is not None:
        for place, new in edit.fixer.follow(plan.file.wrapper, node, edit.options).items():
            known = plan.followers.get(place)
            if known is not None and not known[0].deep_equals(new):
                raise _collision(known[1], edit)
            plan.followers[place] = (new, edit)
    plan.edits.setdefault(node, []).append(edit)


def _precedence(edit: _Edit) -> tuple[bool, bool, int]:
    """Repairs of one kind of node come before those that may replace it; positions are worked off from the end."""
    position = getattr(edit.options, "position", None)
    kinds = edit.fixer.acts_on if isinstance(edit.fixer.acts_on, tuple) else (edit.fixer.acts_on,)
    return (cst.BaseExpression in kinds, position is None, -(position or 0))


def _refuse_collisions(plan: _Plan) -> None:
    """Nothing may be edited inside an expression whose text is thrown away."""
    discarding = {node: edits for node, edits in plan.edits.items() if any(e.fixer.discards for e in edits)}
    if not discarding:
        return
    for node, edits in plan.edits.items():
        for outer in plan.file.path(node)[:-1]:
            if outer in discarding:
                raise _located(_collision(discarding[outer][0], edits[0]), edits[0].repair)
    for node, (_, edit) in plan.followers.items():
        for outer in plan.file.path(node):
            if outer in discarding:
                raise _located(_collision(discarding[outer][0], edit), edit.repair)
    for edits in discarding.values():
        if not edits[0].fixer.discards:
            raise _located(_collision(edits[0], next(e for e in edits if e.fixer.discards)), edits[0].repair)


def _collision(one: _Edit, other: _Edit) -> RepairError:
    return RepairError(f"{_named(one)} and {_named(other)} collide")


def _named(edit: _Edit) -> str:
    options = ", ".join(f"{key}={value!r}" for key, value in edit.repair.options.items())
    return f"`{edit.repair.repair}`({options}) at line {edit.repair.span.line}"


def _located(error: RepairError, repair: Repair) -> RepairError:
    place = f"{repair.span.path}:{repair.span.line}:{repair.span.column}"
    return RepairError(error.what, where=error.where or place, hint=error.hint)


def _apply(edit: _Edit, node: cst.CSTNode, earlier: Sequence[_Edit]) -> cst.CSTNode | Around:
    fits = isinstance(node, edit.fixer.acts_on)
    if not fits and earlier:
        raise _located(_collision(earlier[-1], edit), edit.repair)
    if not fits:
        raise _located(RepairError(f"It cannot act on a {type(node).__name__}"), edit.repair)
    try:
        return edit.fixer.fix(node, edit.options)
    except RepairError as error:
        named = error
        if earlier:
            named = RepairError(f"{_named(earlier[-1])} and {_named(edit)} collide: {error.what}")
        raise _located(named, edit.repair) from error


class _Editor(cst.CSTTransformer):
    """Edits from the leaves up, so that repairs inside an argument and around its call compose."""

    def __init__(self, plan: _Plan) -> None:
        super().__init__()
        self.plan = plan
        self.beside: dict[cst.CSTNode, tuple[list[Any], list[Any]]] = {}

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        node: cst.CSTNode = updated_node
        if original_node in self.plan.followers:
            node = self.plan.followers[original_node][0]
        edits = self.plan.edits.get(original_node, [])
        moved_out: list[_Edit] = []
        for index, edit in enumerate(edits):
            result = _apply(edit, node, edits[:index])
            if isinstance(result, Around):
                before, after = self.beside.setdefault(original_node, ([], []))
                before += result.before
                after += result.after
                moved_out.append(edit)
                result = result.node
            if result is not node and isinstance(original_node, cst.BaseExpression):
                assert isinstance(result, cst.BaseExpression)
                result = seated(result, original_node, self.plan.file.parents.get(original_node))
            node = result
        self._check_settled([edit for edit in edits if edit not in moved_out], node)
        return self._with_neighbours(original_node, node)

    @staticmethod
    def _check_settled(edits: list[_Edit], node: cst.CSTNode) -> None:
        """A repair that would act again was undone by a later one, or never comes to rest."""
        for edit in edits:
            counts = getattr(edit.options, "position", None) is not None
            if counts or edit.fixer.anchor is not None or not isinstance(node, edit.fixer.acts_on):
                continue
            again = _apply(edit, node, [])
            if isinstance(again, cst.CSTNode) and again is not node and not again.deep_equals(node):
                if edit is not edits[-1]:
                    raise _located(_collision(edit, edits[-1]), edits[-1].repair)
                raise _located(RepairError("A second run would change it again"), edit.repair)

    def _with_neighbours(self, original: cst.CSTNode, node: cst.CSTNode) -> Any:
        if isinstance(original, cst.BaseCompoundStatement | cst.SimpleStatementLine) and original in self.beside:
            return cst.FlattenSentinel(beside_line(node, *self.beside[original]))  # type: ignore[arg-type]
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            assert isinstance(original, cst.SimpleStatementLine | cst.SimpleStatementSuite)
            wanted = [(i, self.beside[small]) for i, small in enumerate(original.body) if small in self.beside]
            if isinstance(node, cst.SimpleStatementLine) and len(original.body) == 1 and wanted:
                return cst.FlattenSentinel(beside_line(node, *wanted[0][1]))
            for index, (before, after) in reversed(wanted):
                node = beside_small(node, index, before, after)  # type: ignore[arg-type]
        return node
