"""Asks the checks about every use: what fitted the old side and does not fit the new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from auditor.checks import all_file_checks, checks_of
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.source import Sources
from auditor.model import Finding, Use
from auditor.sides import Side, Variants, of_variant
from auditor.world.basis import OWN, SETTINGS


class Matching:
    """What the checks say of one consumer."""

    def __init__(self) -> None:
        self.variants = Variants()

    def found(self, analyses: Iterable[FileAnalysis], old: Side, new: Side) -> tuple[list[Finding], list[FileAnalysis]]:
        """What every check says of every use that is reached on the new side, each thing once.

        Returns:
            The findings, and the files about which more might be said if some environment variables were not set.
        """
        found: dict[tuple[object, ...], Finding] = {}
        unsettled: list[FileAnalysis] = []
        for analysis in analyses:
            mine = msgspec.structs.replace(analysis, uses=tuple(use for use in analysis.uses if new.concerns(use)))
            old.world.basis = new.world.basis = OWN
            for finding in self._of_file(mine, old, new):
                found.setdefault((finding.rule, finding.span, finding.argument, finding.symbol), finding)
            if (old.world.basis | new.world.basis) & SETTINGS:
                unsettled.append(analysis)
        return list(found.values()), unsettled

    def _of_file(self, analysis: FileAnalysis, old: Side, new: Side) -> Iterator[Finding]:
        for use in analysis.uses:
            yield from self._of_use(use, old, new)
        for check in all_file_checks():
            yield from check(analysis, old, new)

    def _of_use(self, use: Use, old: Side, new: Side) -> Iterator[Finding]:
        if not new.reached(use):
            return
        checks = checks_of(use.kind)
        for check in checks:
            yield from check(use, old, new)
        for variant in self.variants.of(use, old, new):
            yield from (of_variant(finding) for check in checks for finding in check(variant, old, new))


def unset(sources: Sources, old: Side, new: Side) -> set[str]:
    """Environment variables that decide what the providers are, and that the consumer never mentions."""
    asked = {variable for side in (old, new) for variable in side.world.asked if variable}
    if not asked:
        return set()
    texts = sources.read(sources.modules.values()).values()
    return {variable for variable in asked if not any(variable.encode() in text for text in texts)}
