"""Runs one of our functions over many batches on all cores: helper processes and this one take them until none is left.

The helpers are plain interpreters spoken to through pipes. Unlike `multiprocessing` they neither fork a process that
has threads nor import the caller's `__main__`; where they cannot be started, or die, their share is done here.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import IO, TypeAlias
from zlib import crc32

Work: TypeAlias = Callable[[bytes], bytes]
"""Does one batch; what goes in and what comes out are encoded."""

_MAX_HELPERS = 4
"""Each takes some 40 MB; together with this process they stay below 300 MB."""
_GC_THRESHOLD = 100_000
"""Syntax trees are many objects that live shortly: to look for garbage every 700 takes a fifth of the time."""
_START = (
    "import sys; sys.path[:] = {0.path!r}; sys.dont_write_bytecode = {0.dont_write_bytecode!r}; "
    "sys.pycache_prefix = {0.pycache_prefix!r}; from auditor.pool import serve; serve()"
)
_HEADER = 8
_MAX_MESSAGE = 2**30


def spare_cores() -> int:
    """How many helpers this machine has room for."""
    if not sys.executable or getattr(sys, "frozen", False):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores - 1, _MAX_HELPERS)


def spread(
    maker: str, context: bytes, batches: Iterable[bytes], *, helpers: int, here: Work | None = None
) -> Iterator[bytes]:
    """Do some batches, in any order.

    Args:
        maker: `module:function` of the function that makes a `Work` of the context, in each process once.
        context: What all batches have in common.
        batches: Asked for once, while the helpers start.
        helpers: How many processes help.
        here: Does a batch in this process; by default made as in the others.
    """
    waiting: deque[bytes] = deque()
    done: SimpleQueue[bytes | None] = SimpleQueue()
    started = [helper for _ in range(helpers) if (helper := _Helper.start(maker, context, waiting, done)) is not None]
    try:
        with little_garbage():
            waiting.extend(batches)
            for helper in started:
                helper.thread.start()
            yield from _alone(here, maker, context, waiting, done)
            for _ in started:  # each ends what it has, and then says None
                while (result := done.get()) is not None:
                    yield result
            yield from _alone(here, maker, context, waiting, done)  # what helpers gave back
    finally:
        for helper in started:
            helper.stop()


def _alone(
    work: Work | None, maker: str, context: bytes, waiting: deque[bytes], done: SimpleQueue[bytes | None]
) -> Iterator[bytes]:
    """What this process does, and between its batches what others did."""
    ended = 0
    while (batch := _next(waiting)) is not None:
        work = work or _made(maker, context)
        yield work(batch)
        while not done.empty():
            result = done.get()
            if result is not None:
                yield result
            else:
                ended += 1
    for _ in range(ended):
        done.put(None)


def serve() -> None:
    """What a helper does: the batches that come through standard input."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    with little_garbage():
        work = _made(_receive(source).decode(), _receive(source))
        while batch := _receive(source):
            _send(target, work(batch))


def _made(maker: str, context: bytes) -> Work:
    module, _, name = maker.partition(":")
    work: Work = getattr(import_module(module), name)(context)
    return work


def _next(waiting: deque[bytes]) -> bytes | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


class _Helper:
    """A process, and the thread that hands it one batch after another."""

    def __init__(
        self, process: subprocess.Popen[bytes], waiting: deque[bytes], done: SimpleQueue[bytes | None], first: bytes
    ) -> None:
        self.process = process
        self.waiting = waiting
        self.done = done
        self.first = first
        self.thread = Thread(target=self._feed, daemon=True)

    @classmethod
    def start(
        cls, maker: str, context: bytes, waiting: deque[bytes], done: SimpleQueue[bytes | None]
    ) -> _Helper | None:
        """Start one, None where that cannot be."""
        command = [sys.executable, "-I", "-c", _START.format(sys)]
        try:
            process = subprocess.Popen(  # noqa: S603 - this very interpreter
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            return None
        return cls(process, waiting, done, _framed(maker.encode()) + _framed(context))

    def _feed(self) -> None:
        source, target = self.process.stdout, self.process.stdin
        assert source is not None
        assert target is not None
        batch: bytes | None = None
        try:
            target.write(self.first)
            while (batch := _next(self.waiting)) is not None:
                _send(target, batch)
                result = _receive(source)
                if not result:
                    break
                self.done.put(result)
        except (OSError, ValueError):
            pass
        if batch is not None:
            self.waiting.append(batch)
        self.done.put(None)

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


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(_HEADER, "big") + crc32(data).to_bytes(_HEADER, "big") + data


def _send(target: IO[bytes], data: bytes) -> None:
    target.write(_framed(data))
    target.flush()


def _receive(source: IO[bytes]) -> bytes:
    """The next message; nothing where there is none.

    Raises:
        ValueError: What comes is no message of ours, or not the whole of it.
    """
    size, check = (int.from_bytes(source.read(_HEADER), "big") for _ in range(2))
    if size > _MAX_MESSAGE:
        raise ValueError(size)
    data = source.read(size) if size else b""
    if crc32(data) != check:
        raise ValueError(size)
    return data


@contextlib.contextmanager
def little_garbage() -> Iterator[None]:
    """Syntax trees come and go without the collector looking through them every time."""
    thresholds = gc.get_threshold()
    gc.set_threshold(max(thresholds[0], _GC_THRESHOLD) if thresholds[0] else 0, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
