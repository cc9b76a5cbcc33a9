"""One consumer, changed or not, beside every release of a range: the audits that guards and proofs are made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from auditor.audit import Audit
from auditor.consumer.analysis import FileAnalysis
from auditor.fingerprint import identified
from auditor.guarding import Trial
from auditor.matrix import Line, Prepared, alone, label_of
from auditor.migrations import by_name, packs_for
from auditor.model import ByName, CallSite, Finding, Use
from auditor.options import Selection
from auditor.packages.release import Release
from auditor.patches import hunks
from auditor.provider.snapshot import Snapshot
from auditor.resolution import Pair, pair_of

Files = Mapping[str, bytes]


class Bench:
    """The releases of a range, opened, each with its old side.

    Args:
        line: The consumer.
        prepared: The releases, in order.
    """

    def __init__(self, line: Line, prepared: Sequence[Prepared]) -> None:
        self.line = line
        self.prepared = prepared
        self._snapshots: dict[int, Snapshot] = {}
        self._pairs = [self._pair(one) for one in prepared]
        audited = {name for pair in self._pairs for name in (pair.name, *pair.packages)}
        self._packs = packs_for(line.options.rules, line.sources, audited, line.store)
        self._contents = line.sources.read(line.sources.modules.values())
        self._changed: dict[tuple[tuple[str, bytes], ...], tuple[Audit, list[FileAnalysis]]] = {}
        self._trials: dict[tuple[tuple[str, bytes], ...], tuple[Audit, list[FileAnalysis]]] = {}
        self._unruled = self._trial({})
        self._errors: dict[tuple[int, int], frozenset[tuple[object, ...]]] = {}
        self.audits = [self._audit({}, number)[0] for number in range(len(prepared))]
        """The consumer as it is, in each release."""

    def _pair(self, one: Prepared) -> Pair:
        return pair_of(one.release, self._snapshot(one.release), one.old, self._snapshot(one.old), one.reason)

    def _snapshot(self, release: Release) -> Snapshot:
        return self._snapshots.setdefault(id(release), Snapshot(release, self.line.store))

    def uses(self) -> dict[str, Sequence[Use]]:
        """What each file of the consumer uses."""
        return {analysis.path: analysis.uses for analysis in self._audit({}, 0)[1]}

    def rescan(self, files: Files, number: int) -> tuple[Sequence[Finding], Sequence[CallSite]]:
        """What a release finds in the changed consumer, and its calls there."""
        audit, analyses = self._audit(files, number)
        return identified(audit.findings(analyses)), audit.call_sites(analyses)

    def call_sites(self) -> tuple[CallSite, ...]:
        """The calls of the consumer as it is, each with the releases that see it so, where that is not all."""
        seen: dict[CallSite, list[str]] = {}
        for number, one in enumerate(self.prepared):
            audit, analyses = self._audit({}, number)
            for site in dict.fromkeys(audit.call_sites(analyses)):
                seen.setdefault(site, []).append(label_of(one.spec))
        sites = [
            msgspec.structs.replace(site, releases=() if len(labels) == len(self.prepared) else tuple(labels))
            for site, labels in seen.items()
        ]
        return tuple(sorted(sites, key=lambda site: (site.span.path, site.span.line, site.span.column)))

    def by_name(self) -> tuple[ByName, ...]:
        """How the consumer may call methods by their name."""
        return by_name(self._packs)

    def _audit(self, files: Files, number: int) -> tuple[Audit, list[FileAnalysis]]:
        key = tuple(sorted(files.items()))
        if key not in self._changed:
            sources = self.line.sources.replaced(files) if files else self.line.sources
            first = Audit(sources, [self._pairs[-1]], self.line.store, self._packs, self.line.options.selection)
            analyses = first.uses()
            if len(self._changed) > 4:
                self._changed.pop(next(iter(self._changed)))
            self._changed[key] = (first, analyses)
        first, analyses = self._changed[key]
        return first.against([self._pairs[number]]), analyses

    def misfits(self, files: Files, number: int) -> list[Finding]:
        """What of the changed consumer surely does not fit a release, whatever it was written for."""
        audit, analyses = self._trial(files)
        return [finding for finding in self._alone(audit, analyses, number) if finding.severity == "error"]

    def leaks(self, files: Files, number: int) -> list[Finding]:
        """What the changed consumer does anywhere that a release does not know, and that it did not do there before.

        On the changed files it is compared with both ends of the range as well: some checks need to see what was.
        """
        audit, analyses = self._trial(files)
        last = len(self._pairs) - 1
        found = self._alone(audit, analyses, number)
        known = set(self._known_errors(number, number))
        mine = [analysis for analysis in analyses if analysis.path in files]
        for home in {0, last} - {number}:
            found += audit.against([self._between(home, number)]).findings(mine)
            known |= self._known_errors(home, number)
        return [finding for finding in found if finding.severity == "error" and _drift(finding) not in known]

    def attempt(self, files: Files, home: int, number: int) -> Trial:
        """What holds in one release and not in another, on the lines of the changed files that are changed."""
        lines = {
            path: hunks.changed_lines(hunks.make(path, self._contents[path], data))
            for path, data in files.items()
            if self._contents[path] != data
        }
        audit, analyses = self._trial(files)
        mine = [analysis for analysis in analyses if analysis.path in lines]
        found = self._found(audit, mine, home, number)
        trial = Trial(uses=tuple(use for analysis in mine for use in (*analysis.uses, *analysis.loose)))

        def edited(finding: Finding) -> bool:
            use = trial.use(finding)
            span = use.span if use is not None else finding.span
            return not lines[span.path].isdisjoint(range(span.line, span.end_line + 1))

        known = self._known_errors(home, number) if found else frozenset()
        errors = tuple(f for f in found if f.severity == "error" and _drift(f) not in known and edited(f))
        return msgspec.structs.replace(trial, errors=errors)

    def _known_errors(self, home: int, number: int) -> frozenset[tuple[object, ...]]:
        """What holds in one release and not in another as the consumer is."""
        if (home, number) not in self._errors:
            audit, analyses = self._unruled
            found = self._found(audit, analyses, home, number)
            self._errors[home, number] = frozenset(_drift(f) for f in found if f.severity == "error")
        return self._errors[home, number]

    def _found(self, audit: Audit, analyses: Sequence[FileAnalysis], home: int, number: int) -> list[Finding]:
        """What does not fit a release: though it fits another one, or whatever it may have been written for."""
        found = self._alone(audit, analyses, number)
        return found + (audit.against([self._between(home, number)]).findings(analyses) if home != number else [])

    def _alone(self, audit: Audit, analyses: Sequence[FileAnalysis], number: int) -> list[Finding]:
        """What surely does not fit a release, whatever it was written for."""
        return audit.against([alone(self._pairs[number])]).findings(analyses)

    def _between(self, home: int, number: int) -> Pair:
        made_for, new = self._pairs[home], self._pairs[number]
        return msgspec.structs.replace(new, old=made_for.new, old_version=made_for.new_version)

    def _trial(self, files: Files) -> tuple[Audit, list[FileAnalysis]]:
        """The changed consumer without any rules: they tell of one way only."""
        key = tuple(sorted(files.items()))
        if key not in self._trials:
            sources = self.line.sources.replaced(files)
            audit = Audit(sources, [self._pairs[-1]], self.line.store, (), Selection())
            self._trials.clear()
            self._trials[key] = (audit, audit.uses())
        return self._trials[key]


def _drift(finding: Finding) -> tuple[object, ...]:
    """What a finding has in common with itself after a place has moved."""
    return finding.rule, finding.symbol, finding.argument, finding.span.path, finding.scope, finding.text
