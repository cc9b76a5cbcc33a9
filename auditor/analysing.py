"""Reads a consumer's files, many of them on all cores: the consumer room's walk over the provider room's reader."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import msgspec

from auditor.api import ModuleApi
from auditor.consumer.analysis import Job
from auditor.pool import Work, batched, spare_cores, spread

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
    batches = map(_ENCODER.encode, batched(jobs, lambda job: len(job.source), helpers + 1, _BATCH))
    for reply in spread(f"{__name__}:reader", context, batches, helpers=helpers):
        yield from _READ.decode(reply)


def reader(context: bytes) -> Work:
    """Reads one batch."""
    from auditor.consumer.files import read_file  # not imported where the store knows the answers
    from auditor.consumer.stored import encoded

    interesting = _NAMES.decode(context)

    def read(batch: bytes) -> bytes:
        jobs = _JOBS.decode(batch)
        return _ENCODER.encode([(job.name, encoded(read_file(job, interesting, _module))) for job in jobs])

    return read


def _module(name: str, source: bytes, is_package: bool, tree: ast.Module | None) -> ModuleApi:
    from auditor.provider.signatures import read_module

    return read_module(name, source, is_package=is_package, tree=tree)
