"""Every release of a range as one report: where each finding breaks, what is true, and patches for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from auditor.decoding import decode_leniently
from auditor.errors import SpecError
from auditor.guarding import Guarded, Release, Style, guarded
from auditor.matrix import Line, Range, Table, assembled, audited, expanded
from auditor.matrix.line import Prepared
from auditor.model import Finding, ProviderInfo, Report
from auditor.model import Range as Audited
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.spec import is_range
from auditor.ranges.ends import merge_reports
from auditor.ranges.trials import Bench
from auditor.resolution import open_consumer, open_store
from auditor.scan import scan


def scan_ranges(options: Options, chosen: Range, style: Style | None = None) -> Report:
    """Audit a consumer against every release of each range in `options.against`, and against what else it names.

    Args:
        options: The arguments of an audit.
        chosen: Whether pre-releases count.
        style: What guards ask for; by default what the consumer's own guards ask for.

    Raises:
        AuditError: The consumer or the list of releases could not be had; nothing was written.
    """
    single = tuple(text for text in options.against if not is_range(text))
    reports = []
    if single:
        reports.append(scan(msgspec.structs.replace(options, against=single)))
    for text in options.against:
        if text not in single:
            find = partial(_published, text, chosen)
            reports.append(_scan_range(options, find, text, style))
    return reports[0] if len(reports) == 1 else merge_reports(reports)


def scan_releases(options: Options, specs: Sequence[str], asked: str, style: Style | None = None) -> Report:
    """Audit a consumer against some releases of one provider, given one by one and in order.

    Args:
        options: The arguments of an audit; `against` is not looked at.
        specs: The releases.
        asked: What to call them together.
        style: What guards ask for.
    """
    return _scan_range(options, lambda _: list(specs), asked, style)


def _scan_range(options: Options, find: Callable[[PackageIndex], list[str]], asked: str, style: Style | None) -> Report:
    started = time.monotonic()
    with open_store(options) as (store, index):
        options = msgspec.structs.replace(options, repaired=True)
        line = Line(options, open_consumer(options, store, index), store, index)
        specs = find(index)
        if not specs:
            raise SpecError("no release is in the range", where=asked)
        columns = []
        for column in audited(line, specs):
            columns.append(column)
            options.progress("auditing releases", len(columns), len(specs))
        table = assembled(line, columns, specs[0], index, started)  # several ranges, `or` between, are no specification
        if not any(column.failure is None for column in columns):
            raise SpecError(f"no release could be audited; {columns[0].release}: {columns[0].failure}", where=asked)
        prepared = [line.prepare(spec) for spec, c in zip(specs, columns, strict=True) if c.failure is None]
        report = _report(line, table, prepared, asked)
        if options.patch_dir is not None and prepared:
            report = _Patching(line, prepared, report, table, style).patched(options)
        return msgspec.structs.replace(
            report, stats={**report.stats, **table.stats, "seconds": round(time.monotonic() - started, 3)}
        )


def _published(text: str, chosen: Range, index: PackageIndex) -> list[str]:
    return expanded((text,), index, chosen)


def _report(line: Line, table: Table, ready: Sequence[Prepared], asked: str) -> Report:
    """The table as a report: each row is a finding as the first release that breaks it says it."""
    found: list[Finding] = []
    every = {f.id: f for column in reversed(table.columns) for f in column.findings}
    shown: set[str] = set()
    for row in table.rows:
        shown.add(row.id)
        found.append(msgspec.structs.replace(every[row.id], severity=row.severity, intervals=row.intervals))
    found += [finding for id_, finding in every.items() if id_ not in shown]
    found.sort(key=lambda f: (f.span.path, f.span.line, f.span.column, f.rule))
    providers: tuple[ProviderInfo, ...] = ()
    if ready:
        last = ready[-1]
        olds = list(dict.fromkeys(one.old.version or one.old.origin for one in ready))
        packages = tuple(dict.fromkeys(p for one in ready for p in one.release.packages))
        clean = [column.clean for column in table.columns]
        labels = tuple(column.release for column in table.columns)
        span = Audited(
            asked=asked,
            releases=labels,
            old=tuple(olds),
            clean=table.clean,
            widest=widest(table.provider, labels, clean),
        )
        providers = (
            ProviderInfo(
                table.provider,
                packages,
                last.old.version,
                last.release.version or last.release.origin,
                last.old.origin,
                last.release.origin,
                last.reason,
                span,
            ),
        )
    texts = line.sources.read({finding.span.path for finding in found})
    return Report(
        consumer=line.consumer,
        providers=providers,
        findings=tuple(found),
        problems=tuple(table.failures),
        files=tuple(line.sources.modules.values()),
        sources={path: decode_leniently(data) for path, data in texts.items()},
    )


def widest(provider: str, labels: Sequence[str], true: Sequence[bool]) -> str | None:
    """The longest run of releases in which something is true, the later of equals, as a requirement."""
    best: tuple[int, int] = (0, 0)
    start = None
    for number, holds in enumerate([*true, False]):
        if holds and start is None:
            start = number
        elif not holds and start is not None:
            if number - start >= best[1] - best[0]:
                best = (start, number)
            start = None
    first, end = best
    if first == end:
        return None
    if end - first == 1:
        return f"{provider}=={labels[first]}"
    return f"{provider}>={labels[first]},<={labels[end - 1]}"


class _Patching:
    """Makes one set of patches for all releases.

    Args:
        line: The consumer.
        prepared: The releases that could be read, in order.
        report: What was found.
        table: The same, release by release.
        style: What guards ask for.
    """

    def __init__(
        self, line: Line, prepared: Sequence[Prepared], report: Report, table: Table, style: Style | None
    ) -> None:
        self.line = line
        self.report = report
        self.columns = [column for column in table.columns if column.failure is None]
        self.bench = Bench(line, prepared)
        self.style = style

    def patched(self, options: Options) -> Report:
        """The report with the patches that were written, and what is left in which release once they are applied."""
        from auditor.patching import Release as Proving
        from auditor.patching import write_audit, write_patches

        assert options.patch_dir is not None
        options.progress("making patches")
        report = self._with_fixes()
        options.progress("writing patches")
        releases = [
            Proving(
                column.findings,
                lambda files, n=number: self.bench.rescan(files, n),  # type: ignore[misc]
                column.release,
                (column.old, *sorted((f.id, f.fix is None) for f in column.findings)),
                lambda files, n=number: self.bench.leaks(files, n),  # type: ignore[misc]
            )
            for number, column in enumerate(self.columns)
        ]
        report = self._proven(write_patches(report, self.line.sources, releases, options.patch_dir))
        report = msgspec.structs.replace(report, call_sites=self.bench.call_sites(), by_name=self.bench.by_name())
        write_audit(report, options.patch_dir)
        return report

    def _with_fixes(self) -> Report:
        attempt = self.bench.attempt
        releases = [
            Release(column.release, column.version, audit.new, column.open)
            for column, audit in zip(self.columns, self.bench.audits, strict=True)
        ]
        contents = self.line.sources.read(self.line.sources.modules.values())
        fixes: dict[str, Guarded] = {}
        for one in guarded(releases, contents, self.bench.uses(), attempt, self.style):
            fixes.update(dict.fromkeys(one.findings, one))
        findings = []
        for finding in self.report.findings:
            known = fixes.get(finding.id)
            if known is not None:
                finding = msgspec.structs.replace(finding, fix=known.fix, unfixed=known.unfixed)
            findings.append(finding)
        return msgspec.structs.replace(self.report, findings=tuple(findings))

    def _proven(self, report: Report) -> Report:
        from auditor.patches.series import patched

        contents = self.line.sources.read(self.line.sources.modules.values())
        after = patched(report.patches, contents)
        changed = {path: data for path, data in after.items() if contents[path] != data}
        accepted = {_place(f) for f in report.findings if f.state != "open"}
        unrepaired = {f.id for f in report.findings if f.fix is None or f.fix.patch is None}
        drifting = {_place(f) for f in report.findings if f.severity == "error"}
        clean = []
        for number in range(len(self.columns)):
            found = self.bench.rescan(changed, number)[0] if changed else self.columns[number].open
            unfit = [f for f in self.bench.misfits(changed, number) if _place(f) in drifting]
            kept = [f for f in self.columns[number].open if f.id in unrepaired]
            left = [f for f in (*found, *unfit, *kept) if _place(f) not in accepted]
            clean.append(all(finding.severity == "info" for finding in left))
        labels = [column.release for column in self.columns]
        provider = report.providers[0]
        assert provider.range is not None
        span = msgspec.structs.replace(
            provider.range,
            proven=tuple(label for label, is_clean in zip(labels, clean, strict=True) if is_clean),
            widest_patched=widest(provider.name, labels, clean),
        )
        return msgspec.structs.replace(report, providers=(msgspec.structs.replace(provider, range=span),))


def _place(finding: Finding) -> tuple[object, ...]:
    """What a finding has in common with itself after a place has moved, and in other releases."""
    return finding.rule, finding.symbol, finding.argument, finding.span.path, finding.scope
