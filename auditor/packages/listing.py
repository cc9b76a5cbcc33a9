"""What is kept about an opened release: its files and where their bytes lie, its metadata, its import packages."""

from __future__ import annotations

import msgspec

from auditor.packages.store import Store

SCHEMA = 1
"""Raised whenever the stored form or the meaning of `Listing` changes; part of its store key."""


class FileEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One `.py` or `.pyi` file of a release."""

    path: str
    """POSIX, relative to the import root: `vllm/config/cache.py`."""
    size: int
    digest: str | None = None
    """SHA-256 of its content as the RECORD claims it, or as read; `Release.digests` gives checked ones."""
    member: str = ""
    """Its name inside the archive or tree, where that differs from `path`."""
    crc: int | None = None
    packed: int = 0
    method: int = 0
    start: int = 0
    stop: int = 0

    @property
    def name(self) -> str:
        """Its name inside the archive or tree."""
        return self.member or self.path


class Metadata(msgspec.Struct, frozen=True):
    """The core metadata that an audit needs; requirements are kept as written, with extras and markers."""

    name: str
    version: str | None = None
    requires_python: str | None = None
    requires_dist: tuple[str, ...] = ()
    provides_extra: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    """`group: name = target` each."""


class Listing(msgspec.Struct, frozen=True):
    """A release's table of contents."""

    metadata: Metadata
    packages: tuple[str, ...]
    files: tuple[FileEntry, ...]


def load_listing(store: Store, key: str) -> Listing | None:
    """A stored table of contents."""
    raw = store.get("listing", f"{SCHEMA}:{key}")
    if raw is None:
        return None
    try:
        return msgspec.msgpack.decode(raw, type=Listing)
    except msgspec.DecodeError:
        return None


def save_listing(store: Store, key: str, listing: Listing) -> None:
    """Keep a table of contents."""
    store.put("listing", f"{SCHEMA}:{key}", msgspec.msgpack.encode(listing))
