"""Reads many modules at once, on all cores: helper processes and this one take batches until none is left.

The helpers are plain interpreters spoken to through pipes. Unlike `multiprocessing` they neither fork a process that
has threads nor import the caller's `__main__`; where they cannot be started, or die, their share is read here.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from threading import Thread
from typing import IO, NamedTuple

import msgspec

from auditor.api import ModuleApi
from auditor.provider.signatures import read_module

_FEW = 200
"""Modules that are read sooner than a helper has started."""
_MAX_HELPERS = 4
"""Each takes some 40 MB; together with this process they stay below 300 MB."""
_BATCHES = 12
"""For each process: small enough that all end together, large enough that talk costs nothing."""
_GC_THRESHOLD = 20_000
"""Syntax trees are many objects that live shortly: to look for garbage every 700 takes a seventh of the time."""
_START = (
    "import sys; sys.path[:] = {0.path!r}; sys.dont_write_bytecode = {0.dont_write_bytecode!r}; "
    "sys.pycache_prefix = {0.pycache_prefix!r}; from auditor.provider.parallel import serve; serve()"
)
_HEADER = 8
_MAX_MESSAGE = 2**30


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
    """A module that was read: encoded, and as it is where it was read in this process."""

    path: str
    data: bytes
    api: ModuleApi | None


_ENCODER = msgspec.msgpack.Encoder()
_JOBS = msgspec.msgpack.Decoder(tuple[Job, ...])
_REPLY = msgspec.msgpack.Decoder(tuple[bytes, ...])


def read_all(jobs: Iterable[Job], count: int, *, helpers: int | None = None) -> Iterator[Done]:
    """Read modules, in any order.

    Args:
        jobs: The modules; helpers start up while their sources are being fetched.
        count: How many modules these are.
        helpers: How many processes help; by default as many as there are further cores, and none if there is little
            to read.
    """
    waiting: deque[tuple[Job, ...]] = deque()
    helpers = _affordable(count) if helpers is None else helpers
    started = [helper for _ in range(helpers) if (helper := _Helper.start(waiting)) is not None]
    try:
        with _little_garbage():
            waiting.extend(_batches(list(jobs), len(started) + 1))
            for helper in started:
                helper.thread.start()
            while waiting:
                yield from _read(waiting.popleft())
            for helper in started:
                helper.thread.join()
                yield from helper.done
            while waiting:  # what helpers gave back
                yield from _read(waiting.popleft())
    finally:
        for helper in started:
            helper.stop()


def serve() -> None:
    """What a helper does: read the batches that come through standard input."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    with _little_garbage():
        while batch := _receive(source):
            _send(target, _ENCODER.encode([_ENCODER.encode(job.read()) for job in _JOBS.decode(batch)]))


def _read(batch: Sequence[Job]) -> Iterator[Done]:
    for job in batch:
        api = job.read()
        yield Done(job.path, _ENCODER.encode(api), api)


def _affordable(count: int) -> int:
    if count < _FEW or not sys.executable or getattr(sys, "frozen", False):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores - 1, _MAX_HELPERS)


def _batches(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, ...]]:
    """Batches of about one size, the largest modules first."""
    limit = sum(len(job.source) for job in jobs) // (processes * _BATCHES)
    batch: list[Job] = []
    size = 0
    for job in sorted(jobs, key=lambda job: len(job.source), reverse=True):
        batch.append(job)
        size += len(job.source)
        if size >= limit:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


class _Helper:
    """A process, and the thread that hands it one batch after another."""

    def __init__(self, process: subprocess.Popen[bytes], waiting: deque[tuple[Job, ...]]) -> None:
        self.process = process
        self.waiting = waiting
        self.done: list[Done] = []
        self.thread = Thread(target=self._feed, daemon=True)

    @classmethod
    def start(cls, waiting: deque[tuple[Job, ...]]) -> _Helper | None:
        """Start one, None where that cannot be."""
        command = [sys.executable, "-I", "-c", _START.format(sys)]
        try:
            process = subprocess.Popen(  # noqa: S603 - this very interpreter
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            return None
        return cls(process, waiting)

    def _feed(self) -> None:
        source, target = self.process.stdout, self.process.stdin
        assert source is not None
        assert target is not None
        while True:
            try:
                batch = self.waiting.popleft()
            except IndexError:
                return
            try:
                _send(target, _ENCODER.encode(batch))
                reply = _REPLY.decode(_receive(source))
                self.done += [Done(job.path, data, None) for job, data in zip(batch, reply, strict=True)]
            except (OSError, ValueError, msgspec.MsgspecError):
                self.waiting.append(batch)
                return

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        if self.thread.ident is not None:
            self.thread.join()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self.process.wait()


def _send(target: IO[bytes], data: bytes) -> None:
    target.write(len(data).to_bytes(_HEADER, "big") + data)
    target.flush()


def _receive(source: IO[bytes]) -> bytes:
    """The next message; nothing where there is none."""
    size = int.from_bytes(source.read(_HEADER), "big")
    if size > _MAX_MESSAGE:
        raise ValueError(size)
    return source.read(size) if size else b""


@contextlib.contextmanager
def _little_garbage() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.set_threshold(max(thresholds[0], _GC_THRESHOLD) if thresholds[0] else 0, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
