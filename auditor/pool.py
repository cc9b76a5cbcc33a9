"""Runs one of our functions over many batches on all cores: helper processes and this one take them until none is left.

The helpers are plain interpreters spoken to through pipes. Unlike `multiprocessing` they neither fork a process that
has threads nor import the caller's `__main__`; where they cannot be started, or die, their share is done here.
"""

from __future__ import annotations

import contextlib
import gc
import os
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import IO, TypeAlias, TypeVar
from zlib import crc32

Work: TypeAlias = Callable[[bytes], bytes]
"""Does one batch; what goes in and what comes out are encoded."""
Item = TypeVar("Item")

_MAX_HELPERS = 4
"""Each takes some 40 MB; together with this process they stay below 300 MB."""
_GC_THRESHOLD = 100_000
"""Syntax trees are many objects that live shortly: to look for garbage every 700 takes a fifth of the time."""
_START = (
    "import sys; sys.path[:] = {0.path!r}; sys.dont_write_bytecode = {0.dont_write_bytecode!r}; "
    "sys.pycache_prefix = {0.pycache_prefix!r}; from auditor.pool import serve; serve()"
)
_HEADER = struct.Struct(">QQ")
"""Size and CRC-32 of the message that follows."""
_MAX_MESSAGE = 2**30
_PIPE = 2**20
"""Bytes that a pipe should hold: a batch or a result, so that a helper waits for nobody."""
_SHARE = 6
"""A batch is at most this part of what each process would have to do of the rest."""


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
    started = list(filter(None, (_Helper.start(maker, context, waiting, done) for _ in range(helpers))))
    running = len(started)
    try:
        with little_garbage():
            waiting.extend(batches)
            for helper in started:
                helper.begin(running + 1)
            while running or waiting:
                if (batch := _next(waiting)) is not None:
                    here = here or _made(maker, context)
                    yield here(batch)
                while running and not (waiting and done.empty()):
                    if (result := done.get()) is not None:
                        yield result
                    else:
                        running -= 1  # what it gave back, if anything, is waiting again
    finally:
        for helper in started:
            helper.stop()


def batched(items: Iterable[Item], weight: Callable[[Item], int], processes: int, least: int) -> Iterator[list[Item]]:
    """Batches of falling weight, the heaviest items first, so that all processes end together.

    Args:
        items: What is to be done.
        weight: How much work one is.
        processes: How many share it.
        least: The weight that is worth a message.
    """
    ordered = sorted(items, key=weight, reverse=True)
    left = sum(map(weight, ordered))
    batch: list[Item] = []
    size = 0
    for item in ordered:
        batch.append(item)
        size += weight(item)
        if size >= max(left // (processes * _SHARE), least):
            yield batch
            batch, left, size = [], left - size, 0
    if batch:
        yield batch


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
    """A process, and the threads that hand it batches and take its results.

    It has one more batch at hand than the one it does: this process holds the interpreter's lock most of the time, and
    a thread that hears from a helper has to wait for that lock before it can answer.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], waiting: deque[bytes], done: SimpleQueue[bytes | None]
    ) -> None:
        self.process = process
        self.waiting = waiting
        self.done = done
        self.given: deque[bytes] = deque()
        """Batches whose results are to come, in this order."""
        self.outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self.threads: list[Thread] = []

    @classmethod
    def start(
        cls, maker: str, context: bytes, waiting: deque[bytes], done: SimpleQueue[bytes | None]
    ) -> _Helper | None:
        """Start one, and have it prepare itself; None where that cannot be."""
        command = [sys.executable, "-I", "-c", _START.format(sys)]
        for roomy in (_PIPE, -1):
            with contextlib.suppress(OSError):
                process = subprocess.Popen(  # noqa: S603 - this very interpreter
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    pipesize=roomy,
                )
                helper = cls(process, waiting, done)
                helper.outbox.put(maker.encode())
                helper.outbox.put(context)
                helper._run(helper._send_all)
                return helper
        return None

    def begin(self, processes: int) -> None:
        """Take batches from now on; `processes` share them."""
        self._run(lambda: self._take_all(processes))

    def _run(self, loop: Callable[[], None]) -> None:
        thread = Thread(target=loop, daemon=True)
        thread.start()
        self.threads.append(thread)

    def _send_all(self) -> None:
        target = self.process.stdin
        assert target is not None
        with contextlib.suppress(OSError):
            while (message := self.outbox.get()) is not None:
                _send(target, message)

    def _take_all(self, processes: int) -> None:
        source = self.process.stdout
        assert source is not None
        with contextlib.suppress(OSError, ValueError):
            self._give(processes)
            while self.given and (result := _receive(source)):
                self.given.popleft()
                self.done.put(result)
                self._give(processes)
        self.waiting.extend(self.given)
        self.done.put(None)

    def _give(self, processes: int) -> None:
        """Have a batch in its hands, and one ahead while there is enough for everybody."""
        while len(self.given) < (2 if len(self.waiting) > processes else 1):
            if (batch := _next(self.waiting)) is None:
                return
            self.given.append(batch)
            self.outbox.put(batch)

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.outbox.put(None)
        for thread in self.threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self.process.wait()


def _send(target: IO[bytes], data: bytes) -> None:
    target.write(_HEADER.pack(len(data), crc32(data)) + data)
    target.flush()


def _receive(source: IO[bytes]) -> bytes:
    """The next message; nothing where there is none.

    Raises:
        ValueError: What comes is no message of ours, or not the whole of it.
    """
    header = source.read(_HEADER.size)
    if not header:
        return b""
    try:
        size, check = _HEADER.unpack(header)
    except struct.error as error:
        raise ValueError(header) from error
    if size > _MAX_MESSAGE:
        raise ValueError(size)
    data = source.read(size)
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
