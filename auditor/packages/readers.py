"""Reads a release's files out of an archive, with read-ahead where each request costs a round trip."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from auditor.packages.limits import KIB
from auditor.packages.listing import FileEntry
from auditor.packages.sources import merged
from auditor.packages.zipdir import ByteSource, Member, unpack

READ_AHEAD = 24 * KIB
"""Around a module that is asked for, so much more of its own folder is fetched with it."""
READ_AHEAD_TOTAL = 384 * KIB
"""Per release, so that a scan which needs few modules stays cheap."""


class ZipReader:
    """Reads members of a wheel, egg or zip by their place in it.

    Args:
        source: The archive.
        files: All files of the release, candidates for read-ahead; none if reading is cheap.
    """

    def __init__(self, source: ByteSource, files: Sequence[FileEntry] = ()) -> None:
        self._source = source
        self._by_place = sorted(files, key=lambda file: file.start)
        self._left = READ_AHEAD_TOTAL
        self._had: set[str] = set()

    def read(self, entries: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry with its content, then perhaps neighbours of it."""
        wanted = {entry.path: entry for entry in entries}
        if self._by_place:
            for entry in (*self._neighbours(wanted), *self._between(wanted)):
                wanted.setdefault(entry.path, entry)
            self._had.update(wanted)
        spans = [(entry.start, entry.stop) for entry in wanted.values()]
        for entry, raw in zip(wanted.values(), self._source.read(spans), strict=True):
            member = Member(entry.name, entry.method, entry.crc or 0, entry.packed, entry.size, entry.start, entry.stop)
            yield entry, *unpack(member, raw, self._source.where)

    def _between(self, wanted: dict[str, FileEntry]) -> Iterator[FileEntry]:
        """What lies in the gaps that are fetched anyway, since merged ranges need fewer requests."""
        for start, stop in merged([(entry.start, entry.stop) for entry in wanted.values()]):
            place = bisect_left(self._by_place, start, key=lambda entry: entry.start)
            while place < len(self._by_place) and self._by_place[place].stop <= stop:
                if self._by_place[place].path not in self._had:
                    yield self._by_place[place]
                place += 1

    def _neighbours(self, wanted: dict[str, FileEntry]) -> Iterable[FileEntry]:
        found: list[FileEntry] = []
        for place, entry in enumerate(self._by_place):
            if entry.path not in wanted:
                continue
            folder = entry.path.rpartition("/")[0]
            taken = entry.stop - entry.start
            for other in self._by_place[place + 1 :]:
                taken += other.stop - other.start
                if taken > READ_AHEAD or other.path.rpartition("/")[0] != folder:
                    break
                if other.path in wanted or other.path in self._had:
                    continue
                self._left -= other.stop - other.start
                if self._left < 0:
                    return found
                found.append(other)
        return found
