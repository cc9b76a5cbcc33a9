"""Fetches what a published file holds: by byte ranges if the server has them, small or other files whole."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from typing import BinaryIO

import msgspec

from auditor.errors import ArchiveError, PackageIndexError
from auditor.packages.archive import Unpacked, unpack_archive
from auditor.packages.digests import Checksum
from auditor.packages.files import IndexFile, smallest_whole
from auditor.packages.index import PackageIndex
from auditor.packages.limits import MAX_DOWNLOAD, MIB
from auditor.packages.listing import FileEntry, Listing, save_listing
from auditor.packages.pipconf import local_path
from auditor.packages.published import listing_key
from auditor.packages.readers import ZipReader
from auditor.packages.sources import LocalSource, RemoteSource
from auditor.packages.spec import normalise
from auditor.packages.store import Store
from auditor.packages.traffic import Traffic
from auditor.packages.transport import NoRangesError, StatusError
from auditor.packages.wheel import list_wheel
from auditor.packages.zipdir import TAIL

SMALL = 1 * MIB
"""Wheels up to this size are fetched whole."""
_IN_MEMORY = 8 * MIB
_GONE = (401, 403, 404, 410)


def open_file(
    file: IndexFile,
    candidates: Sequence[IndexFile],
    *,
    name: str,
    traffic: Traffic,
    store: Store,
    index: PackageIndex,
    whole: bool,
) -> tuple[IndexFile, Listing, Fetcher]:
    """Read the table of contents of a release, and store it with whatever else came along.

    Returns the file that was read in the end (where the server has no ranges, the smallest of `candidates`), its table
    of contents, and what reads further.
    """
    fetcher = Fetcher(file, name=name, traffic=traffic, index=index)
    try:
        listing, unpacked = fetcher.contents(whole=whole)
    except NoRangesError:
        file = smallest_whole(candidates)
        fetcher = Fetcher(file, name=name, traffic=traffic, index=index, ranges=False)
        listing, unpacked = fetcher.contents(whole=whole)
    said = listing.metadata.name
    if said and normalise(said) != name:
        raise ArchiveError(f"the index serves it as {name}, but it is {said}", where=file.filename)
    stated = listing.metadata.version
    if stated and not _is_same(stated, file.version):
        raise ArchiveError(f"the index serves it as version {file.version}, but it is {stated}", where=file.filename)
    if not stated:
        metadata = msgspec.structs.replace(listing.metadata, version=file.version)
        listing = msgspec.structs.replace(listing, metadata=metadata)
    store.put_blobs(item.blob() for item in unpacked)
    save_listing(store, listing_key(file, whole=whole), listing)
    fetcher.files = listing.files
    return fetcher.file, listing, fetcher


def _is_same(stated: str, published: str) -> bool:
    """Whether two versions are one, but for a local part; what is no version by today's rules is believed."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(stated).public == Version(published).public
    except InvalidVersion:
        return True


class Fetcher:
    """Gets at the bytes of one published file, the cheapest way that works.

    Args:
        file: As the index publishes it.
        name: The project's normalised name.
        traffic: Counts what is received.
        index: Where it is published.
        files: The release's files, where they are known already.
        ranges: Whether to try byte ranges at all.
    """

    def __init__(
        self,
        file: IndexFile,
        *,
        name: str,
        traffic: Traffic,
        index: PackageIndex,
        files: Sequence[FileEntry] = (),
        ranges: bool = True,
    ) -> None:
        self.file = file
        self._name = name
        self._traffic = traffic
        self._index = index
        self.files = files
        self._ranges = ranges and file.kind != "sdist" and not (file.size is not None and file.size <= SMALL)
        self._source: LocalSource | RemoteSource | None = None
        self._reader: ZipReader | None = None

    def contents(self, *, whole: bool) -> tuple[Listing, list[Unpacked]]:
        """The table of contents, and all the sources if the file had to be fetched whole."""
        source = self._opened()
        if isinstance(source, RemoteSource):
            return list_wheel(source, name=self._name), []
        listing, unpacked = unpack_archive(source, self.file.filename, name=self._name, whole=whole)
        return listing, list(unpacked)

    def read(self, entries: Sequence[FileEntry]) -> list[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry with its content; perhaps more."""
        try:
            return self._read(entries)
        except NoRangesError:
            self._ranges = False
        except StatusError as error:
            if error.status not in _GONE or not self._found_again():
                raise
        self._source, self._reader = None, None
        return self._read(entries)

    def _read(self, entries: Sequence[FileEntry]) -> list[tuple[FileEntry, bytes, bytes | None]]:
        source = self._opened()
        if self.file.kind == "sdist" and isinstance(source, LocalSource):
            wanted = {entry.name: entry for entry in entries}
            _, unpacked = unpack_archive(source, self.file.filename, name=self._name, whole=True)
            return [(wanted[item.name], item.data(), item.packed) for item in unpacked if item.name in wanted]
        if self._reader is None:
            remote = isinstance(source, RemoteSource)
            self._reader = ZipReader(source, self.files if remote else (), self._index.store.known_blobs)
        return list(self._reader.read(entries))

    def _found_again(self) -> bool:
        """Whether the index names another address for the same file, as some do whose addresses expire."""
        for file in self._index.files(self._name, renew=True):
            if file.key == self.file.key and file.filename == self.file.filename and file.url != self.file.url:
                self.file = file
                return True
        return False

    def _opened(self) -> LocalSource | RemoteSource:
        file = self.file
        if self._source is None and file.url.startswith("file:"):
            path = local_path(file.url)
            self._source = LocalSource(path, file.filename)
            Checksum(file.hashes, file.filename).check_file(path)
        elif self._source is None and self._ranges:
            remote = RemoteSource(self._index.transport, file.url, file.size, file.filename, self._traffic)
            if file.size is None:
                remote.tail(TAIL)
                self.file = msgspec.structs.replace(file, size=remote.size)
                self._ranges = remote.size > SMALL
            self._source = remote
        if self._source is None or (isinstance(self._source, RemoteSource) and not self._ranges):
            self._source = LocalSource(self._downloaded(), file.filename)
        return self._source

    def _downloaded(self) -> BinaryIO:
        file = self.file
        if file.size is not None and file.size > MAX_DOWNLOAD:
            raise PackageIndexError(
                f"the server has no byte ranges, and {file.size} bytes are too many to fetch whole", where=file.filename
            )
        small = file.size is not None and file.size <= _IN_MEMORY
        target: BinaryIO = io.BytesIO() if small else tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the release
        checksum = Checksum(file.hashes, file.filename)

        def sink() -> Checksum:
            target.seek(0)
            target.truncate()
            checksum.restart(target)
            return checksum

        limit = MAX_DOWNLOAD if file.size is None else file.size
        try:
            self._index.transport.save(file.url, sink, limit=limit, traffic=self._traffic)
            checksum.finish()
        except BaseException:
            target.close()
            raise
        return target
