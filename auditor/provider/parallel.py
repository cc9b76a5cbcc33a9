"""Reads many modules at once, on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from auditor.pool import Work, batched, spare_cores, spread

_FEW = 100
"""Modules that are read sooner than a helper has started."""
_BATCH = 100_000
"""Bytes of source that are worth a message."""


class Job(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One module to read; `key` is what it is called in the reply."""

    key: str
    path: str
    name: str
    source: bytes


class Done(NamedTuple):
    """A module that was read, encoded."""

    key: str
    data: bytes


_ENCODER = msgspec.msgpack.Encoder()
_JOBS = msgspec.msgpack.Decoder(tuple[Job, ...])
_DONE = msgspec.msgpack.Decoder(tuple[Done, ...])


def read_all(jobs: Iterable[Job], count: int, *, helpers: int | None = None) -> Iterator[Done]:
    """Read modules, in any order.

    Args:
        jobs: The modules; helpers start up while their sources are being fetched.
        count: How many modules these are.
        helpers: How many processes help; by default as many as there are further cores, and none if there is little
            to read.
    """
    if helpers is None:
        helpers = _affordable(count)
    batches = map(_ENCODER.encode, batched(jobs, lambda job: len(job.source), helpers + 1, _BATCH))
    for reply in spread(f"{__name__}:reader", b"", batches, helpers=helpers):
        yield from _DONE.decode(reply)


def reader(context: bytes) -> Work:
    """Reads one batch."""
    from auditor.provider.signatures import read_module  # not imported before helpers are started

    def read(job: Job) -> Done:
        file = job.path.rsplit("/", 1)[-1]
        is_package, is_stub = file.startswith("__init__."), file.endswith(".pyi")
        return Done(job.key, _ENCODER.encode(read_module(job.name, job.source, is_package=is_package, is_stub=is_stub)))

    del context
    return lambda batch: _ENCODER.encode([read(job) for job in _JOBS.decode(batch)])


def _affordable(count: int) -> int:
    return spare_cores() if count >= _FEW else 0
