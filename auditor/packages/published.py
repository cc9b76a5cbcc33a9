"""Opens a release from the package index; one that was opened before comes from the store alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from auditor.packages.files import IndexFile
from auditor.packages.index import FRESH_SECONDS, PackageIndex
from auditor.packages.listing import FileEntry, Listing, load_listing, save_listing
from auditor.packages.release import Release
from auditor.packages.spec import IndexSpec
from auditor.packages.store import Store
from auditor.packages.traffic import Traffic

if TYPE_CHECKING:
    from auditor.packages.fetching import Fetcher


class Resolution(msgspec.Struct, frozen=True):
    """What a specification led to: the file that was read, and when this was found out."""

    file: IndexFile
    found: float


def open_published(spec: IndexSpec, *, store: Store, index: PackageIndex, whole: bool = False) -> Release:
    """Open the release of a project that the specification names, the highest where it allows several."""
    key = f"{index.identity}:{spec.name}:{spec.specifier}"
    known = _recall(store, key)
    traffic = Traffic(index.traffic)
    if known is not None and (index.offline or spec.exact or time.time() - known.found < FRESH_SECONDS):
        listing = load_listing(store, listing_key(known.file, whole=whole))
        if listing is not None:
            later = _Later(spec, known.file, listing, traffic, index)
            return _release(spec, known.file, listing, later, store, whole)
    from auditor.packages.fetching import open_file
    from auditor.packages.files import best_file
    from auditor.packages.versions import choose, has_exactly

    files = index.files(spec.name, satisfied=(lambda stale: has_exactly(spec, stale)) if spec.exact else None)
    _, candidates = choose(spec, files)
    best = best_file(candidates)
    listing = load_listing(store, listing_key(best, whole=whole))
    fetcher = None
    if listing is None:
        best, listing, fetcher = open_file(
            best, candidates, name=spec.name, traffic=traffic, store=store, index=index, whole=whole
        )
    store.put("resolution", key, msgspec.msgpack.encode(Resolution(best, time.time())))
    later = _Later(spec, best, listing, traffic, index, fetcher)
    return _release(spec, best, listing, later, store, whole)


def listing_key(file: IndexFile, *, whole: bool) -> str:
    """Under which the table of contents of a published file is stored."""
    return f"{file.key}:whole" if whole and file.kind == "sdist" else file.key


class _Later:
    """Reads files from a published archive; what that takes is loaded when the first file is missing in the store."""

    def __init__(
        self,
        spec: IndexSpec,
        file: IndexFile,
        listing: Listing,
        traffic: Traffic,
        index: PackageIndex,
        fetcher: Fetcher | None = None,
    ) -> None:
        self.traffic = traffic
        self._given = (spec.name, file, listing, traffic, index)
        self._fetcher = fetcher

    def read(self, entries: Sequence[FileEntry]) -> list[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry with its content; perhaps more."""
        if self._fetcher is None:
            from auditor.packages.fetching import Fetcher

            name, file, listing, traffic, index = self._given
            self._fetcher = Fetcher(file, name=name, files=listing.files, traffic=traffic, index=index)
        return self._fetcher.read(entries)


def _recall(store: Store, key: str) -> Resolution | None:
    raw = store.get("resolution", key)
    try:
        return msgspec.msgpack.decode(raw, type=Resolution) if raw is not None else None
    except msgspec.DecodeError:
        return None


def _release(spec: IndexSpec, file: IndexFile, listing: Listing, reader: _Later, store: Store, whole: bool) -> Release:
    place = "a local folder of packages" if file.url.startswith("file:") else "the package index"
    return Release(
        listing,
        f"{file.filename} from {place}",
        store=store,
        reader=lambda: reader,
        name=spec.name,
        traffic=reader.traffic,
        remember=lambda completed: save_listing(store, listing_key(file, whole=whole), completed),
    )
