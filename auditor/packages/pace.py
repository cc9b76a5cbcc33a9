"""Connections that watch each byte: a server that only drips, or whose head never ends, is not waited for."""

from __future__ import annotations

import http.client
import io
import time
from typing import Any, cast

import urllib3

from auditor.errors import PackageIndexError
from auditor.packages.limits import GRACE, MAX_HEAD, SLOWEST


class Watched(io.RawIOBase):
    """What comes in through a socket, for one answer.

    Raises `PackageIndexError` where less than `SLOWEST` bytes a second have come, `GRACE` seconds or more after the
    first one, or where the head (with all the interim answers before it) is longer than `MAX_HEAD`.
    """

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self._first: float | None = None
        self._taken = 0
        self.in_head = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count = cast("int | None", self._raw.readinto(buffer))
        now = time.monotonic()
        self._first = now if self._first is None else self._first
        self._taken += count or 0
        elapsed = now - self._first
        if elapsed > GRACE and self._taken < SLOWEST * elapsed:
            raise PackageIndexError("the server is too slow to wait for")
        if self.in_head and self._taken > MAX_HEAD:
            raise PackageIndexError(f"refused: the head of the answer is longer than {MAX_HEAD} bytes")
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._watched = Watched(self.fp.detach())
        self.fp = io.BufferedReader(self._watched)

    def begin(self) -> None:
        super().begin()
        self._watched.in_head = False


class _Connection(urllib3.connection.HTTPConnection):
    response_class = _Response


class _SecureConnection(urllib3.connection.HTTPSConnection):
    response_class = _Response


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def watch(manager: urllib3.PoolManager) -> urllib3.PoolManager:
    """Let all connections of a manager be watched."""
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return manager
