"""One run at a time in a folder: a second one is refused, and a killed one leaves no lock behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import PatchError

if sys.platform != "win32":
    import fcntl


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the folder; refuse if another run does."""
    if sys.platform == "win32":
        with _lock_file(root / ".api-audit.lock"):
            yield
        return
    handle = os.open(root, os.O_RDONLY)
    try:
        _take(handle, root)
        yield
    finally:
        os.close(handle)


def _take(handle: int, root: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise PatchError("Another run is changing files there", where=str(root), hint="Try again later") from error


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError as error:
        raise PatchError("Another run is changing files there", where=str(path), hint="Remove it if none is") from error
    try:
        yield
    finally:
        os.close(handle)
        path.unlink()
