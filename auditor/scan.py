"""The pipeline: arguments -> snapshots -> uses -> findings -> fixes -> patches -> report. It reads like a sentence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

import msgspec

from auditor.consumer.analysis import FileAnalysis, Job
from auditor.consumer.source import Sources
from auditor.consumer.tree import ConsumerTree
from auditor.coverage import Coverage, coverage
from auditor.decoding import decode_leniently
from auditor.fingerprint import identified
from auditor.fixing import with_fixes
from auditor.inventory import snapshot
from auditor.matching import Matching, unset
from auditor.migrations import Migrations, by_name, outsiders, packs_for
from auditor.model import CallSite, ConsumerInfo, Finding, Problem, ProviderInfo, Report, Use
from auditor.options import Options, Selection
from auditor.packages.index import PackageIndex
from auditor.packages.store import Store
from auditor.portions import portion
from auditor.provider.snapshot import Snapshot, prefetch
from auditor.resolution import Pair, open_consumer, open_pairs, open_store
from auditor.rulepack import Pack
from auditor.sides import PresumedSide, Side, by_default, path_of, presumed
from auditor.suppressions import MARK, applied
from auditor.terms import Import
from auditor.world.world import World


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
        self.matching = Matching()
        self.concerned: dict[int, bool] = {}
        """Which uses concern a provider, as all sides remember it."""
        self.old = self._old_side()
        self.new = self._side([pair.new for pair in pairs], [pair.new_version for pair in pairs])

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
        other.new = other._side([pair.new for pair in pairs], [pair.new_version for pair in pairs])
        return other

    def uses(self) -> list[FileAnalysis]:
        """The analyses of all files that touch a provider, with the modules they import read in one batch."""
        analyses = self.tree.analyses(self.tree.touching())
        modules = _imported_modules(analyses, self.providers)
        prefetch({release: modules for pair in self.pairs for release in (pair.old, pair.new)})
        return analyses

    def findings(self, analyses: Sequence[FileAnalysis]) -> list[Finding]:
        """What every check says of every use that is reached on the new side, then what is so by default only."""
        found, unsettled = self.matching.found(analyses, self.old, self.new)
        if not self.presumed and (variables := unset(self.sources, self.old, self.new)):
            likely, _ = self.matching.found(unsettled, self.old.by_default(variables), self.new.by_default(variables))
            places = {(finding.rule, finding.span) for finding in found}
            fresh = [finding for finding in likely if (finding.rule, finding.span) not in places]
            found += by_default(fresh, sorted(variables))
        unknown = {pair.name for pair in self.pairs if pair.old_origin is None}
        core = [presumed(finding) if finding.provider in unknown else finding for finding in found]
        return self._migrations().explained(core, analyses)

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
        return coverage((use for analysis in analyses for use in analysis.uses), self.old, self.new)

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


def scan(options: Options) -> Report:
    """Audit a consumer against provider releases.

    Raises:
        AuditError: Something that the audit needs could not be had; nothing was written.
    """
    started = time.monotonic()
    with open_store(options) as (store, index):
        sources = open_consumer(options, store, index)
        pairs = open_pairs(options, sources, store, index)
        packs = packs_for(options.rules, sources, _audited(pairs), store)
        audit = Audit(sources, pairs, store, packs, options.selection)
        options.progress("reading the consumer", 0, len(sources.modules))
        analyses = audit.uses()
        options.progress("matching")
        repaired = list(with_fixes(audit.findings(analyses), analyses, audit.old, audit.new))
        if options.second_opinion is not None:
            options.progress(f"asking {options.second_opinion}")
            repaired = _with_second_opinion(repaired, options.second_opinion, audit)
        findings = identified(repaired)
        sites = audit.call_sites(analyses)
        covered = audit.coverage(analyses)
        texts = _texts(sources, findings)
        findings, unused = applied(findings, texts)
        report = Report(
            consumer=ConsumerInfo(sources.name, sources.version, sources.origin, len(sources.modules)),
            providers=tuple(_provider_info(pair) for pair in pairs),
            findings=findings,
            problems=(*_problems(analyses), *(comment.unused for comment in unused), *covered.problems),
            call_sites=tuple(sites),
            by_name=by_name(packs),
            files=tuple(sources.modules.values()),
            sources=texts,
        )
        if options.triage is not None:
            report = options.triage(report)
        if options.patch_dir is not None:
            options.progress("writing patches")
            report = _patched(report, audit, options.patch_dir)
        return msgspec.structs.replace(
            report, stats={**_stats(report, audit, analyses, index, started), **covered.stats}
        )


def _read_all(jobs: Sequence[Job], interesting: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Read files of the consumer; nothing of what that takes is imported where the store knows them all."""
    from auditor.analysing import read_all

    return read_all(jobs, interesting)


def _audited(pairs: Sequence[Pair]) -> set[str]:
    """What the providers are called, as distributions and in imports."""
    return {name for pair in pairs for name in (pair.name, *pair.packages)}


def _with_second_opinion(findings: Iterable[Finding], name: str, audit: Audit) -> list[Finding]:
    from auditor.opinions import Offer, checker, merged, second_opinion

    offers = [Offer(pair.old.release, pair.new.release) for pair in audit.pairs]
    heard = second_opinion(checker(name), audit.sources, offers)
    return merged(findings, heard, name, [pair.name for pair in audit.pairs])


def _patched(report: Report, audit: Audit, folder: Path) -> Report:
    from auditor.patching import Release, write_audit, write_patches

    def rescan(files: Mapping[str, bytes]) -> tuple[Sequence[Finding], Sequence[CallSite]]:
        again = Audit(audit.sources.replaced(files), audit.pairs, audit.store, audit.packs, audit.selection)
        analyses = again.uses()
        return identified(again.findings(analyses)), again.call_sites(analyses)

    report = write_patches(report, audit.sources, [Release(report.findings, rescan)], folder)
    write_audit(report, folder)
    return report


def _imported_modules(analyses: Iterable[FileAnalysis], providers: Mapping[str, str]) -> list[str]:
    """Every dotted prefix that the consumer imports from a provider, whether it turns out to be a module or not."""
    wanted: dict[str, None] = {}
    for analysis in analyses:
        for use in analysis.uses:
            if use.kind in ("import", "string") and isinstance(use.term, Import):
                parts = use.term.path.split(".")
                if portion(use.term.path, providers) is not None:
                    wanted.update(dict.fromkeys(".".join(parts[:n]) for n in range(1, len(parts) + 1)))
    return list(wanted)


def _provider_info(pair: Pair) -> ProviderInfo:
    return ProviderInfo(
        pair.name,
        tuple(pair.packages),
        pair.old_version,
        pair.new_version or "",
        pair.old_origin,
        pair.new_origin,
        pair.reason,
    )


def _problems(analyses: Iterable[FileAnalysis]) -> list[Problem]:
    return [problem for analysis in analyses for problem in analysis.problems]


def _texts(sources: Sources, findings: Sequence[Finding]) -> dict[str, str]:
    """The text of each file that a report shows, or in which a finding may be suppressed."""
    contents = sources.read(sources.modules.values())
    shown = {f.span.path for f in findings} | {p for p, data in contents.items() if MARK.encode() in data}
    return {path: decode_leniently(contents[path]) for path in contents if path in shown}


def _stats(
    report: Report, audit: Audit, analyses: Sequence[FileAnalysis], index: PackageIndex, started: float
) -> dict[str, int | float]:
    return {
        "files": len(audit.sources.modules),
        "files_touching": len(analyses),
        "uses": sum(len(a.uses) for a in analyses),
        "call_sites": len(report.call_sites),
        "unresolved_call_sites": sum(site.verdict == "unknown" for site in report.call_sites),
        "modules_parsed": sum(s.parsed for pair in audit.pairs for s in (pair.old, pair.new)),
        "traffic_bytes": index.traffic.received,
        "requests": index.traffic.requests,
        "seconds": round(time.monotonic() - started, 3),
    }


__all__ = ["Audit", "Options", "scan", "snapshot"]
