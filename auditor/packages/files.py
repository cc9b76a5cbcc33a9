"""The files that an index publishes for a project: what their names tell, and which one of a release to read."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

import msgspec

_SDISTS = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
_BINARIES = (".whl", ".egg")
_STRONG = ("sha256", "sha512", "sha384")


class IndexFile(msgspec.Struct, frozen=True):
    """One published file. The URL never holds credentials."""

    filename: str
    url: str
    version: str
    hashes: dict[str, str] = {}
    size: int | None = None
    requires_python: str | None = None
    yanked: bool = False
    uploaded: datetime | None = None
    """When, where the index says so (PEP 700)."""

    @property
    def kind(self) -> str:
        """`wheel`, `egg` or `sdist`."""
        return {".whl": "wheel", ".egg": "egg"}.get(self.filename[-4:].lower(), "sdist")

    @property
    def key(self) -> str:
        """What identifies its bytes: a strong hash where the index gives one, else the URL."""
        for algorithm in _STRONG:
            if algorithm in self.hashes:
                return f"{algorithm}:{self.hashes[algorithm]}"
        return f"url:{self.url}"


def version_of(filename: str, name: str) -> str | None:
    """The version in a file name, if it is a release file of the (normalised) project `name`.

    >>> version_of("Some.Thing-1.0-2.tar.gz", "some-thing")
    '1.0-2'
    """
    lowered = filename.lower()
    for suffix in (*_BINARIES, *_SDISTS):
        if lowered.endswith(suffix):
            stem = filename[: -len(suffix)]
            break
    else:
        return None
    if suffix in _BINARIES:
        parts = stem.split("-")
        fits = len(parts) >= (5 if suffix == ".whl" else 2) and _normal(parts[0]) == name
        return parts[1].replace("_", "-") if fits else None
    for place in (match.start() for match in re.finditer("-", stem)):
        if _normal(stem[:place]) == name:
            return stem[place + 1 :] or None
    return None


def best_file(files: Sequence[IndexFile]) -> IndexFile:
    """The file of a release to read: a pure wheel, this platform's, the smallest other one, an egg, an sdist."""
    return min(files, key=_preference)


def smallest_whole(files: Iterable[IndexFile]) -> IndexFile:
    """The file to fetch where a server lacks ranges: the smaller of wheel and sdist; unknown sizes come last."""
    return min(files, key=lambda file: (file.size is None, file.size or 0, _preference(file)))


def _preference(file: IndexFile) -> tuple[float, ...]:
    if file.kind != "wheel":
        formats = (".egg", ".tar.gz", ".tgz", ".zip")
        rank = next((rank for rank, suffix in enumerate(formats) if file.filename.lower().endswith(suffix)), 9)
        return (5, rank)
    python, abi, platform = file.filename[:-4].split("-")[-3:]
    if abi == "none" and platform == "any":
        return (0, 0 if "py3" in python or "cp3" in python else 1, *_build(file.filename))
    fitting = min((_fitting().get(tag, 99999) for tag in _tags(python, abi, platform)), default=99999)
    if fitting < 99999:
        return (1, fitting, *_build(file.filename))
    if _this_platform(platform):
        return (2, "t" in abi, -_newest(python), file.size or 0)
    return (3, file.size is None, file.size or 0)


@cache
def _fitting() -> dict[tuple[str, str, str], int]:
    from packaging.tags import sys_tags

    return {(tag.interpreter, tag.abi, tag.platform): rank for rank, tag in enumerate(sys_tags())}


def _tags(python: str, abi: str, platform: str) -> list[tuple[str, str, str]]:
    return [(p, a, f) for p in python.split(".") for a in abi.split(".") for f in platform.split(".")]


def _this_platform(platform: str) -> bool:
    import platform as this

    system = {"linux": "linux", "darwin": "macosx", "win32": "win"}.get(sys.platform, sys.platform)
    machine = this.machine().lower()
    return system in platform and (machine in platform or "universal2" in platform)


def _newest(python: str) -> int:
    return max((int(number) for number in re.findall(r"(?:cp|py)3(\d{1,2})\b", python)), default=0)


def _build(filename: str) -> tuple[int]:
    """Later builds of the same wheel first."""
    parts = filename.split("-")
    number = re.match(r"\d{1,9}", parts[2]) if len(parts) == 6 else None
    return (-int(number[0]) if number else 0,)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
