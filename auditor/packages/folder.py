"""Opens a folder: a project, a package, an unpacked wheel; its files are read where they lie and nothing is stored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from auditor.errors import ArchiveError, SpecError
from auditor.packages import limits
from auditor.packages.layout import import_packages
from auditor.packages.limits import is_source
from auditor.packages.listing import FileEntry, Listing, Metadata
from auditor.packages.project import CONFIGURATION, METADATA, everything, read_project, stated_version
from auditor.packages.release import Release
from auditor.packages.spec import normalise
from auditor.packages.store import Store

_SKIPPED = frozenset(("__pycache__", "node_modules", "__pypackages__"))


class FolderReader:
    """Reads files below a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, entries: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, bytes, None]]:
        """Each entry with its content."""
        for entry in entries:
            yield entry, read_file(self._root / entry.name), None


def open_folder(
    path: Path, *, store: Store, name: str | None = None, whole: bool = False, metadata: Metadata | None = None
) -> Release:
    """Open a folder.

    Args:
        path: The folder.
        store: Not used for the contents, which may change at any time.
        name: The distribution name, if known.
        whole: All Python files below it, not only its import packages.
        metadata: What is known of it from elsewhere.
    """
    path = path.absolute()
    if (path / "__init__.py").is_file() and not any((path / file).is_file() for file in CONFIGURATION):
        return _open_package(path, store, name, metadata)
    sizes = walk(path)
    if sum(file.count("/") == 1 and file.endswith(".dist-info/METADATA") for file in sizes) > 1:
        if name is None:
            raise SpecError("a folder of several installed packages", where=str(path), hint=f"Write `NAME @ {path}`")
        from auditor.packages.environment import open_in_site

        return open_in_site(path, name, store=store)
    project = read_project(sizes.keys(), lambda file: read_file(path / file) if file in sizes else None, name=name)
    found = list_tree(sizes, project.files, whole=whole)
    known = metadata or project.metadata
    known = known if known.name else msgspec.structs.replace(known, name=name or path.name)
    listing = Listing(known, import_packages(project.files), found)
    return Release(listing, str(path), store=store, reader=lambda: FolderReader(path), name=name, keep=False, root=path)


def list_tree(sizes: dict[str, int], files: dict[str, str], *, whole: bool) -> tuple[FileEntry, ...]:
    """Entries for the import packages; with `whole` also for every other source, under its path in the tree."""
    chosen = everything(sizes, files) if whole else files
    entries = [
        FileEntry(path, sizes[place], member="" if place == path else place) for path, place in sorted(chosen.items())
    ]
    if sum(entry.size for entry in entries) > limits.MAX_SOURCES:
        raise ArchiveError(f"its sources are larger than {limits.MAX_SOURCES} bytes")
    return tuple(entries)


def wanted(name: str) -> bool:
    """Whether a file of a source tree matters: sources, and what tells about the project."""
    base = name.rpartition("/")[2]
    return is_source(base) or base in METADATA or (base in CONFIGURATION and "/" not in name)


def walk(root: Path) -> dict[str, int]:
    """Sizes of the files of a source tree that matter, by POSIX path; hidden folders and environments are passed over.

    Links to folders are not followed, links to files only where they stay inside.
    """
    found: dict[str, int] = {}
    home = os.path.realpath(root)

    def visit(folder: str, prefix: str) -> None:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except PermissionError:
            return
        except OSError as error:
            raise ArchiveError(f"cannot be read: {error.strerror or error}", where=folder) from error
        if prefix and any(entry.name == "pyvenv.cfg" for entry in entries):
            return
        for entry in entries:
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if (
                    entry.name not in _SKIPPED
                    and not entry.name.startswith(".")
                    and prefix.count("/") < limits.MAX_DEPTH
                ):
                    visit(entry.path, f"{name}/")
            elif wanted(name) and name.isprintable() and entry.is_file():  # no import statement names another
                if entry.is_symlink() and not os.path.realpath(entry.path).startswith(home + os.sep):
                    continue
                found[name] = entry.stat().st_size
                if len(found) > limits.MAX_MEMBERS:
                    raise ArchiveError(f"more than {limits.MAX_MEMBERS} Python files", where=str(root))

    visit(str(root), "")
    return found


def read_file(path: Path) -> bytes:
    """A file's content, if it is a regular file of bearable size."""
    try:
        if not path.is_file():
            raise ArchiveError("not a regular file, or gone", where=str(path))
        with path.open("rb") as file:
            data = file.read(limits.MAX_SOURCE + 1)
    except OSError as error:
        hint = "`--exclude` leaves it out"
        raise ArchiveError(f"cannot be read: {error.strerror or error}", where=str(path), hint=hint) from error
    if len(data) > limits.MAX_SOURCE:
        raise ArchiveError(f"larger than {limits.MAX_SOURCE} bytes", where=str(path))
    return data


def _open_package(path: Path, store: Store, name: str | None, metadata: Metadata | None) -> Release:
    """A folder with `__init__.py`: its import root lies above it."""
    root = path.parent
    while (root / "__init__.py").is_file() and root != root.parent:
        root = root.parent
    prefix = path.relative_to(root).as_posix()
    sizes = {f"{prefix}/{file}": size for file, size in walk(path).items() if is_source(file)}
    files = list_tree(sizes, {file: file for file in sizes}, whole=False)
    known = metadata or Metadata(
        name=name or normalise(prefix.partition("/")[0]),
        version=stated_version(sizes, lambda file: read_file(root / file) if file in sizes else None),
    )
    listing = Listing(known, (prefix.replace("/", "."),), files)
    return Release(listing, str(path), store=store, reader=lambda: FolderReader(root), name=name, keep=False, root=root)
