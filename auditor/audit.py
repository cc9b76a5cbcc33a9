"""One consumer between two releases of its providers: what it uses, and what is found about that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy

import msgspec

from auditor.checks import all_foresights
from auditor.consumer.analysis import FileAnalysis, Job
from auditor.consumer.source import Sources
from auditor.consumer.tree import ConsumerTree
from auditor.coverage import Coverage, coverage, together
from auditor.decoding import decode_leniently
from auditor.matching import Matching
from auditor.migrations import Migrations, outsiders, packs_for
from auditor.model import CallSite, Finding, Use
from auditor.options import Options, Selection
from auditor.packages.index import PackageIndex
from auditor.packages.store import Store
from auditor.portions import portion
from auditor.provider.following import follow, spelled
from auditor.provider.snapshot import Snapshot
from auditor.resolution import Pair, open_pairs
from auditor.rulepack import Pack
from auditor.sides import PresumedSide, Side, Unmentioned, Variants, path_of, presumed
from auditor.terms import Import, Member
from auditor.world.world import World


class Examined(msgspec.Struct, frozen=True):
    """What is found in one file of a consumer."""

    findings: tuple[Finding, ...]
    call_sites: tuple[CallSite, ...]
    coverage: Coverage


class Audit:
    """One consumer between the old and the new side of its providers; sources can be exchanged for a re-scan.

    Args:
        sources: The consumer's files.
        pairs: For each provider both releases.
        store: Keeps what was read.
        packs: The migration rules of interest.
        selection: Which rules are wanted.
    """

    def __init__(
        self,
        sources: Sources,
        pairs: Sequence[Pair],
        store: Store,
        packs: Sequence[Pack] = (),
        selection: Selection = Selection(),  # noqa: B008 - frozen
    ) -> None:
        self.sources = sources
        self.pairs = pairs
        self.store = store
        self.packs = packs
        self.selection = selection
        packages = [p for pair in pairs for p in pair.packages]
        self.tree = ConsumerTree(sources, packages, _read_all, store, outsiders(packs, packages))
        self.providers = {package: pair.name for pair in pairs for package in pair.packages}
        self.concerned: dict[int, bool] = {}
        """Which uses concern a provider, as all sides remember it."""
        self.variants = Variants()
        self.unset = Unmentioned(sources)
        self.old = self._old_side()
        self._turn_to_new()

    @property
    def parsed(self) -> int:
        """How many modules of the providers were parsed, since the store did not have them."""
        return sum(side.parsed for pair in self.pairs for side in dict.fromkeys((pair.old, pair.new)))

    @property
    def presumed(self) -> set[str]:
        """Import names of the providers of which no old release is known."""
        return {package for pair in self.pairs if pair.old_origin is None for package in pair.packages}

    def _old_side(self) -> Side:
        side = self._side([pair.old for pair in self.pairs], [pair.old_version for pair in self.pairs])
        unknown = self.presumed
        if not unknown:
            return side
        return PresumedSide(side.world, side.versions, side.providers, unknown, self.concerned)

    def _side(self, snapshots: Sequence[Snapshot], versions: Sequence[str | None]) -> Side:
        known: dict[str, str] = {}
        for pair, version in zip(self.pairs, versions, strict=True):
            for name in (pair.name, *pair.packages):
                if version is not None:
                    known[name] = version
        return Side(World([self.tree, *snapshots]), known, self.providers, self.concerned)

    def against(self, pairs: Sequence[Pair]) -> Audit:
        """The same consumer, read once, between other releases of the same packages; an equal old side is shared."""
        other = copy(self)
        other.pairs = pairs
        if [(pair.old, pair.old_origin) for pair in pairs] != [(pair.old, pair.old_origin) for pair in self.pairs]:
            other.old = other._old_side()
        other._turn_to_new()
        return other

    def _turn_to_new(self) -> None:
        self.new = self._side([pair.new for pair in self.pairs], [pair.new_version for pair in self.pairs])
        self.matching = Matching(self.old, self.new, self.variants, None if self.presumed else self.unset)
        self.migrations = self._migrations()

    def analyses(self) -> list[FileAnalysis]:
        """The analyses of all files that touch a provider."""
        return self.tree.analyses(self.tree.touching)

    def uses(self) -> list[FileAnalysis]:
        """The same, with the modules they will ask for read in a few batches."""
        analyses = self.analyses()
        named = _named(analyses, self.providers)
        releases = [release for pair in self.pairs for release in (pair.old, pair.new)]
        follow(dict.fromkeys(releases, named), self._foreseen(analyses))
        return analyses

    def _foreseen(self, analyses: Iterable[FileAnalysis]) -> set[str]:
        """Modules of the providers that the checks will look at though nothing imports them."""
        return {
            module
            for analysis in analyses
            for foreseen in all_foresights()
            for module in foreseen(analysis, self.old, self.new)
        }

    def examined(self, analysis: FileAnalysis) -> Examined:
        """All that is to be said of one file by itself."""
        return Examined(
            tuple(self.findings_in(analysis)), tuple(self.call_sites([analysis])), self.coverage([analysis])
        )

    def findings(self, analyses: Sequence[FileAnalysis]) -> list[Finding]:
        """What the checks and the rules say of some files."""
        found = [finding for analysis in analyses for finding in self.findings_in(analysis)]
        return [*found, *self.migrations.dispatched(analyses, found)]

    def findings_in(self, analysis: FileAnalysis) -> list[Finding]:
        """What the checks say of the uses in a file, and the rules, which may explain that better."""
        unknown = {pair.name for pair in self.pairs if pair.old_origin is None}
        found = self.matching.found(analysis)
        core = [presumed(finding) if finding.provider in unknown else finding for finding in found]
        return self.migrations.explained(core, analysis)

    def _migrations(self) -> Migrations:
        changed = {package for pair in self.pairs if pair.old is not pair.new for package in pair.packages}
        return Migrations(
            self.packs,
            self.old,
            self.new,
            lambda package: package in changed if package in self.providers else bool(changed),
            lambda path: decode_leniently(self.sources.read([path])[path]),
            self.selection.wants,
        )

    def call_sites(self, analyses: Iterable[FileAnalysis]) -> list[CallSite]:
        """Every audited call of a provider that is reached on the new side, for the runner."""
        calls = (use for analysis in analyses for use in analysis.uses if use.kind == "call")
        sites = (self._call_site(use) for use in calls if self.new.concerns(use) and self.new.reached(use))
        return [site for site in sites if site is not None]

    def coverage(self, analyses: Iterable[FileAnalysis]) -> Coverage:
        """How many uses of the providers could be resolved, and why the others could not."""
        return together(coverage(analysis.uses, self.old, self.new) for analysis in analyses)

    def _call_site(self, use: Use) -> CallSite | None:
        outcome = self.new.call(use)
        path = outcome.callee.path if outcome.callee is not None else path_of(self.new.value(use.term))
        if path is None or self.new.provider_of(path) is None:
            return None
        shape = self.new.shape(use)
        return CallSite(
            use.span,
            path,
            shape.positional,
            shape.keywords,
            shape.star,
            shape.double_star,
            self.new.signature(outcome.callee).text if outcome.callee is not None else None,
            "fits" if outcome.status == "fits" else "unknown" if outcome.status == "unknown" else "broken",
        )


def open_audit(options: Options, sources: Sources, store: Store, index: PackageIndex) -> Audit:
    """The audit that some arguments ask for.

    Raises:
        AuditError: A release cannot be had, or a rule cannot be read.
    """
    pairs = open_pairs(options, sources, store, index)
    names = {name for pair in pairs for name in (pair.name, *pair.packages)}
    return Audit(sources, pairs, store, packs_for(options.rules, sources, names, store), options.selection)


def _read_all(jobs: Sequence[Job], interesting: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Read files of the consumer; nothing of what that takes is imported where the store knows them all."""
    from auditor.analysing import read_all

    return read_all(jobs, interesting)


def _named(analyses: Iterable[FileAnalysis], providers: Mapping[str, str]) -> set[str]:
    """Every dotted path into a provider that the consumer imports, names in a string, or asks of what it imports."""
    terms = (use.term for analysis in analyses for use in analysis.uses)
    paths = {spelled(term) for term in terms if isinstance(term, Import | Member)}
    return {path for path in paths if path is not None and portion(path, providers) is not None}
