"""Reads a set of patches back as input from a stranger: strictly, within limits, and only edits of Python files."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path, PurePosixPath
from typing import cast

from auditor.errors import PatchError
from auditor.model import Applicability, Patch, PatchedFile, Proof
from auditor.patches import header, hunks
from auditor.patches.series import PatchSet, package

MAX_PATCHES = 1000
MAX_BYTES = 4_000_000
"""Of one patch file."""
MAX_TOTAL = 32_000_000
MAX_PATH = 400

_NAME = re.compile(r"\d{3,}-[A-Za-z0-9._-]{1,200}\.patch")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def read_set(folder: Path, *, only: str | None = None) -> PatchSet:
    """Read the patches that the folder's `series` names; with `only`, all of them must edit that package."""
    names = _series(folder)
    total = 0
    sets: list[PatchSet] = []
    for name in names:
        content = _bytes(folder / name)
        total += len(content)
        if total > MAX_TOTAL:
            raise PatchError(f"The set is larger than {MAX_TOTAL} bytes", where=str(folder))
        try:
            sets.append(parse(name, content))
        except PatchError as error:
            place = f"{folder / name}" + (f" ({header.plain(error.where)})" if error.where else "")
            raise PatchError(error.what, where=place, hint=error.hint or "Generate the patches anew") from error
    if not sets:
        raise PatchError("The set holds no patches", where=str(folder))
    first = sets[0]
    for name, other in zip(names, sets, strict=True):
        if (other.consumer, other.version, other.providers) != (first.consumer, first.version, first.providers):
            raise PatchError("It belongs to another set", where=str(folder / name))
    whole = PatchSet(first.consumer, first.version, first.providers, tuple(p for s in sets for p in s.patches))
    whole.chains()
    if only is not None and set(whole.packages) != {only}:
        raise PatchError(f"The patches edit {', '.join(whole.packages)}, not `{only}`", where=str(folder))
    return whole


def parse(name: str, content: bytes) -> PatchSet:
    """Read one patch file, as a set of one."""
    start = content.find(b"\n--- ") + 1
    if not start:
        raise PatchError("It holds no edits")
    try:
        lines = content[:start].decode("utf-8").split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise PatchError("Its header is not UTF-8") from error
    head = header.parse(lines)
    rest = content[len("\n".join(lines[:2]).encode()) + 1 :]
    if not lines[1].startswith("# Content: ") or head.one("Content") != f"sha256:{hashlib.sha256(rest).hexdigest()}":
        raise PatchError("Its content is not what its header says: it was changed after it was written")
    if head.one("Safety") not in ("safe", "unsafe"):
        raise PatchError("Its safety is neither `safe` nor `unsafe`")
    files = _files(head, content[start:])
    consumer, _, version = head.one("Consumer").partition(" ")
    proofs = [proof.partition(": ") for proof in head.many("Proof")]
    patch = Patch(
        name=name,
        rule=head.one("Rule"),
        applicability=cast("Applicability", head.one("Safety")),
        reason=head.one("Reason"),
        symbols=head.many("Symbol"),
        files=files,
        proofs=tuple(Proof(title, detail) for title, _, detail in proofs),
        old_signatures=head.many("Old"),
        new_signatures=head.many("New"),
        findings=head.many("Finding"),
    )
    return PatchSet(consumer, version or None, head.many("Provider"), (patch,))


def _files(head: header.Header, body: bytes) -> tuple[PatchedFile, ...]:
    diffs = _split(body.decode("latin-1"))
    if len(diffs) != len(head.files) or len({path for path, _, _ in head.files}) != len(diffs):
        raise PatchError("Its header and its edits name different files")
    files = []
    for diff, (path, before, after) in zip(diffs, head.files, strict=True):
        check_path(path)
        found, _ = hunks.parse(diff)
        raw = diff.encode("latin-1")
        try:
            text, encoding = raw.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            text, encoding = diff, "latin-1"
        if found.encode("latin-1") != path.encode("utf-8") or (encoding != "utf-8" and not path.isascii()):
            raise PatchError("Its header and its edits name different files", where=path)
        files.append(PatchedFile(path=path, before=before, after=after, diff=text, encoding=encoding))
    return tuple(files)


def _split(body: str) -> list[str]:
    """Cut the edits file by file: a `--- ` line opens one unless a hunk still wants it as content."""
    diffs: list[list[str]] = []
    old = new = 0
    for line in body.split("\n")[:-1]:
        if old <= 0 and new <= 0:
            if line.startswith("--- "):
                diffs.append([])
            match = re.fullmatch(r"@@ -\d{1,9},(\d{1,9}) \+\d{1,9},(\d{1,9}) @@", line)
            if match:
                old, new = int(match[1]), int(match[2])
        elif line[:1] != "\\":
            old -= line[:1] in (" ", "-")
            new -= line[:1] in (" ", "+")
            if line[:1] not in (" ", "-", "+"):
                raise PatchError("A hunk holds a line that belongs to no side")
        if not diffs:
            raise PatchError("Its edits do not begin with a file")
        diffs[-1].append(line + "\n")
    if not body.endswith("\n"):
        raise PatchError("It ends in the middle of a line")
    return ["".join(lines) for lines in diffs]


def check_path(path: str) -> None:
    """Refuse any path but a relative one to a Python file inside a package."""
    parts = PurePosixPath(path).parts
    fine = (
        0 < len(path) <= MAX_PATH
        and path == "/".join(parts)
        and not any(char in path for char in '\\:"\t\n*?<>|')
        and not any(part in (".", "..", ".git") or part != part.strip() or part.endswith(".") for part in parts)
        and not any(_RESERVED.fullmatch(part) for part in parts)
        and parts[-1].endswith((".py", ".pyi"))
        and package(path) != ""
        and header.plain(path) == path
    )
    if not fine or path.startswith("/"):
        raise PatchError("It edits something else than a Python file inside a package", where=path)


def _series(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise PatchError("There is no such folder of patches", where=str(folder))
    if not os.path.lexists(folder / "series"):
        hint = "`api-audit scan` makes them, one below --patch-dir for each audit"
        raise PatchError("It is no folder of patches", where=str(folder), hint=hint)
    names = []
    for line in _bytes(folder / "series").decode("utf-8", "replace").split("\n"):
        line = line.strip()
        if line and not line.startswith("#"):
            if not _NAME.fullmatch(line):
                raise PatchError("It names something that is not a patch file", where=str(folder / "series"))
            names.append(line)
    if len(names) > MAX_PATCHES or len(set(names)) != len(names):
        raise PatchError(f"It names a patch twice, or more than {MAX_PATCHES}", where=str(folder / "series"))
    return names


def _bytes(path: Path) -> bytes:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise PatchError("It is not a plain file", where=str(path))
        if status.st_size > MAX_BYTES:
            raise PatchError(f"It is larger than {MAX_BYTES} bytes", where=str(path))
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PatchError(f"It cannot be read: {error.strerror}", where=str(path)) from error
    if len(content) > MAX_BYTES:
        raise PatchError(f"It is larger than {MAX_BYTES} bytes", where=str(path))
    return content
