"""One SQLite file with the store's tables: opened, created, recognised as ours or not, and moved aside when damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, TypeAlias

Rows: TypeAlias = list[tuple[Any, ...]]

LAYOUT = 2
"""Raised whenever the tables below change; a file of another layout is rebuilt."""
APPLICATION = 0x41504941
BUSY_SECONDS = 10.0
_CHUNK = 900  # SQLite before 3.32 takes 999 variables

_TABLES = """
CREATE TABLE IF NOT EXISTS blob (digest BLOB PRIMARY KEY, size INTEGER, crc INTEGER, packed BLOB);
CREATE TABLE IF NOT EXISTS record (kind TEXT, key TEXT, crc INTEGER, value BLOB, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, etag TEXT, fetched REAL, crc INTEGER, body BLOB);
"""


class ForeignFileError(sqlite3.DatabaseError):
    """The file is a healthy database of something else, or of another layout."""


class Database:
    """A connection that threads share under a lock and that a forked child opens anew."""

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._lock = RLock()
        self._orphans: list[sqlite3.Connection] = []
        self._pid = os.getpid()
        self._connection: sqlite3.Connection | None = self._open()

    def select(self, query: str, keys: Sequence[object], *before: object) -> Rows:
        """Run a query that ends in `IN (?)` for many keys, some hundred at a time."""
        rows: Rows = []
        with self._lock:
            connection = self._live()
            for start in range(0, len(keys), _CHUNK):
                part = keys[start : start + _CHUNK]
                marks = ",".join("?" * len(part))
                rows += connection.execute(query.replace("(?)", f"({marks})"), (*before, *part)).fetchall()
        return rows

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for many rows in one transaction: all of them are stored, or none."""
        with self._lock:
            connection = self._live()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, rows)
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def _live(self) -> sqlite3.Connection:
        if self._connection is None or (self._pid != os.getpid() and self.path is not None):
            if self._connection is not None:
                # closing a parent's connection in a child would release the parent's locks
                self._orphans.append(self._connection)
            self._pid = os.getpid()
            self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if self.path is None:
            connection = self._connect(":memory:")
            connection.executescript(_TABLES)
            return connection
        if self.read_only:
            # nobody can write beside it, so no lock files are needed (nor possible)
            connection = self._connect(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        else:
            connection = self._connect(str(self.path))
        try:
            self._recognise(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @staticmethod
    def _connect(name: str, *, uri: bool = False) -> sqlite3.Connection:
        return sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri)

    def _recognise(self, connection: sqlite3.Connection) -> None:
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if (layout, application) != (LAYOUT, APPLICATION):
            if self.read_only or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                # another process may be creating it right now: look again under its lock
                connection.execute("BEGIN" if self.read_only else "BEGIN IMMEDIATE")
                marks = [
                    connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
                ]
                connection.execute("COMMIT")
                if marks != [LAYOUT, APPLICATION]:
                    raise ForeignFileError("the file has another layout")
            else:
                self._create(connection)
        connection.execute("PRAGMA synchronous=NORMAL")

    def _create(self, connection: sqlite3.Connection) -> None:
        deadline = time.monotonic() + BUSY_SECONDS
        while True:  # the switch to WAL does not wait for locks by itself
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        connection.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={LAYOUT}")
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute("COMMIT")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is bad, as against locked, full or forbidden."""
    if isinstance(error, sqlite3.OperationalError):
        return str(error).startswith(("no such table", "no such column", "table "))
    return isinstance(error, sqlite3.DatabaseError)


def discard(folder: Path) -> bool:
    """Remove a damaged store folder in one step, so that no process ever sees half of it; False if that failed."""
    import shutil

    aside = folder.with_name(f"{folder.name}.damaged-{os.getpid()}-{time.monotonic_ns()}")
    try:
        folder.rename(aside)
    except FileNotFoundError:
        return True  # another process was faster
    except OSError:
        return False
    shutil.rmtree(aside, ignore_errors=True)
    return True
