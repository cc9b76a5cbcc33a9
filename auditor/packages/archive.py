"""Opens a wheel, egg or sdist as a whole file."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from auditor.errors import ArchiveError
from auditor.packages.limits import MIB
from auditor.packages.listing import FileEntry, Listing, load_listing, save_listing
from auditor.packages.readers import ZipReader
from auditor.packages.release import Release
from auditor.packages.sources import LocalSource
from auditor.packages.spec import normalise
from auditor.packages.store import Blob, Store
from auditor.packages.wheel import list_wheel

_BINARIES = (".whl", ".egg")


class Unpacked(NamedTuple):
    """A source file out of an archive: its name there, its digest, and its content, deflated."""

    name: str
    digest: str
    size: int
    packed: bytes

    def data(self) -> bytes:
        """Its content."""
        return zlib.decompress(self.packed, -zlib.MAX_WBITS, max(self.size, 1))

    def blob(self) -> Blob:
        """In the form the store takes."""
        return Blob(self.digest, self.data(), self.packed)


def unpack_archive(
    source: LocalSource, filename: str, *, name: str | None, whole: bool = False
) -> tuple[Listing, Iterable[Unpacked]]:
    """The table of contents of a whole archive and all its sources."""
    if not filename.lower().endswith(_BINARIES):
        from auditor.packages.sdist import list_sdist

        return list_sdist(source, name=name, whole=whole)
    listing = list_wheel(source, name=name or normalise(filename.split("-", 1)[0]))
    return listing, _sources(source, listing.files)


def open_archive(path: Path, *, store: Store, name: str | None = None, whole: bool = False) -> Release:
    """Open an archive on this machine."""
    source = LocalSource(path, path.name)
    if path.name.lower().endswith(_BINARIES):
        wheel = list_wheel(source, name=name or normalise(path.name.split("-", 1)[0]))
        return Release(wheel, path.name, store=store, reader=lambda: ZipReader(source), name=name)
    key = f"sha256:{_file_digest(path)}:{name or ''}:{whole}"
    listing = load_listing(store, key) or _unpack_into(store, key, source, name, whole=whole)
    return Release(listing, path.name, store=store, reader=lambda: _Again(source), name=name)


def _unpack_into(store: Store, key: str, source: LocalSource, name: str | None, *, whole: bool) -> Listing:
    listing, unpacked = unpack_archive(source, source.where, name=name, whole=whole)
    store.put_blobs(item.blob() for item in unpacked)
    save_listing(store, key, listing)
    return listing


class _Again:
    """Unpacks an sdist once more, where the store has lost what it held."""

    def __init__(self, source: LocalSource) -> None:
        self._source = source

    def read(self, entries: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry with its content."""
        wanted = {entry.name: entry for entry in entries}
        for item in unpack_archive(self._source, self._source.where, name=None, whole=True)[1]:
            if item.name in wanted:
                yield wanted[item.name], item.data(), item.packed


def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(MIB):
            digest.update(chunk)
    return digest.hexdigest()


def _sources(source: LocalSource, files: Sequence[FileEntry]) -> Iterator[Unpacked]:
    for entry, data, packed in ZipReader(source).read(files):
        digest = hashlib.sha256(data).hexdigest()
        if entry.digest is not None and entry.digest != digest:
            raise ArchiveError(f"damaged: {entry.name!r} is not what RECORD says", where=source.where)
        yield Unpacked(entry.name, digest, len(data), packed if packed is not None else deflate(data))


def deflate(data: bytes) -> bytes:
    """Raw-deflated, quickly."""
    compressor = zlib.compressobj(level=1, wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()
