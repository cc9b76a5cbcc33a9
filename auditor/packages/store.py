"""The store on disk: sources by their content, what was computed from them, release listings and index pages.

Everything in it can be had again, so no failure of the store ever fails an audit: what cannot be written is kept in
memory for this run, what cannot be read counts as absent, and either is said once.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from auditor.errors import StoreError
from auditor.packages.database import Database, Rows, discard, is_damage

_FOLDER = "store"
_FILE = "store.sqlite"


class Page(NamedTuple):
    """A stored answer of a package index, its validator and when it was fetched (seconds since the epoch)."""

    body: bytes
    etag: str | None
    fetched: float


class Blob(NamedTuple):
    """A source to be stored: its bytes, SHA-256, and raw-deflated form if there is one already."""

    digest: str
    data: bytes
    packed: bytes | None = None


def default_folder() -> Path:
    """The user's cache folder for this tool."""
    import platformdirs

    return platformdirs.user_cache_path("api-audit", appauthor=False)


class Store:
    """Blobs, records, listings and pages in one SQLite file that processes share.

    Args:
        folder: The cache folder; None keeps everything in memory.
        warn: Receives each sentence about a store that had to be rebuilt or could not be used, once.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, *, warn: Callable[[str], None] | None = None) -> None:
        self._warn = warn or _say
        self._said: set[str] = set()
        self._folder = None if folder is None else Path(folder).expanduser() / _FOLDER
        self._spill: Database | None = None
        self._main = self._open()

    @classmethod
    def open(
        cls, cache_dir: str | os.PathLike[str] | None = None, *, warn: Callable[[str], None] | None = None
    ) -> Store:
        """The store in `cache_dir`, by default in the user's cache folder."""
        return cls(default_folder() if cache_dir is None else cache_dir, warn=warn)

    @property
    def path(self) -> Path | None:
        """The SQLite file, None while the store is in memory."""
        return self._main.path

    @property
    def folder(self) -> Path | None:
        """The cache folder it was opened in, with which another process opens the same store; None for memory."""
        return None if self._folder is None else self._folder.parent

    # --- records: anything computed, by kind and key -----------------------------------------------------------------

    def get(self, kind: str, key: str) -> bytes | None:
        """The record, or None."""
        return self.get_many(kind, (key,)).get(key)

    def get_many(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Those of the records that exist."""
        query = "SELECT key, crc, value FROM record WHERE kind = ? AND key IN (?)"
        rows = self._read(query, list(keys), kind)
        return {key: value for key, crc, value in rows if _check(value, kind, key) == crc}

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Keep one record."""
        self.put_many(kind, {key: value})

    def put_many(self, kind: str, values: Mapping[str, bytes]) -> None:
        """Keep many records in one transaction; a record under the same key is replaced."""
        if values:
            rows = [(kind, key, _check(value, kind, key), value) for key, value in values.items()]
            self._write("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", rows)

    # --- blobs: sources, by their SHA-256 ----------------------------------------------------------------------------

    def known_blobs(self, digests: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Size and CRC-32 of those blobs that are stored."""
        query = "SELECT digest, size, crc FROM blob WHERE digest IN (?)"
        return {row[0].hex(): (row[1], row[2]) for row in self._read(query, _raw(digests))}

    def get_blobs(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Those of the blobs that are stored and are what their digest says."""
        query = "SELECT digest, size, packed FROM blob WHERE digest IN (?)"
        found = {}
        for digest, size, packed in self._read(query, _raw(digests)):
            data = _unpacked(packed, size)
            if data is not None and hashlib.sha256(data).digest() == digest:
                found[digest.hex()] = data
        return found

    def put_blobs(self, blobs: Iterable[Blob]) -> None:
        """Keep sources; each must be what its digest says."""
        rows = []
        for blob in blobs:
            digest = hashlib.sha256(blob.data).digest()
            if digest.hex() != blob.digest:
                raise StoreError("a source does not have the digest it is stored under", where=blob.digest)
            packed = blob.packed if blob.packed is not None else _packed(blob.data)
            rows.append((digest, len(blob.data), zlib.crc32(blob.data), packed))
        if rows:
            self._write("INSERT OR REPLACE INTO blob VALUES (?, ?, ?, ?)", rows)

    # --- pages of a package index ------------------------------------------------------------------------------------

    def get_page(self, url: str) -> Page | None:
        """The stored answer for a URL (which carries no credentials), however old."""
        rows = self._read("SELECT etag, fetched, crc, body FROM page WHERE url IN (?)", [url])
        pages = [Page(body, etag, at) for etag, at, crc, body in rows if _check(body, url, etag, str(at)) == crc]
        return pages[-1] if pages else None

    def put_page(self, url: str, body: bytes, *, etag: str | None = None) -> None:
        """Keep an answer, fetched now."""
        now = time.time()
        row = (url, etag, now, _check(body, url, etag, str(now)), body)
        self._write("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?)", [row])

    # --- housekeeping ------------------------------------------------------------------------------------------------

    def size(self) -> int:
        """Bytes on disk."""
        if self._folder is None or not self._folder.is_dir():
            return 0
        return sum(entry.stat().st_size for entry in os.scandir(self._folder) if entry.is_file(follow_symlinks=False))

    def clean(self) -> int:
        """Remove everything; returns the bytes that were freed."""
        freed = self.size()
        self._main.close()
        if self._spill is not None:
            self._spill.close()
            self._spill = None
        if self._folder is not None and not discard(self._folder):
            raise StoreError("the store cannot be removed", where=str(self._folder))
        self._main = self._open()
        return freed

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        self._main.close()
        if self._spill is not None:
            self._spill.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if not sys.is_finalizing() and hasattr(self, "_main"):
            self.close()

    # --- one file, or memory where that fails ------------------------------------------------------------------------

    def _open(self) -> Database:
        if self._folder is None:
            return Database(None)
        path = self._folder / _FILE
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return Database(path)
        except sqlite3.Error as error:
            if is_damage(error):
                return self._rebuilt(error)
            reason: Exception = error
        except OSError as error:
            reason = error
        try:
            database = Database(path, read_only=True)
        except (OSError, sqlite3.Error):
            self._tell(f"the cache folder `{self._folder.parent}` cannot be used ({reason}); this run caches in memory")
            return Database(None)
        self._tell(f"the store `{path}` is read-only; what this run adds is kept in memory")
        return database

    def _rebuilt(self, error: Exception) -> Database:
        assert self._folder is not None
        self._tell(f"the store `{self._folder / _FILE}` was unusable ({error}) and has been rebuilt")
        if discard(self._folder):
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                return Database(self._folder / _FILE)
            except (OSError, sqlite3.Error) as failure:
                error = failure
        self._tell(f"the store `{self._folder}` cannot be rebuilt ({error}); this run caches in memory")
        return Database(None)

    def _read(self, query: str, keys: Sequence[object], *before: object) -> Rows:
        rows: Rows = []
        try:
            rows = self._main.select(query, keys, *before)
        except sqlite3.Error as error:
            self._failed(error)
        return rows + self._spill.select(query, keys, *before) if self._spill is not None else rows

    def _write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if not self._main.read_only:
            error = self._try_write(statement, rows)
            if error is None or (self._failed(error) and self._try_write(statement, rows) is None):
                return
        if self._spill is None:
            self._spill = Database(None)
        self._spill.write(statement, rows)

    def _try_write(self, statement: str, rows: Sequence[Sequence[object]]) -> sqlite3.Error | None:
        try:
            self._main.write(statement, rows)
        except sqlite3.Error as error:
            return error
        return None

    def _failed(self, error: sqlite3.Error) -> bool:
        """Say what happened; True where the file was damaged and a new one is in its place."""
        if is_damage(error) and self._main.path is not None and not self._main.read_only:
            self._main.close()
            self._main = self._rebuilt(error)
            return True
        self._tell(f"the store cannot be used fully ({error}); what this run adds is kept in memory")
        return False

    def _tell(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            self._warn(sentence)


def _say(sentence: str) -> None:
    import logging

    logging.getLogger("auditor.packages").warning("%s", sentence)


def _raw(digests: Iterable[str]) -> list[bytes]:
    return [bytes.fromhex(digest) for digest in digests]


def _check(value: object, *names: str | None) -> int:
    """A checksum over a value and what it is stored under, so that no damage can put one in another's place."""
    if not isinstance(value, bytes):  # damage can change the type of a column, too
        return -1
    return zlib.crc32(value, zlib.crc32("\0".join(map(str, names)).encode("utf-8", "surrogatepass")))


def _packed(data: bytes) -> bytes:
    deflate = zlib.compressobj(level=3, wbits=-zlib.MAX_WBITS)
    return deflate.compress(data) + deflate.flush()


def _unpacked(packed: object, size: object) -> bytes | None:
    if not isinstance(packed, bytes) or not isinstance(size, int):
        return None
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        data = inflate.decompress(packed, size + 1)
    except zlib.error:
        return None
    return data if len(data) == size else None
