"""Reads many modules at once, on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from auditor.api import ModuleApi
from auditor.pool import Work, spare_cores, spread
from auditor.provider.signatures import read_module

_FEW = 200
"""Modules that are read sooner than a helper has started."""
_BATCHES = 12
"""For each process: small enough that all end together, large enough that talk costs nothing."""


class Job(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One module to read."""

    path: str
    name: str
    source: bytes

    def read(self) -> ModuleApi:
        """Read it here."""
        file = self.path.rsplit("/", 1)[-1]
        return read_module(
            self.name, self.source, is_package=file.startswith("__init__."), is_stub=file.endswith(".pyi")
        )


class Done(NamedTuple):
    """A module that was read, encoded."""

    path: str
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
    for reply in spread(f"{__name__}:reader", b"", _batches(jobs, helpers + 1), helpers=helpers):
        yield from _DONE.decode(reply)


def reader(context: bytes) -> Work:
    """Reads one batch."""
    del context
    return lambda batch: _ENCODER.encode([Done(job.path, _ENCODER.encode(job.read())) for job in _JOBS.decode(batch)])


def _affordable(count: int) -> int:
    return spare_cores() if count >= _FEW else 0


def _batches(jobs: Iterable[Job], processes: int) -> Iterator[bytes]:
    """Batches of about one size, the largest modules first."""
    ordered: Sequence[Job] = sorted(jobs, key=lambda job: len(job.source), reverse=True)
    limit = sum(len(job.source) for job in ordered) // (processes * _BATCHES)
    batch: list[Job] = []
    size = 0
    for job in ordered:
        batch.append(job)
        size += len(job.source)
        if size >= limit:
            yield _ENCODER.encode(batch)
            batch, size = [], 0
    if batch:
        yield _ENCODER.encode(batch)
