"""Audits every published version of a consumer against one release, and names the one that fits it best."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from auditor.errors import AuditError, SpecError
from auditor.matrix.line import Line, label_of
from auditor.matrix.releases import FINAL, Range, expanded
from auditor.matrix.table import Column, Fit, Fits
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import open_release
from auditor.packages.store import Store
from auditor.resolution import open_consumer

_THREADS = 4


def fits(options: Options, chosen: Range = FINAL) -> Fits:
    """Audit all versions that `options.consumers` allows against the one release of `options.against`.

    Raises:
        AuditError: The release or the list of versions could not be had; a version that cannot be audited says why.
    """
    started = time.monotonic()
    if len(options.consumers) != 1 or len(options.against) != 1:
        raise SpecError("one consumer's versions are compared on one release", hint="Name each once")
    with Store.open(options.cache_dir) as store:
        index = PackageIndex(store, index_url=options.index_url, offline=options.offline)
        progress = options.on_progress or (lambda *_: None)
        progress("opening the consumer", 0, None)
        specs = expanded(options.consumers, index, chosen)
        release = open_release(options.against[0], store=store, index=index, offline=options.offline)
        target = f"{release.name} {release.version or label_of(options.against[0])}"

        def fetch(spec: str) -> None:
            opened = open_release(spec, store=store, index=index, offline=options.offline)
            opened.digests(opened.files)

        found = []
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="prefetch") as threads:
            ready = [threads.submit(fetch, spec) for spec in specs]
            useful: frozenset[str] = frozenset()
            for spec, future in zip(specs, ready, strict=True):
                try:
                    future.result()
                    one = msgspec.structs.replace(options, consumers=(spec,))
                    line = Line(one, open_consumer(one, store, index), store, index)
                    line.useful = useful
                    found.append(_counted(label_of(spec), line.column(line.prepare(options.against[0]))))
                    useful |= line.useful
                except AuditError as error:
                    found.append(Fit(version=label_of(spec), failure=str(error)))
                progress("auditing versions", len(found), len(specs))
        return Fits(
            consumer=label_name(specs[0]),
            release=target,
            versions=tuple(found),
            best=best(found),
            stats={
                "versions": len(found),
                "traffic_bytes": index.traffic.received,
                "requests": index.traffic.requests,
                "seconds": round(time.monotonic() - started, 3),
            },
        )


def _counted(version: str, column: Column) -> Fit:
    return Fit(
        version=version,
        errors=column.count("error"),
        warnings=column.count("warning"),
        notes=column.count("info"),
        old=column.old,
        failure=column.failure,
    )


def best(found: Sequence[Fit]) -> str | None:
    """The version with the fewest errors, then warnings; of equals the newest."""
    audited = [(fit.errors, fit.warnings, -number, fit.version) for number, fit in enumerate(found) if not fit.failure]
    return min(audited)[-1] if audited else None


def label_name(spec: str) -> str:
    """The distribution name in a specification of one version."""
    return spec.partition("==")[0]
