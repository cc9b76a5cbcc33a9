"""Complete copies beside files: the content that is to come, and a second name of the one that is there."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

from auditor.errors import PatchError
from auditor.patches.hunks import digest

NEW, OLD = ".api-audit-new", ".api-audit-old"
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def beside(path: Path, suffix: str) -> Path:
    """Where the copy of a file lies: `NEW` or `OLD`."""
    return path.with_name(f".{path.name}{suffix}")


def is_there(path: Path) -> bool:
    """Whether there is anything of that name."""
    return os.path.lexists(path)


def digest_of(path: Path) -> str | None:
    """Digest of a plain file; None for anything else."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        return digest(path.read_bytes())
    except FileNotFoundError:
        return None


def prepare(path: Path, old: bytes, new: bytes) -> None:
    """Lay the new content, with the file's mode, owner and attributes, and a second name of the old file beside it.

    Raises:
        PatchError: The file does not hold `old` any more.
    """
    for leftover in (NEW, OLD):
        beside(path, leftover).unlink(missing_ok=True)
    was = path.lstat()
    handle = os.open(beside(path, NEW), _CREATE, 0o600)
    try:
        _write(handle, new)
        _keep_attributes(path, beside(path, NEW), handle, was)
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(path, beside(path, OLD), follow_symlinks=False)
    except (OSError, NotImplementedError):
        put(beside(path, OLD), old, stat.S_IMODE(was.st_mode))
    if digest_of(beside(path, OLD)) != digest(old):
        raise PatchError("The file was changed while it was being patched", where=str(path))


def put(path: Path, content: bytes, mode: int) -> None:
    """Make a file that is not there, and have it on the disk."""
    handle = os.open(path, _CREATE, mode)
    try:
        _write(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def sync(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system knows how."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def _keep_attributes(path: Path, new: Path, handle: int, was: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        now = os.fstat(handle)
        if (now.st_uid, now.st_gid) != (was.st_uid, was.st_gid):
            os.fchown(handle, was.st_uid, was.st_gid)
    _keep_extended_attributes(path, handle)
    new.chmod(stat.S_IMODE(was.st_mode))
    if int(time.time()) == int(was.st_mtime):  # or a byte-code cache of the old file would still look fresh
        os.utime(handle, (time.time(), was.st_mtime + 1))


def _keep_extended_attributes(path: Path, handle: int) -> None:
    """As far as the file system has them and lets us: as `shutil.copystat` does."""
    if not hasattr(os, "listxattr"):
        return
    names: list[str] = []
    try:
        names = os.listxattr(path)
    except OSError as error:
        _raise_unless_refused(error)
    for name in names:
        try:
            os.setxattr(handle, name, os.getxattr(path, name))
        except OSError as error:  # noqa: PERF203 - each attribute alone
            _raise_unless_refused(error)


def _raise_unless_refused(error: OSError) -> None:
    if error.errno not in (errno.ENOTSUP, errno.ENODATA, errno.EINVAL, errno.EPERM, errno.EACCES):
        raise error
