"""The pipeline: arguments -> snapshots -> uses -> findings -> fixes -> patches -> report. It reads like a sentence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from auditor.audit import Audit, open_audit
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.source import Sources
from auditor.decoding import decode_leniently
from auditor.examining import Examination, examine
from auditor.fingerprint import identified
from auditor.fixing import with_fixes
from auditor.inventory import snapshot
from auditor.migrations import by_name
from auditor.model import CallSite, ConsumerInfo, Finding, Problem, ProviderInfo, Report
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.resolution import Pair, open_consumer, open_store
from auditor.suppressions import MARK, applied

if TYPE_CHECKING:
    from auditor.opinions import Checker


def scan(options: Options) -> Report:
    """Audit a consumer against provider releases.

    Raises:
        AuditError: Something that the audit needs could not be had; nothing was written.
    """
    started = time.monotonic()
    checker = _checker(options.second_opinion) if options.second_opinion is not None else None
    with open_store(options) as (store, index):
        sources = open_consumer(options, store, index)
        audit = open_audit(options, sources, store, index)
        examined = examine(audit, options, index)
        repaired = list(with_fixes(examined.findings, examined.analyses, audit.old, audit.new))
        if checker is not None:
            options.progress(f"asking {checker.name}")
            repaired = _with_second_opinion(repaired, checker, audit)
        findings = identified(repaired)
        texts = _texts(sources, findings)
        findings, unused = applied(findings, texts)
        report = Report(
            consumer=ConsumerInfo(sources.name, sources.version, sources.origin, len(sources.modules)),
            providers=tuple(map(_provider_info, audit.pairs)),
            findings=findings,
            problems=(*_problems(examined.analyses), *(c.unused for c in unused), *examined.coverage.problems),
            call_sites=tuple(examined.call_sites),
            by_name=by_name(audit.packs),
            files=tuple(sources.modules.values()),
            sources=texts,
        )
        if options.triage is not None:
            report = options.triage(report)
        if options.patch_dir is not None:
            options.progress("writing patches")
            report = _patched(report, audit, options, index, options.patch_dir)
        return msgspec.structs.replace(report, stats=_stats(report, audit, examined, index, started))


def _checker(name: str) -> Checker:
    from auditor.opinions import checker

    return checker(name)


def _with_second_opinion(findings: Iterable[Finding], checker: Checker, audit: Audit) -> list[Finding]:
    from auditor.opinions import Offer, merged, second_opinion

    offers = [Offer(pair.old.release, pair.new.release) for pair in audit.pairs]
    heard = second_opinion(checker, audit.sources, offers)
    return merged(findings, heard, checker.name, [pair.name for pair in audit.pairs])


def _patched(report: Report, audit: Audit, options: Options, index: PackageIndex, folder: Path) -> Report:
    from auditor.patching import Release, write_audit, write_patches

    def rescan(files: Mapping[str, bytes]) -> tuple[Sequence[Finding], Sequence[CallSite]]:
        again = Audit(audit.sources.replaced(files), audit.pairs, audit.store, audit.packs, audit.selection)
        examined = examine(again, options, index)
        return identified(examined.findings), examined.call_sites

    report = write_patches(report, audit.sources, [Release(report.findings, rescan)], folder)
    write_audit(report, folder)
    return report


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
    report: Report, audit: Audit, examined: Examination, index: PackageIndex, started: float
) -> dict[str, int | float]:
    return {
        "files": len(audit.sources.modules),
        "files_touching": len(examined.analyses),
        "uses": sum(len(a.uses) for a in examined.analyses),
        "call_sites": len(report.call_sites),
        "unresolved_call_sites": sum(site.verdict == "unknown" for site in report.call_sites),
        "modules_parsed": audit.parsed + examined.parsed,
        "traffic_bytes": index.traffic.received,
        "requests": index.traffic.requests,
        "seconds": round(time.monotonic() - started, 3),
        **examined.coverage.stats,
    }


__all__ = ["Options", "scan", "snapshot"]
