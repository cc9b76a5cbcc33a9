"""Reads a consumer's files, many of them on all cores: the consumer room's walk over the provider room's reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from auditor.api import ModuleApi
from auditor.consumer.analysis import Job
from auditor.pool import Work, spare_cores, spread

_ALONE = 500_000
"""Bytes of source that are read sooner than a helper has started."""
_BATCH = 60_000
"""Bytes of source that are worth a message."""
_ENCODER = msgspec.msgpack.Encoder()
_NAMES = msgspec.msgpack.Decoder(frozenset[str])
_JOBS = msgspec.msgpack.Decoder(tuple[Job, ...])
_READ = msgspec.msgpack.Decoder(tuple[tuple[str, bytes], ...])


def read_all(jobs: Sequence[Job], interesting: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Read files, in any order: the module of each, and the encoded `ConsumerModule`."""
    helpers = spare_cores() if sum(len(job.source) for job in jobs) > _ALONE else 0
    context = _ENCODER.encode(sorted(interesting))
    for reply in spread(f"{__name__}:reader", context, _batches(jobs), helpers=helpers):
        yield from _READ.decode(reply)


def reader(context: bytes) -> Work:
    """Reads one batch."""
    from auditor.consumer.files import read_file  # not imported, nor griffe, where the store knows the answers

    interesting = _NAMES.decode(context)

    def read(batch: bytes) -> bytes:
        jobs = _JOBS.decode(batch)
        return _ENCODER.encode([(job.name, _ENCODER.encode(read_file(job, interesting, _module))) for job in jobs])

    return read


def _batches(jobs: Sequence[Job]) -> Iterator[bytes]:
    """Batches of about one size, the largest files first."""
    batch: list[Job] = []
    size = 0
    for job in sorted(jobs, key=lambda job: len(job.source), reverse=True):
        batch.append(job)
        size += len(job.source)
        if size >= _BATCH:
            yield _ENCODER.encode(batch)
            batch, size = [], 0
    if batch:
        yield _ENCODER.encode(batch)


def _module(name: str, source: bytes, is_package: bool) -> ModuleApi:
    from auditor.provider.signatures import read_module

    return read_module(name, source, is_package=is_package)
