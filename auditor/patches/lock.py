"""One run at a time in a folder: a second one is refused, and a killed one leaves no lock behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import PatchError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the folder; refuse if another run does."""
    if fcntl is None:
        with _lock_file(root / ".api-audit.lock"):
            yield
        return
    handle = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise PatchError(
                "Another run is changing files there", where=str(root), hint="Try again when it has ended"
            ) from error
        yield
    finally:
        os.close(handle)


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
