"""Asks every check about every use: what fitted the old side and does not fit the new one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from auditor.checks import all_checks, all_file_checks
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.source import Sources
from auditor.model import Finding, Use
from auditor.sides import Side, Variants, of_variant
from auditor.terms import Import, Term, roots


class Matching:
    """What the checks say of one consumer.

    Args:
        packages: Import names of the providers, and of the consumer's own packages.
    """

    def __init__(self, packages: Collection[str]) -> None:
        self.packages = frozenset(packages)
        self.checks = all_checks()
        self.variants = Variants()

    def found(self, analyses: Sequence[FileAnalysis], old: Side, new: Side) -> list[Finding]:
        """What every check says of every use that is reached on the new side, each thing once."""
        file_checks = all_file_checks()
        found: dict[tuple[object, ...], Finding] = {}
        for analysis in analyses:
            said = [f for use in analysis.uses if self.may_touch(use.term) for f in self._of_use(use, old, new)]
            said += [f for file_check in file_checks for f in file_check(analysis, old, new)]
            for finding in said:
                found.setdefault((finding.rule, finding.span, finding.argument, finding.symbol), finding)
        return list(found.values())

    def _of_use(self, use: Use, old: Side, new: Side) -> Iterator[Finding]:
        if not new.reached(use):
            return
        for check in self.checks:
            yield from check(use, old, new)
        for variant in self.variants.of(use, old, new):
            yield from (of_variant(finding) for check in self.checks for finding in check(variant, old, new))

    def may_touch(self, term: Term) -> bool:
        """Whether a term can lead to a provider: rooted in one, or in the consumer's own names."""
        return any(
            not isinstance(start, Import) or start.path.split(".", 1)[0] in self.packages for start in roots(term)
        )


def unset(sources: Sources, old: Side, new: Side) -> set[str]:
    """Environment variables that decide what the providers are, and that the consumer never mentions."""
    asked = {variable for side in (old, new) for variable in side.world.asked if variable}
    if not asked:
        return set()
    texts = sources.read(sources.modules.values()).values()
    return {variable for variable in asked if not any(variable.encode() in text for text in texts)}
