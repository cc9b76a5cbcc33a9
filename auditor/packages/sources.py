"""Where an archive's bytes come from: a file here, or ranges of one on a server, merged and fetched in parallel."""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO

from auditor.errors import ArchiveError
from auditor.packages.limits import KIB, MIB
from auditor.packages.traffic import Traffic
from auditor.packages.transport import Transport
from auditor.packages.zipdir import Span

MAX_GAP = 16 * KIB
"""Ranges closer than this are fetched as one: a request costs more than that many bytes."""
WIDE_GAP = 48 * KIB
"""Where ranges are many, the closest of them are fetched as one if they are closer than this."""
MANY = 8
"""Requests that a batch may take before it does."""
MAX_RUN = 1 * MIB
"""Longer ranges are split, so that they come in parallel."""


class LocalSource:
    """A file on this machine, or one that was fetched whole."""

    def __init__(self, file: BinaryIO | Path, where: str) -> None:
        self.where = where
        try:
            self._file = file.open("rb") if isinstance(file, Path) else file
            self.size = self._file.seek(0, os.SEEK_END)
        except OSError as error:
            raise ArchiveError(f"cannot be read: {error.strerror or error}", where=where) from error

    def read(self, spans: Sequence[Span]) -> list[bytes]:
        """The bytes of each span."""
        parts = []
        for start, stop in spans:
            self._file.seek(start)
            parts.append(self._file.read(stop - start))
        return parts

    def rewound(self) -> BinaryIO:
        """The file itself, at its beginning."""
        self._file.seek(0)
        return self._file

    def tail(self, length: int) -> bytes:
        """Its last bytes."""
        return self.read([(max(0, self.size - length), self.size)])[0]

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


class RemoteSource:
    """A file on a server that serves byte ranges; the tail is kept, since directory and metadata lie there."""

    def __init__(self, transport: Transport, url: str, size: int | None, where: str, traffic: Traffic) -> None:
        self.where = where
        self._transport = transport
        self._url = url
        self._traffic = traffic
        self._size = size
        self._kept = b""

    @property
    def size(self) -> int:
        """Its length in bytes, which the index or the server states."""
        if self._size is None:
            raise AssertionError("the tail is read first")
        return self._size

    def tail(self, length: int) -> bytes:
        """Its last bytes; of large archives more than asked for, which spares further requests."""
        if len(self._kept) < min(length, self._size or length):
            if self._size is None:
                self._kept, self._size = self._transport.tail(self._url, length, traffic=self._traffic)
            else:
                length = max(length, min(320 * KIB, self._size // 64))
                span = (max(0, self._size - length), self._size)
                (self._kept,) = self._transport.spans(self._url, [span], self._size, traffic=self._traffic)
        return self._kept

    def read(self, spans: Sequence[Span]) -> list[bytes]:
        """The bytes of each span, with as few and as parallel requests as they allow."""
        kept_from = self.size - len(self._kept) if self._kept else sys.maxsize
        runs = merged([span for span in spans if span[0] < kept_from])
        pieces = [(place, min(place + MAX_RUN, stop)) for start, stop in runs for place in range(start, stop, MAX_RUN)]
        bodies = self._transport.spans(self._url, pieces, self._size, traffic=self._traffic) if pieces else []
        fetched = b"".join(bodies)
        starts = [start for start, _ in runs]
        places = list(accumulate((stop - start for start, stop in runs), initial=0))

        def cut(start: int, stop: int) -> bytes:
            if start >= kept_from:
                return self._kept[start - kept_from : stop - kept_from]
            run = bisect_right(starts, start) - 1
            place = places[run] + start - starts[run]
            return fetched[place : place + stop - start]

        return [cut(start, stop) for start, stop in spans]


def merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, joined where they overlap or lie close: the closer, the more of them there are."""
    runs = _joined(sorted(spans), MAX_GAP)
    if len(runs) > MANY:
        gaps = sorted(after[0] - before[1] for before, after in pairwise(runs))
        runs = _joined(runs, min(gaps[len(runs) - MANY - 1], WIDE_GAP))
    return runs


def _joined(spans: Iterable[Span], gap: int) -> list[Span]:
    runs: list[Span] = []
    for start, stop in spans:
        if runs and start - runs[-1][1] <= gap:
            runs[-1] = (runs[-1][0], max(runs[-1][1], stop))
        else:
            runs.append((start, stop))
    return runs
