"""The table of contents of a wheel (or an egg): Python files, digests from its RECORD, metadata."""

from __future__ import annotations

import base64
import binascii
import csv
import io
from collections.abc import Sequence

from auditor.errors import ArchiveError
from auditor.packages.layout import import_packages
from auditor.packages.limits import MAX_SOURCES, is_source
from auditor.packages.listing import FileEntry, Listing
from auditor.packages.metadata import parse_metadata
from auditor.packages.zipdir import ByteSource, Member, read_directory, require_readable, unpack

_SCHEMES = ("purelib", "platlib")


def list_wheel(source: ByteSource, *, name: str) -> Listing:
    """Read the directory and the metadata of a wheel or egg; no source file is read yet.

    Args:
        source: The archive.
        name: Its normalised distribution name, which tells its metadata folder from a vendored one.
    """
    members = {member.name: member for member in read_directory(source)}
    folder = _metadata_folder(members, name, source.where)
    wanted = [f"{folder}/{file}" for file in ("METADATA", "PKG-INFO", "RECORD", "requires.txt", "entry_points.txt")]
    texts = read_members(source, [members[file] for file in wanted if file in members])
    core, info, record, requires, entry_points = (texts.get(file) for file in wanted)
    raw = core if core is not None else info
    if raw is None:
        raise ArchiveError("not a wheel: it has no METADATA", where=source.where)
    recorded = parse_record(record, source.where) if record is not None else {}
    files = [_entry(member, recorded, source.where) for member in members.values() if is_source(member.name)]
    listed = sorted((file for file in files if file is not None), key=lambda file: file.path)
    if sum(file.size for file in listed) > MAX_SOURCES:
        raise ArchiveError(f"refused: its sources unpack to more than {MAX_SOURCES} bytes", where=source.where)
    twins = len(listed) - len({file.path for file in listed})
    if twins:
        raise ArchiveError(f"refused: {twins} files are installed onto others", where=source.where)
    return Listing(
        metadata=parse_metadata(raw, requires=requires, entry_points=entry_points),
        packages=import_packages(file.path for file in listed),
        files=tuple(listed),
    )


def read_members(source: ByteSource, members: Sequence[Member]) -> dict[str, bytes]:
    """The contents of some members, by name."""
    for member in members:
        require_readable(member, source.where)
    bodies = source.read([(member.start, member.stop) for member in members])
    return {member.name: unpack(member, body, source.where)[0] for member, body in zip(members, bodies, strict=True)}


def _metadata_folder(members: dict[str, Member], name: str, where: str) -> str:
    from packaging.utils import canonicalize_name

    folders = {member.partition("/")[0] for member in members if "/" in member}
    found = [folder for folder in folders if folder.endswith(".dist-info") and f"{folder}/METADATA" in members]
    matching = [folder for folder in found if canonicalize_name(folder.split("-")[0]) == name]
    if len(matching or found) > 1:
        raise ArchiveError("refused: several .dist-info folders", where=where)
    for folder in matching or found:
        return folder
    if "EGG-INFO/PKG-INFO" in members:
        return "EGG-INFO"
    raise ArchiveError("not a wheel: it has no .dist-info folder", where=where)


def _entry(member: Member, recorded: dict[str, tuple[str | None, int | None]], where: str) -> FileEntry | None:
    path = member.name
    top, _, rest = path.partition("/")
    if top.endswith(".data"):
        scheme, _, path = rest.partition("/")
        if scheme not in _SCHEMES or not path:
            return None
    elif top.endswith(".dist-info") or top == "EGG-INFO":
        return None
    require_readable(member, where)
    digest, size = recorded.get(member.name, (None, None))
    if size is not None and size != member.size:
        raise ArchiveError(f"damaged: RECORD gives another size for {member.name!r}", where=where)
    return FileEntry(
        path=path,
        size=member.size,
        digest=digest,
        member=member.name if member.name != path else "",
        crc=member.crc,
        packed=member.packed,
        method=member.method,
        start=member.start,
        stop=member.stop,
    )


def parse_record(raw: bytes, where: str) -> dict[str, tuple[str | None, int | None]]:
    """SHA-256 (hex) and size of each file that RECORD names; other hashes are left out."""
    found: dict[str, tuple[str | None, int | None]] = {}
    try:
        rows = list(csv.reader(io.StringIO(raw.decode("utf-8", "replace"))))
    except csv.Error as error:
        raise ArchiveError(f"damaged: RECORD cannot be read ({error})", where=where) from None
    for row in rows:
        if len(row) < 3:
            continue
        digest = None
        algorithm, _, value = row[1].partition("=")
        if algorithm == "sha256":
            try:
                decoded = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
            except binascii.Error:
                decoded = b""
            digest = decoded.hex() if len(decoded) == 32 else None
        found[row[0]] = (digest, int(row[2]) if row[2].isdecimal() and len(row[2]) < 16 else None)
    return found
