"""One release of a distribution whose Python sources can be read, file by file: the doorway to this room."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import msgspec

from auditor.errors import ArchiveError, SpecError
from auditor.packages.layout import dotted
from auditor.packages.limits import MIB
from auditor.packages.listing import FileEntry, Listing, Metadata
from auditor.packages.spec import ArchiveSpec, EnvironmentSpec, FolderSpec, IndexSpec, Spec, normalise, parse_spec
from auditor.packages.store import Blob, Store
from auditor.packages.traffic import Traffic

if TYPE_CHECKING:
    from auditor.packages.index import PackageIndex

__all__ = ["FileEntry", "Metadata", "Reader", "Release", "find_versions", "open_release"]

_RECENT = 16 * MIB
"""Contents kept between `digests` and the `read` that usually follows."""


class Reader(Protocol):
    """Gets the contents of files that the store does not have."""

    def read(self, entries: Sequence[FileEntry]) -> Iterable[tuple[FileEntry, bytes, bytes | None]]:
        """Each entry, its content, and its deflated form if there is one; more entries than asked for may come."""


class Release:
    """A release and its files. Reading is lazy, batched and cached by content; threads may share it.

    Args:
        listing: Its table of contents.
        origin: Where it came from, for people.
        store: Holds what was read.
        reader: Makes the reader when the first file is missing in the store.
        name: Its distribution name, where the metadata does not know better.
        keep: Whether contents go into the store; False where reading them again is as cheap.
        root: The import root on this machine, if it is a folder.
        traffic: Counts what is received for this release.
        remember: Called with the listing after digests became known that it lacked.
    """

    def __init__(
        self,
        listing: Listing,
        origin: str,
        *,
        store: Store,
        reader: Callable[[], Reader],
        name: str | None = None,
        keep: bool = True,
        root: Path | None = None,
        traffic: Traffic | None = None,
        remember: Callable[[Listing], None] | None = None,
    ) -> None:
        self.metadata: Metadata = listing.metadata
        self.display_name: str = listing.metadata.name or name or ""
        self.name: str = name or normalise(self.display_name)
        self.version: str | None = listing.metadata.version
        self.origin = origin
        self.packages: tuple[str, ...] = listing.packages
        self._files = {file.path: file for file in listing.files}
        self.files: Mapping[str, FileEntry] = MappingProxyType(self._files)
        self.root = root
        self.traffic = traffic if traffic is not None else Traffic()
        self._listing = listing
        self._store = store
        self._keep = keep
        self._reader = reader
        self._remember = remember
        self._checked: dict[str, str] = {}
        self._recent: dict[str, bytes] = {}
        self._recent_size = 0
        self._lock = RLock()

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of some files, in one batch; a file that the release does not have is a `KeyError`."""
        entries = {path: self.files[path] for path in paths}
        found = {path: self._recent[path] for path in entries if path in self._recent}
        claimed = self._claimed(entry for path, entry in entries.items() if path not in found)
        for digest, data in (self._store.get_blobs(claimed) if claimed else {}).items():
            for entry in claimed[digest]:
                if len(data) == entry.size and zlib.crc32(data) == entry.crc:
                    found[entry.path] = data
                    self._checked[entry.path] = digest
        missing = [entry for path, entry in entries.items() if path not in found]
        if missing:
            found.update(self._fetch(missing))
        return {path: found[path] for path in entries}

    def read_one(self, path: str) -> bytes:
        """The content of one file; batches are cheaper."""
        return self.read((path,))[path]

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        """The SHA-256 of some files' contents, known for certain: what is not in the store yet is read."""
        entries = {path: self.files[path] for path in paths}
        claimed = self._claimed(entry for path, entry in entries.items() if path not in self._checked)
        for digest, fact in (self._store.known_blobs(claimed) if claimed else {}).items():
            for entry in claimed[digest]:
                if fact == (entry.size, entry.crc):
                    self._checked[entry.path] = digest
        missing = [entry for path, entry in entries.items() if path not in self._checked]
        if missing:
            for path, data in self._fetch(missing).items():
                self._recall(path, data)
        return {path: self._checked[path] for path in entries}

    def claims(self, paths: Iterable[str]) -> dict[str, str | None]:
        """The SHA-256 that the table of contents claims for some files, as far as it does; nothing is read."""
        return {path: self.files[path].digest for path in paths}

    def digest(self, path: str) -> str:
        """The SHA-256 of one file's content; batches are cheaper."""
        return self._checked.get(path) or self.digests((path,))[path]

    def modules(self) -> Mapping[str, str]:
        """Dotted module names and their `.py` files."""
        return self._modules[0]

    def stubs(self) -> Mapping[str, str]:
        """Dotted module names and their `.pyi` files, whether or not there is a `.py` beside."""
        return self._modules[1]

    def locate(self, path: str) -> Path | None:
        """The file on this machine, if the release is a folder or an environment."""
        return None if self.root is None else self.root / self.files[path].name

    @cached_property
    def _modules(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        found: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for path in self.files:
            name = dotted(path)
            kind = found[path.endswith(".pyi")]
            # a package hides a module of the same name, as it does for the interpreter
            if name and (name not in kind or "/__init__.py" in path):
                kind[name] = path
        return MappingProxyType(found[0]), MappingProxyType(found[1])

    def _claimed(self, entries: Iterable[FileEntry]) -> dict[str, list[FileEntry]]:
        """The files by the digest that the listing claims for them."""
        claimed: dict[str, list[FileEntry]] = {}
        for entry in entries:
            digest = entry.digest or self._checked.get(entry.path)
            if digest is not None and entry.crc is not None and self._keep:
                claimed.setdefault(digest, []).append(entry)
        return claimed

    def _fetch(self, entries: Sequence[FileEntry]) -> dict[str, bytes]:
        with self._lock:
            return self._fetch_alone(entries)

    def _fetch_alone(self, entries: Sequence[FileEntry]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        blobs: list[Blob] = []
        news = False
        for entry, data, packed in self._reader().read(entries):
            digest = hashlib.sha256(data).hexdigest()
            if self._keep and entry.digest is not None and digest != entry.digest:
                raise ArchiveError(f"damaged: {entry.name!r} is not what its SHA-256 says", where=self.origin)
            if digest != entry.digest:
                news = True
                self._files[entry.path] = msgspec.structs.replace(entry, digest=digest, crc=zlib.crc32(data))
            self._checked[entry.path] = digest
            found[entry.path] = data
            blobs.append(Blob(digest, data, packed))
        if self._keep:
            self._store.put_blobs(blobs)
            if news and self._remember is not None:
                self._remember(msgspec.structs.replace(self._listing, files=tuple(self._files.values())))
        return found

    def _recall(self, path: str, data: bytes) -> None:
        if self._recent_size + len(data) > _RECENT:
            self._recent.clear()
            self._recent_size = 0
        self._recent[path] = data
        self._recent_size += len(data)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __repr__(self) -> str:
        return f"<Release {self.name} {self.version}: {len(self.files)} files, {self.origin}>"


def open_release(
    spec: str | Spec,
    *,
    store: Store,
    index: PackageIndex,
    offline: bool = False,
    name: str | None = None,
    whole: bool = False,
) -> Release:
    """Open the release that a specification names.

    Args:
        spec: As the user wrote it, or parsed.
        store: Keeps listings, sources and index pages.
        index: The package indexes.
        offline: Nothing is asked from the network (also if `index` is not offline by itself).
        name: The distribution name, needed for `env:` and useful for folders and files.
        whole: Of a folder, git reference or sdist all Python files, instead of its import packages alone.
    """
    parsed = parse_spec(spec, name=name) if isinstance(spec, str) else spec
    if isinstance(parsed, IndexSpec):
        from auditor.packages.published import open_published

        return open_published(parsed, store=store, index=index.as_offline() if offline else index, whole=whole)
    if isinstance(parsed, ArchiveSpec):
        from auditor.packages.archive import open_archive

        return open_archive(parsed.path, store=store, name=parsed.name, whole=whole)
    if isinstance(parsed, FolderSpec):
        return _open_folder(parsed, store, whole=whole)
    if isinstance(parsed, EnvironmentSpec):
        from auditor.packages.environment import open_installed, site_folders

        wanted = parsed.name or (normalise(name) if name else None)
        if wanted is None:
            site_folders(parsed.python)  # what is no interpreter is told first
            hint = f"Write `NAME @ {parsed.text}`"
            raise SpecError("it is not said which package of the environment is meant", where=parsed.text, hint=hint)
        return open_installed(parsed.python, wanted, store=store)
    raise AssertionError(parsed)


def _open_folder(spec: FolderSpec, store: Store, *, whole: bool) -> Release:
    if spec.ref is not None:
        from auditor.packages.gittree import open_git

        release = open_git(spec.path, spec.ref, store=store, name=spec.name, whole=whole)
    else:
        from auditor.packages.folder import open_folder

        release = open_folder(spec.path, store=store, name=spec.name, whole=whole)
    if not release.packages:
        raise SpecError("no Python package or module is in it", where=spec.text)
    return release


def find_versions(spec: str | IndexSpec, *, index: PackageIndex, prereleases: bool = False) -> tuple[str, ...]:
    """All published versions that a range allows, ascending; at least one; pre-releases where they are asked for."""
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    if not isinstance(parsed, IndexSpec):
        raise SpecError("only releases on the package index come in ranges", where=parsed.text)
    from auditor.packages.versions import choose_all

    return tuple(map(str, choose_all(parsed, index.files(parsed.name), prereleases=prereleases)))
