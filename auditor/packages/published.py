"""Opens a release from the package index: from the store if known, by ranges if the server has them, else whole."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import msgspec

from auditor.errors import ArchiveError, PackageIndexError
from auditor.packages.archive import Unpacked, load_listing, save_listing, unpack_archive
from auditor.packages.digests import Checksum
from auditor.packages.files import IndexFile, best_file, smallest_whole
from auditor.packages.index import FRESH_SECONDS, PackageIndex
from auditor.packages.limits import MAX_DOWNLOAD, MIB
from auditor.packages.listing import FileEntry, Listing
from auditor.packages.readers import ZipReader
from auditor.packages.release import Release
from auditor.packages.sources import LocalSource, RemoteSource
from auditor.packages.spec import IndexSpec, normalise
from auditor.packages.store import Store
from auditor.packages.traffic import Traffic
from auditor.packages.wheel import list_wheel

SMALL = 1 * MIB
"""Wheels up to this size are fetched whole."""


class Resolution(msgspec.Struct, frozen=True):
    """What a specification led to: the file that was read, and when this was found out."""

    file: IndexFile
    found: float


def open_published(spec: IndexSpec, *, store: Store, index: PackageIndex) -> Release:
    """Open the release of a project that the specification names, the highest where it allows several."""
    key = f"{index.identity}:{spec.name}:{spec.specifier}"
    known = _recall(store, key)
    if known is not None and (index.offline or spec.exact or time.time() - known.found < FRESH_SECONDS):
        listing = load_listing(store, known.file.key)
        if listing is not None:
            return _release(spec, known.file, listing, None, Traffic(index.traffic), store, index)
    from auditor.packages.versions import choose, releases

    def is_there(stale: list[IndexFile]) -> bool:
        # a published release never changes, so for an exact one an old page serves
        return spec.exact is not None and any(_satisfies(spec, str(version)) for version in releases(stale))

    _, candidates = choose(spec, index.files(spec.name, satisfied=is_there))
    traffic = Traffic(index.traffic)
    opened = _open_one(spec, best_file(candidates), candidates, traffic, store, index)
    store.put("resolution", key, msgspec.msgpack.encode(Resolution(opened[0], time.time())))
    return _release(spec, *opened, traffic, store, index)


def _satisfies(spec: IndexSpec, version: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(spec.specifier).contains(version, prereleases=True)


def _recall(store: Store, key: str) -> Resolution | None:
    raw = store.get("resolution", key)
    try:
        return msgspec.msgpack.decode(raw, type=Resolution) if raw is not None else None
    except msgspec.DecodeError:
        return None


def _release(
    spec: IndexSpec,
    file: IndexFile,
    listing: Listing,
    fetch: _Fetch | None,
    traffic: Traffic,
    store: Store,
    index: PackageIndex,
) -> Release:
    place = "the package index" if urlsplit(file.url).scheme in ("http", "https") else "a local folder of packages"
    fetch = fetch or _Fetch(file, listing.files, traffic, index)
    return Release(
        listing,
        f"{file.filename} from {place}",
        store=store,
        reader=lambda: fetch,
        name=spec.name,
        traffic=traffic,
        remember=lambda completed: save_listing(store, file.key, completed),
    )


def _open_one(
    spec: IndexSpec,
    file: IndexFile,
    candidates: Sequence[IndexFile],
    traffic: Traffic,
    store: Store,
    index: PackageIndex,
) -> tuple[IndexFile, Listing, _Fetch]:
    """The file that was opened in the end, its table of contents, and what reads it further."""
    from auditor.packages.transport import NoRangesError

    listing = load_listing(store, file.key)
    if listing is not None:
        return file, listing, _Fetch(file, listing.files, traffic, index)
    fetch = _Fetch(file, (), traffic, index)
    try:
        listing, unpacked = fetch.listing(spec.name)
    except NoRangesError:
        file = smallest_whole(candidates)
        fetch = _Fetch(file, (), traffic, index, whole=True)
        listing, unpacked = fetch.listing(spec.name)
    said = normalise(listing.metadata.name)
    if said and said != spec.name:
        raise ArchiveError(f"the index serves it as {spec.name}, but it is {said}", where=file.filename)
    if not listing.metadata.version:
        listing = msgspec.structs.replace(
            listing, metadata=msgspec.structs.replace(listing.metadata, version=file.version)
        )
    store.put_blobs(item.blob() for item in unpacked)
    save_listing(store, file.key, listing)
    return file, listing, fetch


class _Fetch:
    """Gets at the bytes of a published file, by ranges if that pays and works, and reads release files from it."""

    def __init__(
        self,
        file: IndexFile,
        files: Sequence[FileEntry],
        traffic: Traffic,
        index: PackageIndex,
        *,
        whole: bool = False,
    ) -> None:
        self._file = file
        self._files = files
        self._traffic = traffic
        self._index = index
        self._whole = whole or file.kind == "sdist" or (file.size is not None and file.size <= SMALL)
        self._source: LocalSource | RemoteSource | None = None
        self._reader: ZipReader | None = None

    def listing(self, name: str) -> tuple[Listing, list[Unpacked]]:
        """The table of contents, and all the sources if the file had to be fetched whole."""
        source = self._opened()
        if isinstance(source, RemoteSource):
            listing = list_wheel(source, name=name)
            self._files = listing.files
            return listing, []
        listing, unpacked = unpack_archive(source, self._file.filename, name=name)
        self._files = listing.files
        return listing, list(unpacked)

    def read(self, entries: Sequence[FileEntry]) -> Iterable[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry with its content; perhaps more."""
        from auditor.packages.transport import NoRangesError

        source = self._opened()
        if self._file.kind == "sdist" and isinstance(source, LocalSource):
            wanted = {entry.name: entry for entry in entries}
            _, unpacked = unpack_archive(source, self._file.filename, name=None)
            return [(wanted[item.name], item.data(), item.packed) for item in unpacked if item.name in wanted]
        try:
            return list(self._zip_reader().read(entries))
        except NoRangesError:
            self._whole, self._source, self._reader = True, None, None
            return self._zip_reader().read(entries)

    def _zip_reader(self) -> ZipReader:
        if self._reader is None:
            source = self._opened()
            self._reader = ZipReader(source, self._files if isinstance(source, RemoteSource) else ())
        return self._reader

    def _opened(self) -> LocalSource | RemoteSource:
        file = self._file
        if self._source is None and urlsplit(file.url).scheme == "file":
            path = Path(url2pathname(unquote(urlsplit(file.url).path)))
            self._source = LocalSource(path, file.filename)
            Checksum(file.hashes, file.filename).check_file(path)
        if self._source is None and not self._whole:
            remote = RemoteSource(self._index.transport, file.url, file.size, file.filename, self._traffic)
            self._source = remote
            if file.size is None:
                remote.tail(64 * 1024)
                self._whole = remote.size <= SMALL
        if self._source is None or (self._whole and isinstance(self._source, RemoteSource)):
            self._source = LocalSource(self._download(), file.filename)
        return self._source

    def _download(self) -> BinaryIO:
        file = self._file
        if file.size is not None and file.size > MAX_DOWNLOAD:
            raise PackageIndexError(
                f"the server has no byte ranges, and {file.size} bytes are too many to fetch whole", where=file.filename
            )
        target: BinaryIO = io.BytesIO() if file.size is not None and file.size <= 8 * MIB else _temporary()
        checksum = Checksum(file.hashes, file.filename)

        def sink() -> Checksum:
            target.seek(0)
            target.truncate()
            checksum.restart(target)
            return checksum

        limit = min(MAX_DOWNLOAD, file.size if file.size is not None else MAX_DOWNLOAD)
        self._index.transport.save(file.url, sink, limit=limit, traffic=self._traffic)
        checksum.finish()
        return target


def _temporary() -> BinaryIO:
    return tempfile.TemporaryFile()
