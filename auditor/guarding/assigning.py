"""Which release gets which repair: its own, or a newer one's that holds there as well; the fewest different ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from auditor import codemod
from auditor.errors import AuditError
from auditor.guarding.releases import Release, Trial, Try
from auditor.guarding.units import BINDING, RENAMES, Unit
from auditor.model import Repair

Variant: TypeAlias = tuple[Repair, ...]


class Trials:
    """Tries the variants of a unit in releases, each once.

    Args:
        sources: The consumer's files.
        releases: The range, in order.
        attempt: Audits a changed tree between two releases.
    """

    def __init__(self, sources: Mapping[str, bytes], releases: Sequence[Release], attempt: Try) -> None:
        self.sources = sources
        self.releases = releases
        self._attempt = attempt
        self._known: dict[tuple[Variant, int, int], Trial | None] = {}

    def outcome(self, variant: Variant, home: int, number: int) -> Trial | None:
        """What one release does with the repairs that were made for another; None where they cannot be made."""
        key = (variant, home, number)
        if key not in self._known:
            try:
                files = {
                    path: codemod.rewrite(self.sources[path], [r for r in variant if r.span.path == path])
                    for path in {repair.span.path for repair in variant}
                }
            except (AuditError, KeyError):
                self._known[key] = None
            else:
                self._known[key] = self._attempt(files, home, number)
        return self._known[key]

    def usable(self, variant: Variant, home: int, number: int) -> bool:
        """Whether nothing on the changed lines breaks in a release."""
        trial = self.outcome(variant, home, number)
        return trial is not None and not trial.errors


def _does_as(newer: Variant, own: Variant) -> bool:
    """Whether a newer release's repairs do what a release needs, if they fit there: other names, or the same arguments
    with values that are computed on the spot.
    """
    if all(repair.repair in RENAMES for repair in newer):
        return True
    added = [{(r.span, r.options.get("name")) for r in variant} for variant in (newer, own)]
    return added[0] == added[1] and all(
        repair.repair == "add-argument" and "." in str(repair.options["value"]) for repair in (*newer, *own)
    )


class Assignment:
    """Which release gets which variant.

    Args:
        unit: The findings in question.
        trials: Tries variants.
    """

    def __init__(self, unit: Unit, trials: Trials) -> None:
        self.unit = unit
        wanted = [unit.wanted(number) for number in range(len(trials.releases))]
        self.homes: dict[Variant, int] = {variant: number for number, variant in enumerate(wanted) if variant}
        """Each variant with the newest release that asks for it."""
        self.variants = sorted(self.homes, key=lambda variant: -self.homes[variant])
        self.chosen = [self._choose(number, wanted[number], trials) for number in range(len(wanted))]

    def _choose(self, number: int, own: Variant, trials: Trials) -> Variant:
        for variant in self.variants:
            if variant == own:
                return own
            harmless = _does_as(variant, own) if own else self._harmless(variant)
            if harmless and trials.usable(variant, self.homes[variant], number):
                return variant
        return own

    def _harmless(self, variant: Variant) -> bool:
        """Whether a variant means the same in a release that does not need it, as long as it fits there."""
        if all(repair.repair in BINDING for repair in variant):
            return True
        fixes = [f.fix for f in self.unit.findings[self.homes[variant]] if f.fix is not None]
        return all(fix.everywhere or all(r.repair in BINDING for r in fix.repairs) for fix in fixes)
