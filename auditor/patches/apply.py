"""Brings the files of a target to the state that a set of patches asks for, or back, and says what it did."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from auditor.errors import PatchError
from auditor.model import Patch, PatchedFile
from auditor.patches import hunks
from auditor.patches.journal import JOURNAL, Change, commit, recover
from auditor.patches.lock import locked
from auditor.patches.series import PatchSet
from auditor.patches.target import Target, locate

Mode: TypeAlias = Literal["apply", "check", "diff", "revert"]
MAX_FILE = 20_000_000

_Chain: TypeAlias = Sequence[tuple[Patch, PatchedFile]]


class Outcome(msgspec.Struct, frozen=True):
    """What was done, or with `check` and `diff` would be."""

    mode: Mode
    root: str
    changed: tuple[str, ...] = ()
    """Files, as named under the root."""
    patches: tuple[str, ...] = ()
    """Patches that were applied (or reversed) now."""
    already: tuple[str, ...] = ()
    """Patches whose effect was there before."""
    left_out: tuple[str, ...] = ()
    """Unsafe patches that were not asked for."""
    recovered: str | None = None
    """What became of an earlier, interrupted run."""
    notes: tuple[str, ...] = ()
    diff: str = ""

    def sentences(self) -> list[str]:
        """The outcome for people, a line each."""
        lines = [self.recovered] if self.recovered else []
        verb = {"apply": "Applied", "revert": "Took back", "check": "Would apply", "diff": "Would apply"}[self.mode]
        place = "in" if self.mode == "revert" else "to"
        if self.patches:
            files = _counted(self.changed, "file")
            lines.append(f"{verb} {_counted(self.patches, 'patch', 'patches')} {place} {files} in {self.root}")
            lines += [f"  {name}" for name in self.patches]
        else:
            lines.append(f"Nothing to do in {self.root}: {self._idle()}")
        if self.left_out:
            lines.append(f"Left out as unsafe: {', '.join(self.left_out)} (--unsafe-fixes takes them in)")
        return [*lines, *(self.notes if self.changed else ())]

    def _idle(self) -> str:
        if self.mode == "revert":
            return "no patch is applied"
        return "the patches are applied already" if self.already else "no patch was chosen"


def apply(patch_set: PatchSet, target: str | Path, *, unsafe: bool = False, mode: Mode = "apply") -> Outcome:
    """Apply (or check, show, reverse) a set at a folder or `env:PYTHON`: all of it or nothing."""
    place = locate(str(target), patch_set)
    try:
        if mode in ("check", "diff"):
            waiting = (place.root / JOURNAL).exists()
            pending = "An interrupted run waits there; the next apply finishes it or rolls it back" if waiting else None
            return _run(patch_set, place, mode, unsafe=unsafe, recovered=pending)
        with locked(place.root):
            return _run(patch_set, place, mode, unsafe=unsafe, recovered=recover(place.root))
    except OSError as error:
        where = str(error.filename or place.root)
        raise PatchError(f"The files could not be changed: {error.strerror}", where=where) from error


def _run(patch_set: PatchSet, place: Target, mode: Mode, *, unsafe: bool, recovered: str | None) -> Outcome:
    chains = patch_set.chains()
    contents = {path: _read(place.root, name) for path, name in place.names.items()}
    state = {path: _state(contents[path], chain) for path, chain in chains.items()}
    foreign = [place.names[path] for path, at in state.items() if at is None]
    if foreign:
        more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise PatchError(
            f"It is not the file that the patches were made for{more}",
            where=str(place.root / foreign[0]),
            hint="Nothing was changed",
        )
    changes: list[tuple[str, Change]] = []
    moved: set[str] = set()
    there: set[str] = set()
    for path, chain in chains.items():
        now = state[path] or 0
        goal = 0 if mode == "revert" else max(now, _wanted(path, chain, unsafe=unsafe))
        there.update(patch.name for patch, _ in chain[:now])
        if goal != now:
            moved.update(patch.name for patch, _ in chain[min(now, goal) : max(now, goal)])
            changes.append((path, Change(place.names[path], contents[path], _walk(contents[path], chain, now, goal))))
    if changes and mode in ("apply", "revert"):
        _refuse_read_only(place.root, [change for _, change in changes])
        commit(place.root, [change for _, change in changes])
    names = [patch.name for patch in patch_set.patches]
    unsafe_names = {p.name for p in patch_set.patches if p.applicability != "safe"}
    return Outcome(
        mode=mode,
        root=str(place.root),
        changed=tuple(change.name for _, change in changes),
        patches=tuple(name for name in names if name in moved),
        already=tuple(name for name in names if name in there and name not in moved),
        left_out=tuple(n for n in names if n in unsafe_names - there and not unsafe and mode != "revert"),
        recovered=recovered,
        notes=place.notes,
        diff="".join(hunks.make(path, c.old, c.new).diff for path, c in changes) if mode == "diff" else "",
    )


def _state(content: bytes, chain: _Chain) -> int | None:
    """How many steps of its chain a file has behind it; None if it is on none of them."""
    found = hunks.digest(content)
    for index in range(len(chain), 0, -1):
        if chain[index - 1][1].after == found:
            return index
    return 0 if chain[0][1].before == found else None


def _wanted(path: str, chain: _Chain, *, unsafe: bool) -> int:
    """How many steps are asked for; they must be the first ones, for a step cannot be skipped."""
    chosen = [patch.applicability == "safe" or (unsafe and patch.applicability == "unsafe") for patch, _ in chain]
    count = chosen.index(False) if False in chosen else len(chosen)
    if any(chosen[count:]):
        name = chain[count][0].name
        raise PatchError(f"`{name}` is unsafe, and later patches build on it", where=path, hint="Use --unsafe-fixes")
    return count


def _walk(content: bytes, chain: _Chain, now: int, goal: int) -> bytes:
    for _, file in chain[now:goal]:
        content = hunks.apply(content, file)
    for _, file in reversed(chain[goal:now]):
        content = hunks.reverse(content, file)
    return content


def _read(root: Path, name: str) -> bytes:
    """The content of a plain file that is reached without any link."""
    path = root
    for part in Path(name).parts:
        path = path / part
        if path.is_symlink():
            raise PatchError("It is a link, so nothing is written there", where=str(path), hint="Nothing was changed")
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
        raise PatchError("It is not a plain file of a size for Python sources", where=str(path))
    return path.read_bytes()


def _refuse_read_only(root: Path, changes: Sequence[Change]) -> None:
    for change in changes:
        for path in (root / change.name, (root / change.name).parent, root):
            if not os.access(path, os.W_OK):
                raise PatchError("It cannot be written to", where=str(path), hint="Nothing was changed")


def _counted(items: Sequence[str], one: str, many: str | None = None) -> str:
    return f"{len(items)} {one if len(items) == 1 else many or one + 's'}"
