"""Findings of every release of a range -> for each finding one fix that holds in all of them, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from auditor.decoding import decode_leniently
from auditor.errors import AuditError
from auditor.fixes._places import read
from auditor.guarding.assigning import Assignment, Trials
from auditor.guarding.conditions import Conditions
from auditor.guarding.names import FileNames, style_of
from auditor.guarding.places import Group, Place, places
from auditor.guarding.releases import Release, Style, Try
from auditor.guarding.units import Unit, units
from auditor.guarding.versions import Condition
from auditor.guarding.writing import CannotGuardError, Writer
from auditor.model import Applicability, Fix, Repair, Use
from auditor.sides import exists

_ORDER: tuple[Applicability, ...] = ("safe", "unsafe", "display-only")


class Guarded(msgspec.Struct, frozen=True):
    """One fix for all releases, and the ids of the findings that it repairs."""

    findings: tuple[str, ...]
    fix: Fix | None
    unfixed: str | None = None
    stuck: tuple[int, ...] = ()
    """Releases in which one of them breaks and is not repaired."""


def guarded(
    releases: Sequence[Release],
    sources: Mapping[str, bytes],
    uses: Mapping[str, Sequence[Use]],
    attempt: Try,
    style: Style | None = None,
) -> Iterator[Guarded]:
    """The fixes of a range.

    Args:
        releases: The range, in order.
        sources: The consumer's files.
        uses: What each of them uses.
        attempt: Audits a changed tree between two releases.
        style: What guards ask for; by default what the consumer's own guards ask for.
    """
    trials = Trials(sources, releases, attempt)
    packages = {*releases[0].side.providers, *releases[0].side.providers.values()}
    overall = style_of((use for found in uses.values() for use in found), packages)
    names: dict[str, FileNames] = {}
    for unit in units([release.findings for release in releases]):
        if all(f.fix is None or f.fix.applicability == "display-only" for f in unit.every()):
            continue
        ids = tuple(dict.fromkeys(finding.id for finding in unit.every() if finding.fix is not None))
        stuck = tuple(number for number in range(len(releases)) if unit.stuck(number))
        try:
            fix = _Guarding(unit, trials, uses, names, style, overall).fix()
        except (CannotGuardError, AuditError) as error:
            yield Guarded(ids, None, f"No one form of it holds in all releases: {error}", stuck)
        else:
            yield Guarded(ids, fix, stuck=stuck)


class _Guarding:
    """The work on one unit."""

    def __init__(
        self,
        unit: Unit,
        trials: Trials,
        uses: Mapping[str, Sequence[Use]],
        names: dict[str, FileNames],
        style: Style | None,
        overall: Style,
    ) -> None:
        self.unit = unit
        self.trials = trials
        self.releases = trials.releases
        self.assignment = Assignment(unit, trials)
        self.uses = uses
        self.names = names
        self.style = style
        self.overall = overall

    def fix(self) -> Fix:
        """The fix."""
        repairs: list[Repair] = []
        words: list[str] = []
        for place, groups in places(self.assignment.chosen).items():
            writer = self._writer(place)
            if place.kind == "import":
                repairs.append(self._import(groups))
            else:
                repairs += writer.written(place, groups, len(self.releases))
            words += writer.words
        fixes = [finding.fix for finding in self.unit.every() if finding.fix is not None]
        reasons = list(dict.fromkeys(fix.reason for fix in fixes))
        if words:
            reasons.append(f"Releases are told apart by whether {' and whether '.join(dict.fromkeys(words))}.")
        plain = dict.fromkeys((r.repair, r.span, tuple(r.options.items())) for r in _imports_first(repairs))
        return Fix(
            tuple(Repair(repair, span, dict(options)) for repair, span, options in plain),
            max((fix.applicability for fix in fixes), key=_ORDER.index),
            " ".join(reason if reason.endswith(".") else f"{reason}." for reason in reasons),
        )

    def _writer(self, place: Place) -> Writer:
        path = place.span.path
        source = self.trials.sources[path]
        if path not in self.names:
            self.names[path] = FileNames(decode_leniently(source), self.uses.get(path, ()))
        names = self.names[path]
        packages = {*self.releases[0].side.providers, *self.releases[0].side.providers.values()}
        own = style_of(names.uses, packages) if any(use.guards for use in names.uses) else self.overall
        by_version = (self.style or own) == "version"
        conditions = Conditions(self.releases, self.trials, names, place.span, by_version=by_version)

        def choose(group: Group, yes: set[int], no: set[int]) -> Condition | None:
            return conditions.choose(self.assignment, group.variant, yes, no)

        return Writer(read(source), names, choose)

    def _import(self, groups: Sequence[Group]) -> Repair:
        """An import that some release does not have, or has elsewhere, with its alternatives."""
        news = [repair for group in groups for repair in group.edit]
        first = news[0]
        modules = list(dict.fromkeys(str(repair.options["module"]) for repair in news))
        name = first.options.get("name")
        paths = [f"{module}.{name}" if name is not None else module for module in modules]
        others = modules[1:]
        if not all(any(exists(r.side.world.resolve(path)) for path in paths) for r in self.releases):
            others.append("None")
        if not others:
            return first
        return Repair(first.repair, first.span, {**first.options, "otherwise": " ".join(others)})


def _imports_first(repairs: Sequence[Repair]) -> list[Repair]:
    """Whole-file repairs act in order, and constants need what is imported."""
    order = {"add-import": 0, "define-constant": 1}
    return sorted(repairs, key=lambda repair: order.get(repair.repair, 2))
