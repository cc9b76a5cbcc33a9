"""Opens what git keeps of a folder at a commit, tag or branch; nothing is checked out, no hook or network is used."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

import msgspec
from packaging.version import InvalidVersion, Version

from auditor.errors import ArchiveError, AuditError, SpecError
from auditor.git import GitMissingError, ask
from auditor.packages import limits
from auditor.packages.folder import list_tree, wanted
from auditor.packages.layout import import_packages
from auditor.packages.listing import FileEntry, Listing, load_listing, save_listing
from auditor.packages.project import read_project
from auditor.packages.release import Release
from auditor.packages.store import Store

_RELEASE = re.compile(r"(?:refs/tags/)?(?:[A-Za-z_-]+[-_/])?v?(\d+(?:\.\d+)+\S*)")
"""A tag that names a version."""
_FETCH = "If it is a partial clone, let git fetch the rest: git fetch --refetch --no-filter"


class GitReader:
    """Reads files of one tree through `git cat-file --batch`."""

    def __init__(self, folder: Path, tree: str) -> None:
        self._folder = folder
        self._tree = tree

    def read(self, entries: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, bytes, None]]:
        """Each entry with its content."""
        names = "".join(f"{self._tree}:{entry.name}\n" for entry in entries)
        output = _git(self._folder, "cat-file", "--batch", given=names.encode())
        place = 0
        for entry in entries:
            end = output.index(b"\n", place)
            head = output[place:end].split()
            if len(head) != 3 or head[1] != b"blob":
                raise ArchiveError(f"git does not have {entry.name!r}", where=str(self._folder))
            start, size = end + 1, int(head[2])
            yield entry, output[start : start + size], None
            place = start + size + 1


def open_git(folder: Path, ref: str, *, store: Store, name: str | None = None, whole: bool = False) -> Release:
    """Open a folder as git keeps it at `ref`."""
    folder = folder.absolute()
    tree = _tree(folder, ref)
    key = f"git:{tree}:{name or ''}:{whole}"
    listing = load_listing(store, key)
    if listing is None:
        listing = _list(folder, tree, name, whole=whole)
        save_listing(store, key, listing)
    metadata = listing.metadata
    named = _RELEASE.fullmatch(ref)
    version = named[1] if named else metadata.version
    metadata = msgspec.structs.replace(metadata, name=metadata.name or name or folder.name, version=version)
    return Release(
        msgspec.structs.replace(listing, metadata=metadata),
        f"{folder} at {ref}",
        store=store,
        reader=lambda: GitReader(folder, tree),
        name=name,
        remember=lambda completed: save_listing(store, key, completed),
    )


def committed(folder: Path) -> datetime | None:
    """When the commit was made that is checked out in a folder; None where git knows none."""
    try:
        told = _git(folder.absolute(), "show", "--no-patch", "--no-show-signature", "--format=%ct", "HEAD")
        return datetime.fromtimestamp(int(told), tz=timezone.utc)
    except (AuditError, ValueError, OverflowError, OSError):
        return None


def tags_between(folder: Path, first: str, last: str, *, prereleases: bool = False) -> list[str]:
    """The tags of releases from one to another, both included, in the order of their versions.

    Raises:
        SpecError: One of the ends is no tag of a release.
    """
    known: dict[str, Version] = {}
    for tag in _git(folder.absolute(), "tag", "--list").decode("utf-8", "replace").split():
        with contextlib.suppress(InvalidVersion):
            if (named := _RELEASE.fullmatch(tag)) is not None:
                known[tag] = Version(named[1])
    for end in (first, last):
        if end not in known:
            raise SpecError(f"there is no tag of a release called {end!r}", where=str(folder))
    low, high = known[first], known[last]
    chosen = [
        t for t, v in known.items() if low <= v <= high and (prereleases or not v.is_prerelease or v in (low, high))
    ]
    return sorted(chosen, key=lambda tag: known[tag])


def _tree(folder: Path, ref: str) -> str:
    prefix = _git(folder, "rev-parse", "--show-prefix").decode().rstrip("\n")
    try:
        commit = (
            _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
        )
        return _git(folder, "rev-parse", "--verify", "--quiet", f"{commit}:{prefix}").decode().strip()
    except ArchiveError:
        raise SpecError(f"git knows no commit, tag or branch {ref!r} with this folder", where=str(folder)) from None


def _list(folder: Path, tree: str, name: str | None, *, whole: bool) -> Listing:
    sizes: dict[str, int] = {}
    for row in _git(folder, "ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0"):
        head, _, raw = row.partition(b"\t")
        fields = head.split()
        path = raw.decode("utf-8", "surrogateescape")
        # links and submodules (modes 120000 and 160000) are passed over
        if len(fields) == 4 and fields[0].startswith(b"100") and wanted(path) and path.isprintable():
            if not fields[3].isdigit():
                raise ArchiveError(f"git lacks the content of {path!r}", where=str(folder), hint=_FETCH)
            sizes[path] = int(fields[3])
    if len(sizes) > limits.MAX_MEMBERS:
        raise ArchiveError(f"more than {limits.MAX_MEMBERS} Python files", where=str(folder))
    reader = GitReader(folder, tree)

    def text(path: str) -> bytes | None:
        return next(data for _, data, _ in reader.read([FileEntry(path, 0)])) if path in sizes else None

    project = read_project(sizes.keys(), text, name=name)
    files = list_tree(sizes, project.files, whole=whole)
    return Listing(project.metadata, import_packages(project.files), files)


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    try:
        done = ask(folder, *arguments, given=given)
    except GitMissingError:
        raise SpecError("a git reference needs `git`, which is not installed", where=str(folder)) from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ArchiveError(f"git failed: {said[0] if said else arguments[0]}", where=str(folder))
    return done.stdout
