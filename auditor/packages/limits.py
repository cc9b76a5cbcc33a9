"""The limits that hostile archives and servers run into, in one place, and the names they forbid."""

from __future__ import annotations

from auditor.errors import ArchiveError

KIB = 1024
MIB = 1024 * KIB

MAX_PAGE = 64 * MIB
"""One project page of a package index, decoded."""
MAX_DOWNLOAD = 1024 * MIB
"""An artefact that has to be fetched whole."""
MAX_MEMBERS = 200_000
"""Members of one archive, files of one tree."""
MAX_DIRECTORY = 64 * MIB
"""The central directory of a zip file; the headers of a tar file."""
MAX_SOURCE = 32 * MIB
"""One `.py`, `.pyi` or metadata file, unpacked."""
MAX_SOURCES = 512 * MIB
"""All Python sources of one release, unpacked."""
MAX_UNPACKED = 4096 * MIB
"""Everything that has to be decompressed to walk through a tar file."""
MAX_RATIO = 200
"""Unpacked size over packed size, for anything larger than `RATIO_FREE`."""
RATIO_FREE = 4 * MIB
MAX_DEPTH = 64
"""Folders above a member."""
MAX_NAME = 1024
"""Characters in a member's name."""
MAX_REDIRECTS = 5
MAX_HEAD = 1 * MIB
"""Status line and headers of one HTTP answer, with all interim answers before it."""
SLOWEST = 8 * KIB
"""Bytes a second below which a server counts as stalled, `GRACE` seconds after its first byte."""
GRACE = 60.0

SOURCE_SUFFIXES = (".py", ".pyi")


def check_name(name: str, where: str) -> str:
    """Return an archive member's name in POSIX form, or refuse it: absolute, climbing out, too deep, too long."""
    posix = name.replace("\\", "/")
    if posix.startswith("/") or posix[1:2] == ":":
        raise ArchiveError(f"refused: member with an absolute name {name[:200]!r}", where=where)
    parts = posix.split("/")
    if ".." in parts:
        raise ArchiveError(f"refused: member climbs out of the archive {name[:200]!r}", where=where)
    if len(name) > MAX_NAME or len(parts) > MAX_DEPTH:
        raise ArchiveError(f"refused: member name too long or too deep {name[:80]!r}...", where=where)
    if is_source(posix) and not name.isprintable():
        raise ArchiveError(f"refused: source file with an unprintable name {name[:200]!r}", where=where)
    if "//" in posix or "." in parts:
        posix = "/".join(part for part in parts if part not in ("", "."))
    return posix


def check_size(name: str, size: int, packed: int, where: str) -> None:
    """Refuse a member that is too large, or that unpacks to suspiciously more than was packed."""
    if size > MAX_SOURCE:
        raise ArchiveError(f"refused: {name!r} unpacks to {size} bytes, the limit is {MAX_SOURCE}", where=where)
    if size > RATIO_FREE and size > MAX_RATIO * max(packed, 1):
        raise ArchiveError(f"refused: {name!r} unpacks to {size} bytes from {packed}, like a bomb", where=where)


def is_source(path: str) -> bool:
    """Whether a file is Python source or a stub."""
    return path.endswith(SOURCE_SUFFIXES)
