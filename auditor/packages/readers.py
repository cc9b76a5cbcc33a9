"""Reads a release's files out of an archive, with read-ahead where each request costs a round trip."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from auditor.packages.limits import KIB
from auditor.packages.listing import FileEntry
from auditor.packages.sources import merged
from auditor.packages.zipdir import ByteSource, Member, unpack

READ_AHEAD = 24 * KIB
"""With a single file come those of its folder that lie so near; where such are asked for time and again, twice as far
each time."""
_BESIDE = 6 * KIB
"""The same for each file of a batch: few of many have a neighbour that is needed later."""
_MOST = 512 * KIB
"""How far that goes."""
_FEW = 3
"""Files that are asked for on the way, one leading to the next; more of them are a batch that was thought of."""
_PATIENCE = 8
"""Single files after which neighbours may come from the folder above too; after as many again, from the next one up."""


class ZipReader:
    """Reads members of a wheel, egg or zip by their place in it.

    Args:
        source: The archive.
        files: All files of the release, candidates for read-ahead; none if reading is cheap.
        stored: Which of some digests need not be read any more.
    """

    def __init__(
        self,
        source: ByteSource,
        files: Sequence[FileEntry] = (),
        stored: Callable[[Iterable[str]], Container[str]] = lambda _: (),
    ) -> None:
        self._source = source
        self._stored = stored
        self._by_place = sorted(files, key=lambda file: file.start)
        self._trips = 0
        self._had: set[str] = set()

    def read(self, entries: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry with its content, then perhaps neighbours of it."""
        wanted = {entry.path: entry for entry in entries}
        if self._by_place:
            around = [*entries, *self._new(self._neighbours(wanted))]
            for run in merged([(entry.start, entry.stop) for entry in around]):
                if any(run[0] <= entry.start < run[1] for entry in entries):  # no request for neighbours alone
                    wanted.update((entry.path, entry) for entry in self._new(self._from(*run)))
            self._had.update(wanted)
            self._trips += len(entries) <= _FEW
        spans = [(entry.start, entry.stop) for entry in wanted.values()]
        for entry, raw in zip(wanted.values(), self._source.read(spans), strict=True):
            member = Member(entry.name, entry.method, entry.crc or 0, entry.packed, entry.size, entry.start, entry.stop)
            yield entry, *unpack(member, raw, self._source.where)

    def _new(self, entries: Iterable[FileEntry]) -> list[FileEntry]:
        """Those of some files that neither this reader has read nor the store knows from another release."""
        fresh = [entry for entry in entries if entry.path not in self._had]
        stored = self._stored({entry.digest for entry in fresh if entry.digest is not None})
        return [entry for entry in fresh if entry.digest not in stored]

    def _neighbours(self, wanted: Mapping[str, FileEntry]) -> Iterator[FileEntry]:
        """What lies near in the same folder, or under one above it: the longer the way, the farther we look."""
        far = _BESIDE
        if len(wanted) <= _FEW:
            far = min(READ_AHEAD << self._trips, _MOST) // len(wanted)
        for entry in wanted.values():
            folders = entry.path.split("/")[:-1]
            around = "/".join([*folders[: max(0, len(folders) - self._trips // _PATIENCE)], ""])
            near = self._from(entry.start - far, entry.stop + far)
            yield from (other for other in near if other.path.startswith(around))

    def _from(self, start: int, stop: int) -> Iterator[FileEntry]:
        """The files that begin at `start` or later and end at `stop` or before."""
        place = bisect_left(self._by_place, start, key=lambda entry: entry.start)
        while place < len(self._by_place) and self._by_place[place].stop <= stop:
            yield self._by_place[place]
            place += 1
