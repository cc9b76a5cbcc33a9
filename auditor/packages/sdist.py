"""Unpacks an sdist statically, in one pass and in memory: its Python sources, its metadata; no build step ever runs."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import posixpath
import tarfile
import zlib
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from auditor.errors import ArchiveError
from auditor.packages import limits
from auditor.packages.archive import Unpacked, deflate
from auditor.packages.layout import import_packages
from auditor.packages.limits import MIB, check_name, check_size, is_source
from auditor.packages.listing import FileEntry, Listing
from auditor.packages.project import CONFIGURATION, METADATA, everything, read_project
from auditor.packages.sources import LocalSource
from auditor.packages.zipdir import read_directory, require_readable, unpack

_BLOCK = 512
_MAX_HEADER = 1 * MIB
_MAX_LINKS = 8


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes."""


class _Content(NamedTuple):
    data: Unpacked
    crc: int


def list_sdist(source: LocalSource, *, name: str | None, whole: bool = False) -> tuple[Listing, list[Unpacked]]:
    """The table of contents of an sdist and its sources.

    Args:
        source: The whole file.
        name: The distribution name, if known.
        whole: List all sources, not only those of the import packages.
    """
    members = _zip_members(source) if _is_zip(source) else _tar_members(source)
    return _listed(_collect(members, source.where), name, source.where, whole=whole)


def _listed(found: dict[str, _Content], name: str | None, where: str, *, whole: bool) -> tuple[Listing, list[Unpacked]]:
    tops = {path.partition("/")[0] for path in found}
    top = tops.pop() + "/" if len(tops) == 1 and all("/" in path for path in found) else ""
    tree = {path.removeprefix(top): content for path, content in found.items()}

    def text(path: str) -> bytes | None:
        return tree[path].data.data() if path in tree else None

    project = read_project(tree.keys(), text, name=name)
    entries = []
    unpacked = []
    chosen = everything(tree, project.files) if whole else project.files
    for path, place in sorted(chosen.items()):
        content = tree[place]
        member = "" if top + place == path else top + place
        entries.append(FileEntry(path, content.data.size, content.data.digest, member, content.crc))
        unpacked.append(content.data)
    if not entries:
        raise ArchiveError("it holds no Python sources", where=where)
    return Listing(project.metadata, import_packages(project.files), tuple(entries)), unpacked


def _collect(members: Iterator[tuple[str, bytes | str]], where: str) -> dict[str, _Content]:
    """Everything worth keeping, by name; links inside the archive give the content that they point to."""
    found: dict[str, _Content] = {}
    links: dict[str, str] = {}
    total = 0
    for name, content in members:
        if name in found or name in links:
            raise ArchiveError(f"refused: two members are called {name!r}", where=where)
        if isinstance(content, str):
            links[name] = content
            continue
        total += len(content)
        if total > limits.MAX_SOURCES:
            raise ArchiveError(f"refused: its sources unpack to more than {limits.MAX_SOURCES} bytes", where=where)
        found[name] = _content(name, content)
    for name, target in links.items():
        for _ in range(_MAX_LINKS):
            target = links.get(target, target)
        linked = found.get(target)
        if linked is not None:
            found[name] = linked._replace(data=linked.data._replace(name=name))
    return found


def _content(name: str, data: bytes) -> _Content:
    return _Content(Unpacked(name, hashlib.sha256(data).hexdigest(), len(data), deflate(data)), zlib.crc32(data))


def _wanted(name: str) -> bool:
    base = name.rpartition("/")[2]
    return is_source(name) or ((base in CONFIGURATION or base in METADATA) and name.count("/") <= 4)


def _is_zip(source: LocalSource) -> bool:
    return source.read([(0, 4)])[0] in (b"PK\3\4", b"PK\5\6")


def _zip_members(source: LocalSource) -> Iterator[tuple[str, bytes]]:
    for member in read_directory(source):
        if _wanted(member.name):
            require_readable(member, source.where)
            (raw,) = source.read([(member.start, member.stop)])
            yield check_name(member.name, source.where), unpack(member, raw, source.where)[0]


def _tar_members(source: LocalSource) -> Iterator[tuple[str, bytes | str]]:
    """Names with contents, or with the member that a link points to."""
    where = source.where
    stream = _Stream(source)
    count = 0
    while True:
        header = _next_header(stream, where)
        if header is None:
            break
        count += 1
        if count > limits.MAX_MEMBERS:
            raise ArchiveError(f"refused: more than {limits.MAX_MEMBERS} members", where=where)
        name = check_name(header.name, where)
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise ArchiveError(f"unsupported: {name!r} is sparse", where=where)
        if header.isdev():
            raise ArchiveError(f"refused: {name!r} is a device", where=where)
        if header.issym() or header.islnk():
            target = _link_target(name, header, where)
            if is_source(name):
                yield name, target
            stream.skip(header.size)
        elif header.isreg() and _wanted(name):
            check_size(name, header.size, header.size, where)
            yield name, stream.take(header.size)
        else:
            stream.skip(header.size)
    stream.finish()


def _link_target(name: str, header: tarfile.TarInfo, where: str) -> str:
    start = posixpath.dirname(name) if header.issym() else ""
    target = posixpath.normpath(posixpath.join(start, header.linkname))
    if header.linkname.startswith("/") or target == ".." or target.startswith("../"):
        raise ArchiveError(f"refused: {name!r} links out of the archive", where=where)
    return target


def _next_header(stream: _Stream, where: str) -> tarfile.TarInfo | None:
    """The header of the next real member, with long names from the extension headers before it; None at the end."""
    changes: dict[str, str] = {}
    while True:
        block = stream.block()
        if block is None or not any(block):
            return None
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.HeaderError, ValueError) as error:
            raise ArchiveError(f"damaged: a bad tar header ({error})", where=where) from None
        if header.size < 0:
            raise ArchiveError("damaged: a tar member of negative size", where=where)
        if header.type not in (b"x", b"g", b"L", b"K"):
            break
        if header.size > _MAX_HEADER:
            raise ArchiveError(f"refused: a tar header of {header.size} bytes", where=where)
        body = stream.take(header.size)
        if header.type == b"x":
            changes.update(_pax(body, where))
        elif header.type != b"g":
            text = body.rstrip(b"\0").decode("utf-8", "surrogateescape")
            changes["path" if header.type == b"L" else "linkpath"] = text
    header.name = changes.get("path", header.name).rstrip("/")
    header.linkname = changes.get("linkpath", header.linkname)
    if "size" in changes:
        if not changes["size"].isdecimal() or len(changes["size"]) > 18:
            raise ArchiveError("damaged: a tar member with a bad size", where=where)
        header.size = int(changes["size"])
    return header


def _pax(body: bytes, where: str) -> Iterator[tuple[str, str]]:
    while body.strip(b"\0"):
        length, _, _ = body.partition(b" ")
        if not length.isdigit() or not 5 <= (size := int(length[:9])) <= len(body):
            raise ArchiveError("damaged: a bad pax header", where=where)
        key, _, value = body[len(length) + 1 : size - 1].partition(b"=")
        yield key.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")
        body = body[size:]


class _Stream:
    """A decompressed tar file, read forward, that stops at bombs and at truncation."""

    def __init__(self, source: LocalSource) -> None:
        self._where = source.where
        self._packed = source.size
        self._seen = 0
        start = source.read([(0, 4)])[0]
        file = source.rewound()
        self._file: _Readable
        if start[:2] == b"\x1f\x8b":
            self._file = gzip.GzipFile(fileobj=file)
        elif start[:3] == b"BZh":
            self._file = bz2.BZ2File(file)
        elif start[:4] == b"\xfd7zX":
            raise ArchiveError("unsupported: packed with xz", where=self._where)
        else:
            self._file = file

    def block(self) -> bytes | None:
        """The next header, None at the end of the file."""
        block = self._read(_BLOCK)
        return self._whole(block, _BLOCK) if block else None

    def take(self, size: int) -> bytes:
        """The next member's content."""
        data = self._whole(self._read(size), size)
        self._pad(size)
        return data

    def skip(self, size: int) -> None:
        """Pass over the next member's content."""
        left = size
        while left:
            left -= len(self._whole(self._read(min(left, MIB)), min(left, MIB)))
        self._pad(size)

    def finish(self) -> None:
        """Read to the end, where compressed files have their checksum."""
        while self._read(MIB):
            pass

    def _pad(self, size: int) -> None:
        rest = -size % _BLOCK
        self._whole(self._read(rest), rest)

    def _whole(self, data: bytes, size: int) -> bytes:
        if len(data) != size:
            raise ArchiveError("truncated: the tar file ends inside a member", where=self._where)
        return data

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise ArchiveError(f"damaged or truncated ({error})", where=self._where) from None
        self._seen += len(data)
        if self._seen > limits.MAX_UNPACKED or (
            self._seen > 16 * limits.RATIO_FREE and self._seen > limits.MAX_RATIO * self._packed
        ):
            raise ArchiveError(
                f"refused: unpacks to more than {self._seen} bytes from {self._packed}", where=self._where
            )
        return data
