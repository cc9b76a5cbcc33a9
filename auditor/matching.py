"""Asks the checks about every use: what fitted the old side and does not fit the new one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import TypeAlias

import msgspec

from auditor.checks import all_file_checks, checks_of
from auditor.consumer.analysis import FileAnalysis
from auditor.model import Finding, Use
from auditor.sides import Side, Variants, by_default, of_variant
from auditor.world.basis import OWN

_Question: TypeAlias = Callable[[Side, Side], Iterator[Finding]]
"""What the checks say of a use, or of a file as a whole, between an old and a new side."""


class Matching:
    """What the checks say of one consumer.

    Args:
        old: The side that it was written for.
        new: The side that it must run on.
        variants: Kept as long as either side.
        unset: Environment variables that may be taken as not set, to see what is so by default; None where that is not
            wanted.
    """

    def __init__(self, old: Side, new: Side, variants: Variants, unset: Container[str] | None) -> None:
        self.old, self.new = old, new
        self.variants = variants
        self.unset = unset
        self._by_default: tuple[Side, Side] | None = None

    def found(self, analysis: FileAnalysis) -> list[Finding]:
        """What every check says of every use that is reached on the new side, each thing once; then what else is so by
        default.
        """
        found: dict[tuple[object, ...], Finding] = {}
        likely: dict[tuple[object, ...], Finding] = {}
        for question in self._questions(analysis):
            findings, variables = _answer(question, self.old, self.new)
            for finding in findings:
                found.setdefault(_identity(finding), finding)
            if self.unset is not None and any(variable in self.unset for variable in variables):
                for finding in self._said_by_default(question, self.unset):
                    likely.setdefault(_identity(finding), finding)
        places = {(finding.rule, finding.span) for finding in found.values()}
        return [*found.values(), *(f for f in likely.values() if (f.rule, f.span) not in places)]

    def _questions(self, analysis: FileAnalysis) -> Iterator[_Question]:
        mine = msgspec.structs.replace(analysis, uses=tuple(use for use in analysis.uses if self.new.concerns(use)))
        for use in mine.uses:
            yield partial(self._of_use, use)
        for check in all_file_checks():
            yield partial(check, mine)

    def _of_use(self, use: Use, old: Side, new: Side) -> Iterator[Finding]:
        if not new.reached(use):
            return
        checks = checks_of(use.kind)
        for check in checks:
            yield from check(use, old, new)
        for variant in self.variants.of(use, old, new):
            yield from (of_variant(finding) for check in checks for finding in check(variant, old, new))

    def _said_by_default(self, question: _Question, unset: Container[str]) -> Iterator[Finding]:
        if self._by_default is None:
            self._by_default = self.old.by_default(unset), self.new.by_default(unset)
        findings, variables = _answer(question, *self._by_default)
        for finding in findings:
            yield by_default(finding, {variable for variable in variables if variable in unset})


def _answer(question: _Question, old: Side, new: Side) -> tuple[list[Finding], set[str]]:
    """What is found, and the environment variables on which that rests."""
    old.world.basis = new.world.basis = OWN
    findings = list(question(old, new))
    worlds = (old.world, new.world)
    return findings, {name for world in worlds for name in world.variables.names(world.basis)}


def _identity(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.span, finding.argument, finding.symbol
