"""Keeps samples through a power loss without waiting for the disk at each: what is surely on it stands in a journal.

A sample is renamed into place when it is whole, so the death of a program never leaves half of one. What the disk
has of it is another matter, and asking it file by file is slow. So every few seconds one call brings everything to the
disk, and the numbers of the samples written before it are added to the journal. After a crash of the machine (the
kernel tells each boot from the others) only what stands there counts; the rest is computed again.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from auditor.runner.inside.plan import sample_name

INTERVAL = 5.0
"""Seconds between two syncs: about as much work is lost at most when the machine goes down."""
BOOT = Path("/proc/sys/kernel/random/boot_id")


class KeepError(Exception):
    """The disk has refused what was written to it."""


class Keeper:
    """Brings the written samples of one replica to the disk, beside the work."""

    def __init__(self, out: Path, own: Path, replica: int, *, interval: float = INTERVAL) -> None:
        self.out, self.interval = out, interval
        self.journal = own / f"kept-{replica}.txt"
        _add(own / f"boot-{replica}.txt", [boot()], end="")
        _sync_entry(own)
        self._written: list[int] = []
        self._lock, self._over = threading.Lock(), threading.Event()
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._work, name="keeper", daemon=True)
        self._thread.start()

    def add(self, number: int) -> None:
        """A sample has been written; raises KeepError if the disk has refused an earlier one."""
        self._check()
        with self._lock:
            self._written.append(number)

    def close(self) -> float:
        """Bring the rest to the disk; says how many seconds that took, raises KeepError if it cannot be done."""
        begun = time.monotonic()
        self._over.set()
        self._thread.join()
        self._check()
        return time.monotonic() - begun

    def _check(self) -> None:
        if self._failure is not None:
            raise KeepError(f"the disk refuses what was written: {self._failure}") from self._failure

    def _work(self) -> None:
        try:
            while not self._over.wait(self.interval):
                self._keep()
            self._keep()
        except OSError as error:
            self._failure = error

    def _keep(self) -> None:
        with self._lock:
            batch, self._written = self._written, []
        if batch:
            sync(self.out)
            _add(self.journal, map(str, batch))


def _add(file: Path, lines: Iterable[str], *, end: str = "\n") -> None:
    """Add lines to a file, and wait until they are on the disk."""
    with file.open("a", encoding="utf-8") as stream:
        stream.writelines(f"{line}{end}" for line in lines)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_entry(folder: Path) -> None:
    """Wait until the folder knows its new files on the disk, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync(folder: Path) -> None:
    """Bring everything that was written to this folder's file system to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        whole = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if whole is None:  # not Linux
            os.sync()
        elif whole(handle):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(handle)


def boot() -> str:
    """What tells this boot of this machine from every other; empty where the system does not say."""
    with suppress(OSError):
        return BOOT.read_text(encoding="utf-8").strip()
    return ""


def settle(out: Path, own: Path) -> int:
    """Remove the samples that a crash of the machine may have left half-written; says how many. The others are kept.

    None are removed while the machine has been up ever since they were written: what was renamed into place is whole.
    """
    there = sorted(out.glob("data_*.pt"))
    boots, journals = list(own.glob("boot-*.txt")), list(own.glob("kept-*.txt"))
    before = {file.read_text(encoding="utf-8", errors="replace") for file in boots}
    doubted = []
    if before - {boot()} or "" in before:
        kept = {number for journal in journals for number in _numbers(journal)}
        doubted = [path for path in there if path.name not in kept]
    for path in doubted:
        path.unlink()
    if boots:
        left = [path.stem.removeprefix("data_") for path in there if path not in doubted]
        sync(out)
        for file in (*boots, *journals):
            file.unlink()
        _add(own / "kept-before.txt", left)
    return len(doubted)


def _numbers(journal: Path) -> Iterator[str]:
    """The samples that a journal names; its last line may be cut."""
    lines = journal.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]
    return (sample_name(int(line)) for line in lines if line.isdigit())
