"""Reads a zip file's directory (zip64 too) from any source of bytes, and unpacks single members, trusting nothing.

The end record, the directory and the members must lie one after the other without overlap, as every honest tool writes
them; a local header must agree with the directory.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from auditor.errors import ArchiveError
from auditor.packages.limits import KIB, MAX_DIRECTORY, MAX_MEMBERS, check_name, check_size, is_source

Span: TypeAlias = tuple[int, int]

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
TAIL = 64 * KIB + _END.size + _LOCATOR.size + _END64.size
"""Within so many last bytes the end record lies, whatever comment follows it."""
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF
_STORED, _DEFLATED = 0, 8
_UTF8, _ENCRYPTED = 0x800, 0x1


class ByteSource(Protocol):
    """Random access to an archive's bytes, local or remote."""

    where: str
    """How to name it in messages."""

    @property
    def size(self) -> int:
        """Its length in bytes."""

    def read(self, spans: Sequence[Span]) -> list[bytes]:
        """The bytes of each span."""

    def tail(self, length: int) -> bytes:
        """Its last bytes, at least `length` of them if it is that long."""


class Member(NamedTuple):
    """One file as the central directory states it; `start` to `stop` holds its local header and packed bytes."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int
    stop: int
    is_link: bool = False


def read_directory(source: ByteSource) -> list[Member]:
    """All files of the archive in the order in which they are stored."""
    tail = source.tail(TAIL)
    offset, length, count, directory_end = _find_directory(source, tail)
    if count > MAX_MEMBERS or length > MAX_DIRECTORY:
        raise ArchiveError(f"refused: {count} members, a directory of {length} bytes", where=source.where)
    if offset + length != directory_end:
        raise ArchiveError("damaged: the zip directory is not where the file says", where=source.where)
    tail_start = source.size - len(tail)
    raw = tail[offset - tail_start :][:length] if offset >= tail_start else source.read([(offset, offset + length)])[0]
    members = _parse_directory(raw, count, offset, source.where)
    return _placed(members, offset, source.where)


def unpack(member: Member, raw: bytes, where: str) -> tuple[bytes, bytes | None]:
    """A member's content, checked by size and CRC-32, from the bytes of its span; and its deflated form if any."""
    try:
        head = _LOCAL.unpack_from(raw)
    except struct.error:
        raise ArchiveError(f"truncated: {member.name!r}", where=where) from None
    signature, _, flags, method, _, _, _, _, _, name_length, extra_length = head
    data_start = _LOCAL.size + name_length + extra_length
    name = _decode(raw[_LOCAL.size : _LOCAL.size + name_length], flags)
    if signature != b"PK\3\4" or method != member.method or name != member.name:
        raise ArchiveError(f"damaged: {member.name!r} differs from the zip directory", where=where)
    packed = raw[data_start : data_start + member.packed]
    if len(packed) != member.packed:
        raise ArchiveError(f"damaged: {member.name!r} overlaps the next member", where=where)
    if method == _STORED:
        data, deflated = packed, None
    else:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data, deflated = inflate.decompress(packed, member.size + 1), packed
        except zlib.error as error:
            raise ArchiveError(f"damaged: {member.name!r} ({error})", where=where) from None
        if not inflate.eof or inflate.unused_data:
            raise ArchiveError(f"damaged: {member.name!r} has another size than the zip directory says", where=where)
    if len(data) != member.size:
        raise ArchiveError(f"damaged: {member.name!r} has another size than the zip directory says", where=where)
    if zlib.crc32(data) != member.crc:
        raise ArchiveError(f"damaged: {member.name!r} fails its CRC-32", where=where)
    return data, deflated


def require_readable(member: Member, where: str) -> None:
    """Refuse a member that would have to be read, but is a link, packed in an unknown way, or too large."""
    if member.is_link:
        raise ArchiveError(f"refused: {member.name!r} is a link or device", where=where)
    if member.method not in (_STORED, _DEFLATED):
        raise ArchiveError(f"unsupported: {member.name!r} uses zip method {member.method}", where=where)
    check_size(member.name, member.size, member.packed, where)


def _find_directory(source: ByteSource, tail: bytes) -> tuple[int, int, int, int]:
    """Offset, length and number of entries of the directory, and where it has to end."""
    where = source.where
    place = len(tail) - _END.size
    while place >= 0:
        place = tail.rfind(b"PK\5\6", 0, place + 4)
        if place < 0 or place + _END.size + struct.unpack_from("<H", tail, place + 20)[0] == len(tail):
            break
        place -= 1
    if place < 0:
        raise ArchiveError("not a zip file, or truncated: it has no end record", where=where)
    _, disk, start_disk, here, count, length, offset, _ = _END.unpack_from(tail, place)
    tail_start = source.size - len(tail)
    directory_end = tail_start + place
    if _FULL16 in (disk, start_disk, here, count) or _FULL32 in (length, offset):
        locator = place - _LOCATOR.size
        if locator >= 0 and tail[locator : locator + 4] == b"PK\6\7":
            directory_end = _LOCATOR.unpack_from(tail, locator)[2]
            record = tail[max(directory_end - tail_start, 0) : locator]
            if directory_end < tail_start or len(record) < _END64.size or record[:4] != b"PK\6\6":
                raise ArchiveError("damaged: the zip64 end record is not where the file says", where=where)
            _, _, _, _, disk, start_disk, here, count, length, offset = _END64.unpack_from(record)
    if disk or start_disk or here != count:
        raise ArchiveError("damaged: a zip file in several parts", where=where)
    return offset, length, count, directory_end


def _parse_directory(raw: bytes, count: int, offset: int, where: str) -> list[Member]:
    members = []
    place = 0
    names: set[str] = set()
    for _ in range(count):
        if place + _ENTRY.size > len(raw) or raw[place : place + 4] != b"PK\1\2":
            raise ArchiveError("damaged: the zip directory is cut short", where=where)
        entry = _ENTRY.unpack_from(raw, place)
        _, made_by, _, flags, method, _, _, crc, packed, size, name_length, extra_length, comment, _, _, mode, start = (
            entry
        )
        name_end = place + _ENTRY.size + name_length
        name = _decode(raw[place + _ENTRY.size : name_end], flags)
        extra = raw[name_end : name_end + extra_length]
        place = name_end + extra_length + comment
        if _FULL32 in (size, packed, start):
            size, packed, start = _widen(extra, size, packed, start, where)
        checked = check_name(name, where)
        if checked.endswith("/") or not checked:
            continue
        if checked in names:
            raise ArchiveError(f"refused: two members are called {checked!r}", where=where)
        names.add(checked)
        if flags & _ENCRYPTED and is_source(name):
            raise ArchiveError(f"refused: {name!r} is encrypted", where=where)
        kind = stat.S_IFMT(mode >> 16) if made_by >> 8 == 3 else 0
        is_link = kind not in (0, stat.S_IFREG)
        members.append(Member(name, method, crc, packed, size, start, offset, is_link))
    if place != len(raw):
        raise ArchiveError("damaged: the zip directory holds more than it declares", where=where)
    return members


def _placed(members: list[Member], offset: int, where: str) -> list[Member]:
    """The members in order of their place, each ending where the next begins; overlapping ones are refused."""
    members.sort(key=lambda member: member.start)
    starts = [member.start for member in members[1:]]
    placed = []
    for member, stop in zip(members, [*starts, offset], strict=True):
        if member.start + _LOCAL.size + member.packed > stop:
            raise ArchiveError(f"refused: {member.name!r} overlaps another member", where=where)
        placed.append(member._replace(stop=stop))
    return placed


def _widen(extra: bytes, size: int, packed: int, start: int, where: str) -> tuple[int, int, int]:
    """The 64-bit values of those fields that do not fit 32 bits."""
    place = 0
    while place + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, place)
        field = extra[place + 4 : place + 4 + length]
        place += 4 + length
        if tag != 1 or len(field) != length:
            continue
        values = []
        for value in (size, packed, start):
            if value != _FULL32:
                values.append(value)
            elif len(field) >= 8:
                values.append(int.from_bytes(field[:8], "little"))
                field = field[8:]
        if len(values) == 3:
            return values[0], values[1], values[2]
    raise ArchiveError("damaged: a zip64 member without its sizes", where=where)


def _decode(name: bytes, flags: int) -> str:
    if flags & _UTF8:
        return name.decode("utf-8", "replace")
    return name.decode("ascii") if name.isascii() else name.decode("cp437")
