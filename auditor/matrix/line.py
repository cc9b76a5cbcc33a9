"""One consumer, read once, beside one release after another: each gives a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock

import msgspec

from auditor.audit import Audit
from auditor.claims import claimed, current_version, old_version
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.source import Sources
from auditor.decoding import decode_leniently
from auditor.errors import AuditError, SpecError
from auditor.fingerprint import identified
from auditor.fixing import with_fixes
from auditor.matrix.keeping import consumer_digest, keep, key_of, recall, release_digest
from auditor.matrix.table import Column
from auditor.migrations import packs_for
from auditor.model import ConsumerInfo, Finding, ProviderInfo, Report
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, open_release
from auditor.packages.spec import FolderSpec, IndexSpec, parse_spec
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot, prefetch
from auditor.resolution import GIVEN, Pair, dropped, pair_of, stated
from auditor.suppressions import MARK, applied


class Prepared(msgspec.Struct, frozen=True):
    """A release that is ready to be matched: opened, its old side chosen, and the column if it was kept."""

    spec: str
    release: Release
    old: Release
    reason: str
    key: str
    kept: Column | None


class Line:
    """Audits one consumer against releases, in any order; `prepare` may run in threads beside `column`.

    Args:
        options: The consumer, the rules, and `from_` where the old side is given.
        sources: Its files.
        store: Keeps what was read and found.
        index: The package indexes.
    """

    def __init__(self, options: Options, sources: Sources, store: Store, index: PackageIndex) -> None:
        self.options = options
        self.sources = sources
        self.store = store
        self.index = index
        self.consumer = ConsumerInfo(sources.name, sources.version, sources.origin, len(sources.modules))
        self.useful: frozenset[str] = frozenset()
        """Files of the provider that some release was asked for: its neighbours will be asked for them too."""
        self._digest = consumer_digest(sources)
        self._texts = {
            path: decode_leniently(data)
            for path, data in sources.read(sources.modules.values()).items()
            if MARK.encode() in data
        }
        self._audits: dict[tuple[tuple[str, ...], int], Audit] = {}
        """By import packages and old side; under 0 the first of these packages, with which all share the consumer."""
        self._analyses: dict[tuple[str, ...], list[FileAnalysis]] = {}
        self._opened: dict[str, Release] = {}
        self._snapshots: dict[int, Snapshot] = {}
        self._contents: dict[int, str] = {}
        self._claims: dict[str, tuple[str, ...]] = {}
        self._lock = Lock()

    @property
    def problems(self) -> int:
        """Places of the consumer that could not be audited."""
        return max((sum(len(a.problems) for a in found) for found in self._analyses.values()), default=0)

    def prepare(self, spec: str) -> Prepared:
        """Open a release, and fetch what its neighbours needed unless its column is known."""
        release = self._open(spec)
        old, reason = self._old(release, indexed=isinstance(parse_spec(spec), IndexSpec))
        digest = f"{self._digest}:{self.options.repaired}:{self._has_several_old_sides(release)}"
        key = key_of(digest, self._content(old), self._content(release), self.options.rules, self.options.selection)
        kept = recall(self.store, key)
        if kept is None:
            release.digests(path for path in sorted(self.useful) if path in release.files)
        return Prepared(spec, release, old, reason, key, kept)

    def column(self, prepared: Prepared) -> Column:
        """What the release does to the consumer, as it was kept or as it is found now."""
        label = label_of(prepared.spec)
        if prepared.kept is not None:
            return triaged(msgspec.structs.replace(prepared.kept, release=label), self.options.triage)
        try:
            column = self._audited(prepared, label)
        except AuditError as error:
            return failed(label, error)
        keep(self.store, prepared.key, column)
        return triaged(column, self.options.triage)

    def _audited(self, prepared: Prepared, label: str) -> Column:
        release, old = prepared.release, prepared.old
        new_side = Snapshot(release, self.store)
        old_side = new_side if old is release else self._snapshot(old)
        new_side.claim(dropped(old, release, self.sources.packages))
        pair = pair_of(release, new_side, old, old_side, prepared.reason)
        audit = self._audit(pair)
        prefetch({new_side: self._modules(release, new_side)})
        analyses = self._analyses[tuple(pair.packages)]
        drift: Iterable[Finding] = audit.findings(analyses)
        if (end := self._other_end(release, old)) is not None:
            beside = audit.against([pair_of(release, new_side, end, self._snapshot(end), prepared.reason)])
            drift = [*drift, *(found for found in beside.findings(analyses) if found.severity == "error")]
            drift = {(one.rule, one.span, one.argument): one for one in reversed(drift)}.values()
        if self.options.repaired:
            drift = with_fixes(drift, analyses, audit.old, audit.new)
        found, _ = applied(identified(drift), self._texts)
        misfits: tuple[str, ...] = ()
        if self._has_several_old_sides(release):
            unfit = identified(audit.against([alone(pair)]).findings(analyses))
            misfits = tuple(finding.id for finding in unfit if finding.severity == "error")
        touched = new_side.touched()
        self.useful |= touched.keys() | old_side.touched().keys()
        return Column(
            release=label,
            name=release.name,
            version=release.version,
            origin=release.origin,
            old=old.version or old.origin,
            reason=prepared.reason,
            findings=found,
            misfits=misfits,
            modules=tuple(digest[:16] for digest in touched.values()),
            parsed=new_side.parsed,
        )

    def _audit(self, pair: Pair) -> Audit:
        """The audit of a pair, sharing the consumer and the old side with all others of the same old side."""
        known = self._audits.get((pair.packages, id(pair.old)), self._audits.get((pair.packages, 0)))
        if known is None:
            audited = {pair.name, *pair.packages}
            packs = packs_for(self.options.rules, self.sources, audited, self.store)
            audit = Audit(self.sources, [pair], self.store, packs, self.options.selection)
            self._analyses[pair.packages] = audit.uses()
            self._audits[pair.packages, 0] = audit
        else:
            audit = known.against([pair])
        if pair.old is not pair.new:
            self._audits[pair.packages, id(pair.old)] = audit
        return audit

    def _given(self, release: Release) -> Release | None:
        """The release of the same provider that the consumer was written for, where that is given."""
        given = [self._open(text) for text in self.options.from_]
        return stated(release, given, self.options.against, self.sources)

    def _has_several_old_sides(self, release: Release) -> bool:
        """Whether releases are compared with different ones; what broke in one of these already is no drift then."""
        return self._given(release) is None and len(self._ends(release.name)) > 1

    def _ends(self, provider: str) -> tuple[str, ...]:
        """The lowest and the highest release that the consumer declares to support."""
        if provider not in self._claims:
            try:
                versions = claimed(self.sources, provider, self.index).versions
            except AuditError:
                versions = ()
            self._claims[provider] = tuple(dict.fromkeys(str(version) for version in (*versions[:1], *versions[-1:])))
        return self._claims[provider]

    def _other_end(self, release: Release, old: Release) -> Release | None:
        """The end of the declared range that a release is not compared with: what fits that one must fit here too."""
        if not self._has_several_old_sides(release):
            return None
        other = next((end for end in reversed(self._ends(release.name)) if end != old.version), None)
        return self._open(f"{release.name}=={other}") if other not in (None, release.version) else None

    def _modules(self, release: Release, snapshot: Snapshot) -> list[str]:
        paths = {path: name for name, path in (*release.modules().items(), *release.stubs().items())}
        return [paths[path] for path in self.useful if path in paths and snapshot.has_module(paths[path])]

    def _snapshot(self, release: Release) -> Snapshot:
        return self._snapshots.setdefault(id(release), Snapshot(release, self.store))

    def _open(self, spec: str) -> Release:
        with self._lock:
            known = self._opened.get(spec)
        if known is None:
            known = open_release(spec, store=self.store, index=self.index, offline=self.options.offline)
            with self._lock:
                known = self._opened.setdefault(spec, known)
        return known

    def _content(self, release: Release) -> str:
        known = self._contents.get(id(release))
        if known is None:
            known = self._contents[id(release)] = release_digest(release)
        return known

    def _old(self, release: Release, *, indexed: bool) -> tuple[Release, str]:
        """The release to compare with: as given, else of those that the consumer declares, as a scan chooses it."""
        if (given := self._given(release)) is not None:
            return given, GIVEN
        chosen, reason = old_version(self.sources, release.name, release.version, self.index, indexed=indexed)
        if chosen is None:
            if indexed and release.version == current_version(self.sources, release.name, self.index):
                # No other is declared, and this one its neighbours are compared with: nothing has drifted in it.
                return release, f"{release.version} was current when {self.sources.name} was published"
            raise SpecError(reason, hint=f"Name it: `--from {release.name}==VERSION`")
        return self._open(f"{release.name}=={chosen}"), reason


def triaged(column: Column, triage: Callable[[Report], Report] | None) -> Column:
    """The column as the settings want it: what is left out and what is accepted."""
    if triage is None:
        return column
    provider = ProviderInfo(column.name, (), column.old, column.version or "", None, column.origin, column.reason)
    report = Report(consumer=ConsumerInfo("", None, "", 0), providers=(provider,), findings=column.findings)
    return msgspec.structs.replace(column, findings=triage(report).findings)


def alone(pair: Pair) -> Pair:
    """A release without an old side: what surely does not fit it is found, whatever it was written for."""
    return msgspec.structs.replace(pair, old=pair.new, old_version=None, old_origin=None)


def failed(label: str, error: AuditError) -> Column:
    """The column of a release that could not be audited."""
    return Column(release=label, failure=str(error))


def label_of(spec: str) -> str:
    """What to call a release in a table: its version, its git reference, or its folder."""
    parsed = parse_spec(spec)
    if isinstance(parsed, IndexSpec):
        return parsed.exact or parsed.text
    if isinstance(parsed, FolderSpec):
        return parsed.ref or parsed.path.name or spec
    return spec.rpartition("/")[2]


def modules_shared(columns: Iterable[Column]) -> tuple[int, int]:
    """How many modules all releases needed together, and how many different ones those are."""
    needed: Sequence[str] = [digest for column in columns for digest in column.modules]
    return len(needed), len(set(needed))
