"""Audits every published version of a consumer against one release, and names the one that fits it best."""

from __future__ import annotations

import time
from collections.abc import Sequence

from auditor.errors import SpecError
from auditor.matrix.line import label_of, triaged
from auditor.matrix.releases import FINAL, Range, expanded
from auditor.matrix.spreading import Batch, Engine, shares
from auditor.matrix.table import Column, Fit, Fits
from auditor.options import Options
from auditor.packages.release import open_release
from auditor.resolution import open_store
from auditor.setting import setting_of


def fits(options: Options, chosen: Range = FINAL, engine: Engine = "processes") -> Fits:
    """Audit all versions that `options.consumers` allows against the one release of `options.against`.

    Args:
        options: The arguments of the audits.
        chosen: Which versions of a range count.
        engine: Where the audits run.

    Raises:
        AuditError: The release or the list of versions could not be had; a version that cannot be audited says why.
    """
    started = time.monotonic()
    if len(options.consumers) != 1 or len(options.against) != 1:
        raise SpecError("one consumer's versions are compared on one release", hint="Name each once")
    with open_store(options) as (store, index):
        options.progress("opening the consumer")
        specs = expanded(options.consumers, index, chosen)
        release = open_release(options.against[0], store=store, index=index, offline=options.offline)
        target = f"{release.name} {release.version or label_of(options.against[0])}"

        common = setting_of(options)
        found: dict[str, Fit] = {}
        useful: frozenset[str] = frozenset()
        # Alone, the first fills the store with the modules that the others will need too.
        for wave in (specs[:1], specs[1:]):
            batches = [Batch(tuple(options.against), tuple(useful), spec) for spec in wave]
            for share in shares(common, batches, engine):
                useful |= frozenset(share.useful)
                index.traffic.add(received=share.received, requests=share.requests)
                spec = share.batch.consumer or ""
                found[spec] = _counted(label_of(spec), triaged(share.columns[0], options.triage))
                options.progress("auditing versions", len(found), len(specs))
        versions = [found[spec] for spec in specs]
        return Fits(
            consumer=label_name(specs[0]),
            release=target,
            versions=tuple(versions),
            best=best(versions),
            stats={
                "versions": len(versions),
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
