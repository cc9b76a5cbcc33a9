"""One file's diff: made with difflib, read with unidiff, applied and reversed byte by byte, without fuzz."""

from __future__ import annotations

import difflib
import hashlib
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unidiff import patch as unidiff
from unidiff.errors import UnidiffParseError

from auditor.errors import PatchError
from auditor.model import PatchedFile

NO_NEWLINE = "\\ No newline at end of file\n"
_ONE = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$")


def digest(content: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def make(path: str, before: bytes, after: bytes) -> PatchedFile:
    """The edit from one content of a file to another."""
    encoding = _encoding(path, before)
    old, new = _lines(before.decode(encoding)), _lines(after.decode(encoding))
    tab = "\t" if " " in path else ""
    out = [f"--- a/{path}{tab}\n", f"+++ b/{path}{tab}\n"]
    for line in list(difflib.unified_diff(old, new))[2:]:
        match = _ONE.match(line.rstrip("\n")) if line.startswith("@@") else None
        if match:
            line = f"@@ -{match[1]}{match[2] or ',1'} +{match[3]}{match[4] or ',1'} @@\n"
        out.append(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}")
    file = PatchedFile(path=path, before=digest(before), after=digest(after), diff="".join(out), encoding=encoding)
    if apply(before, file) != after or reverse(after, file) != before:
        raise PatchError("Its edit cannot be written as a unified diff", where=path)
    return file


def apply(before: bytes, file: PatchedFile) -> bytes:
    """The file after its patch; both ends are checked by digest."""
    return _step(before, file, file.before, file.after, forward=True)


def reverse(after: bytes, file: PatchedFile) -> bytes:
    """The file as it was before its patch; both ends are checked by digest."""
    return _step(after, file, file.after, file.before, forward=False)


def raw(file: PatchedFile) -> bytes:
    """The diff as it stands in a patch file."""
    return file.diff.encode(file.encoding)


def joined(files: Iterable[PatchedFile]) -> bytes:
    """Diffs one after the other, ready for `git apply`, each in the encoding of its file."""
    return b"".join(map(raw, files))


def changed_lines(file: PatchedFile) -> set[int]:
    """Numbers (from 1) of the lines in the file after its patch that are new, or next to removed ones."""
    found: set[int] = set()
    for hunk in parse(raw(file).decode("latin-1"))[1]:
        kept = difflib.SequenceMatcher(None, hunk.old, hunk.new, autojunk=False)
        for tag, _, _, start, end in kept.get_opcodes():
            if tag != "equal":
                found.update(range(hunk.to + start + 1, hunk.to + max(end, start + 1) + 1))
    return found


@dataclass(frozen=True)
class Hunk:
    """Lines `old`, which stand at index `at` of the file before, and `new`, at index `to` of the file after."""

    at: int
    old: tuple[str, ...]
    to: int
    new: tuple[str, ...]


def parse(text: str) -> tuple[str, list[Hunk]]:
    """The `a/` path and the hunks of one file's diff, read as Latin-1; every byte of it must have been understood."""
    try:
        found = unidiff.PatchSet(iter(_lines(text)))
    except (UnidiffParseError, ValueError, IndexError, OverflowError) as error:
        raise PatchError(f"A diff cannot be read: {error}") from error
    if len(found) != 1 or found[0].is_binary_file or found[0].patch_info:
        raise PatchError("A diff holds more than the edits of one text file")
    file = found[0]
    if "".join(_rebuilt(file)) != text:
        raise PatchError("A diff holds lines that are no part of its hunks")
    if not file.source_file.startswith("a/") or file.target_file != f"b/{file.source_file[2:]}":
        raise PatchError("A diff creates, deletes or renames a file")
    return file.source_file[2:], [_hunk(hunk) for hunk in file]


def _rebuilt(file: unidiff.PatchedFile) -> Iterator[str]:
    tab = "\t" if " " in file.source_file else ""
    yield f"--- {file.source_file}{tab}\n+++ {file.target_file}{tab}\n"
    for hunk in file:
        yield f"@@ -{hunk.source_start},{hunk.source_length} +{hunk.target_start},{hunk.target_length} @@\n"
        for line in hunk:
            yield NO_NEWLINE if line.line_type == "\\" else f"{line.line_type}{line.value}"


def _hunk(hunk: unidiff.Hunk) -> Hunk:
    old: list[str] = []
    new: list[str] = []
    sides: tuple[list[str], ...] = ()
    for line in hunk:
        if line.line_type == "\\":
            if not sides:
                raise PatchError("A diff has its end-of-file mark in a wrong place")
            for side in sides:
                side[-1] = side[-1].removesuffix("\n")
            sides = ()
            continue
        sides = {" ": (old, new), "-": (old,), "+": (new,)}.get(line.line_type, ())
        if not sides:
            raise PatchError("A diff holds lines that are no part of its hunks")
        for side in sides:
            side.append(line.value)
    at = hunk.source_start - (1 if hunk.source_length else 0)
    to = hunk.target_start - (1 if hunk.target_length else 0)
    if len(old) != hunk.source_length or len(new) != hunk.target_length or at < 0 or to < 0 or old == new:
        raise PatchError("A hunk does not hold what its header says")
    return Hunk(at, tuple(old), to, tuple(new))


def _step(content: bytes, file: PatchedFile, expects: str, gives: str, *, forward: bool) -> bytes:
    if digest(content) != expects:
        raise PatchError("The file is not the one that the patch was made for", where=file.path)
    path, hunks = parse(raw(file).decode("latin-1"))
    if path != file.path.encode(file.encoding).decode("latin-1"):
        raise PatchError("The diff is about another file than its header says", where=file.path)
    lines = _lines(content.decode("latin-1"))
    out: list[str] = []
    done = 0
    for hunk in hunks:
        at, old, to, new = (hunk.at, hunk.old, hunk.to, hunk.new) if forward else (hunk.to, hunk.new, hunk.at, hunk.old)
        out += lines[done:at]
        if at < done or tuple(lines[at : at + len(old)]) != old or len(out) != to:
            raise PatchError("A hunk does not fit the file", where=file.path)
        out += new
        done = at + len(old)
    result = "".join(out + lines[done:]).encode("latin-1")
    if digest(result) != gives:
        raise PatchError("The patch gives another file than its header says", where=file.path)
    return result


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one, as in diff, patch and git."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _encoding(path: str, content: bytes) -> str:
    try:
        name = tokenize.detect_encoding(io.BytesIO(content).readline)[0].removesuffix("-sig")
        if content.decode(name).encode(name) == content:
            return name
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise PatchError(f"Its encoding cannot be read: {error}", where=path) from error
    raise PatchError(f"Its text does not survive the encoding `{name}`", where=path)
