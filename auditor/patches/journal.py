"""Replaces many files so that afterwards all are new or all are old, whenever it is interrupted.

Complete copies are laid beside the files and then renamed. A journal in the target's root says what is under way:
while it says `preparing` no file has been touched; once it says `committed` every new content lies complete on disk
beside its file, and so does the old one. Whoever finds a journal can therefore always finish or roll back.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast

from auditor.errors import PatchError
from auditor.patches.copies import NEW, OLD, beside, digest_of, is_there, prepare, put, sync
from auditor.patches.hunks import digest

JOURNAL = ".api-audit-journal.json"
State: TypeAlias = Literal["preparing", "committed"]


@dataclass(frozen=True)
class Entry:
    """One file under way: its name under the root, and the digests of its old and new content."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Change:
    """One file to replace."""

    name: str
    old: bytes
    new: bytes

    @property
    def entry(self) -> Entry:
        """What the journal keeps of it."""
        return Entry(self.name, digest(self.old), digest(self.new))


def commit(root: Path, changes: Sequence[Change]) -> None:
    """Replace all files, or none; a file that somebody else changes meanwhile keeps their content."""
    entries = [change.entry for change in changes]
    state: State = "preparing"
    try:
        _write_journal(root, state, entries)
        for change in changes:
            prepare(root / change.name, change.old, change.new)
        _sync_folders(root, entries)
        _write_journal(root, "committed", entries)
        state = "committed"
        for entry in entries:
            _replace(root, entry)
        _sync_folders(root, entries)
    except BaseException as error:
        _undo(root, state, entries, error)
        if isinstance(error, OSError):
            where = str(error.filename or root)
            raise PatchError(
                f"The files could not be replaced: {_reason(error)}", where=where, hint="All are as they were"
            ) from error
        raise
    with suppress(OSError):  # all is done; the next run clears away what could not be removed
        _clear(root, entries)


def recover(root: Path) -> str | None:
    """Finish or roll back what an interrupted run left; says which, or None if there is nothing."""
    journal = root / JOURNAL
    if not journal.exists() and not journal.is_symlink():
        (root / f"{JOURNAL}.tmp").unlink(missing_ok=True)  # of a run that ended before it had a journal
        return None
    state, entries = _read_journal(journal)
    if state == "committed" and all(_can_finish(root, entry) for entry in entries):
        for entry in entries:
            if digest_of(root / entry.name) != entry.after:
                os.replace(beside(root / entry.name, NEW), root / entry.name)  # noqa: PTH105
        _sync_folders(root, entries)
        _clear(root, entries)
        return f"An interrupted run was finished: {_count(entries)} now new"
    _roll_back(root, state, entries)
    return f"An interrupted run was rolled back: {_count(entries)} as before it"


def _count(entries: Sequence[Entry]) -> str:
    return "1 file is" if len(entries) == 1 else f"{len(entries)} files are"


def _replace(root: Path, entry: Entry) -> None:
    path, new, old = root / entry.name, beside(root / entry.name, NEW), beside(root / entry.name, OLD)
    if digest_of(path) == entry.before:
        os.replace(new, path)  # noqa: PTH105
        if digest_of(old) == entry.before:
            return
        os.link(path, new)  # somebody wrote into it at the last moment: theirs goes back, ours is kept beside
        os.replace(old, path)  # noqa: PTH105
    raise PatchError(
        "The file was changed while it was being patched", where=str(path), hint="It is kept; no file is patched"
    )


def _undo(root: Path, state: State, entries: Sequence[Entry], error: BaseException) -> None:
    try:
        _roll_back(root, state, entries)
    except (OSError, PatchError) as second:
        if isinstance(error, OSError | PatchError):
            raise PatchError(
                f"The files could not be replaced ({_reason(error)}), nor all be put back ({_reason(second)})",
                where=str(root),
                hint="Run the command again to finish or roll back",
            ) from error


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _roll_back(root: Path, state: State, entries: Sequence[Entry]) -> None:
    """Put back the files that were replaced; one that was not is left alone, whatever it holds by now."""
    replaced = [entry for entry in entries if state == "committed" and not is_there(beside(root / entry.name, NEW))]
    touched = [entry for entry in replaced if digest_of(root / entry.name) != entry.before]
    for entry in touched:
        path = root / entry.name
        is_ours = digest_of(path) == entry.after or not is_there(path)
        if not is_ours or digest_of(beside(root / entry.name, OLD)) != entry.before:
            raise PatchError(
                "An interrupted run can be neither finished nor rolled back: the file was changed since",
                where=str(path),
                hint=f"Put the file right by hand, then remove {JOURNAL}",
            )
    for entry in touched:
        os.replace(beside(root / entry.name, OLD), root / entry.name)  # noqa: PTH105
    _sync_folders(root, entries)
    if replaced:
        with suppress(OSError):  # to say that no file is touched any more is worth a try on a full disk, too
            _write_journal(root, "preparing", entries)
    _clear(root, entries)


def _can_finish(root: Path, entry: Entry) -> bool:
    now = digest_of(root / entry.name)
    return now == entry.after or (now == entry.before and digest_of(beside(root / entry.name, NEW)) == entry.after)


def _write_journal(root: Path, state: State, entries: Sequence[Entry]) -> None:
    content = json.dumps({"format": 1, "state": state, "files": [asdict(entry) for entry in entries]}).encode()
    temporary = root / f"{JOURNAL}.tmp"
    temporary.unlink(missing_ok=True)
    put(temporary, content, 0o644)
    os.replace(temporary, root / JOURNAL)  # noqa: PTH105
    sync(root)


def _read_journal(journal: Path) -> tuple[State, list[Entry]]:
    try:
        plain = stat.S_ISREG(journal.lstat().st_mode) and journal.lstat().st_size < 4_000_000
        content = json.loads(journal.read_bytes()) if plain else {}
        entries = [Entry(**file) for file in content["files"]]
        state = content["state"] if content["format"] == 1 and all(_is_inside(entry.name) for entry in entries) else ""
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        state, entries = "", []
    if state not in ("preparing", "committed"):
        raise PatchError(
            "It is not a journal of this tool", where=str(journal), hint="Remove it if no run is under way"
        )
    return cast("State", state), entries


def _is_inside(name: object) -> bool:
    return (
        isinstance(name, str)
        and not Path(name).is_absolute()
        and ".." not in Path(name).parts
        and name.endswith((".py", ".pyi"))
    )


def _clear(root: Path, entries: Sequence[Entry]) -> None:
    for entry in entries:
        for suffix in (NEW, OLD):
            beside(root / entry.name, suffix).unlink(missing_ok=True)
    (root / f"{JOURNAL}.tmp").unlink(missing_ok=True)
    (root / JOURNAL).unlink(missing_ok=True)
    sync(root)


def _sync_folders(root: Path, entries: Sequence[Entry]) -> None:
    for folder in sorted({(root / entry.name).parent for entry in entries}):
        sync(folder)
