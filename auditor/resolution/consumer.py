"""Arguments -> the consumer: paths as they are, a name from this environment or else from the index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.consumer.source import Sources, from_paths, from_release
from auditor.errors import AuditError, SpecError
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, open_release
from auditor.packages.spec import IndexSpec, parse_spec
from auditor.packages.store import Store

if TYPE_CHECKING:
    from auditor.packages.files import IndexFile


@contextmanager
def open_store(options: Options) -> Iterator[tuple[Store, PackageIndex]]:
    """What every pipeline begins with: the store, closed at the end, and the package index that it keeps."""
    with Store.open(options.cache_dir) as store:
        yield store, PackageIndex(store, index_url=options.index_url, offline=options.offline)


def open_consumer(options: Options, store: Store, index: PackageIndex) -> Sources:
    """The consumer's sources: paths as they are, a name from this environment or else from the index."""
    options.progress("opening the consumer")
    if "" in options.consumers:  # such as a variable of the shell that is not set; as a path it would be this folder
        raise SpecError("the name of a consumer is empty", hint="For the current folder write `.`")
    paths = [Path(c) for c in options.consumers]
    if all(p.exists() for p in paths):
        return _with_requirements(from_paths(paths, options.exclude), paths)
    if len(options.consumers) > 1:
        missing = next(c for c, p in zip(options.consumers, paths, strict=True) if not p.exists())
        raise SpecError("no such file or folder", where=missing, hint="Several consumers must all be paths")
    text = options.consumers[0]
    if _is_lost_path(text):
        raise SpecError("no such file or folder", where=text)
    release = _installed(text, store, index) or open_release(text, store=store, index=index, offline=options.offline)
    sources = from_release(release, release.metadata.requires_dist, options.exclude)
    sources.published = lambda: _uploaded(release, index)
    return sources


def _uploaded(release: Release, index: PackageIndex) -> datetime | None:
    """When a release came onto the index, where that can be known."""

    def moments(files: Iterable[IndexFile]) -> list[datetime]:
        return [file.uploaded for file in files if file.version == release.version and file.uploaded is not None]

    try:
        return min(moments(index.files(release.name, satisfied=lambda files: bool(moments(files)))), default=None)
    except AuditError:
        return None


def _is_lost_path(text: str) -> bool:
    """Whether a consumer that is no path is meant to be one all the same."""
    if not (text.startswith((".", "~", "/")) or "/" in text or os.sep in text):
        return False
    try:
        parse_spec(text)
    except SpecError:
        return not text.partition("@")[1]
    return False


def _installed(text: str, store: Store, index: PackageIndex) -> Release | None:
    """A plain name that is installed beside this program."""
    import sys

    spec = parse_spec(text)
    if not isinstance(spec, IndexSpec) or spec.specifier:
        return None
    try:
        return open_release(f"env:{sys.executable}", store=store, index=index, name=spec.name)
    except AuditError:
        return None


def _with_requirements(sources: Sources, paths: Sequence[Path]) -> Sources:
    """A folder with project metadata says itself what it is and what it needs; a part of a project, what that needs."""
    from auditor.packages.project import CONFIGURATION, read_project

    folder = paths[0]
    stated = [p.relative_to(folder).as_posix() for p in folder.glob("*.dist-info/METADATA")] if folder.is_dir() else []
    stated += [name for name in CONFIGURATION if (folder / name).is_file()]
    whole = len(paths) == 1 and bool(stated)
    if not whole:
        folder = Path(os.path.commonpath([path.resolve() for path in paths]))
        while not any((folder / name).is_file() for name in CONFIGURATION):
            if folder == folder.parent:
                return sources
            folder = folder.parent
        stated = [name for name in CONFIGURATION if (folder / name).is_file()]

    def text(path: str) -> bytes | None:
        file = folder / path
        return file.read_bytes() if file.is_file() else None

    metadata = read_project([*stated, *(sources.modules.values() if whole else ())], text).metadata
    sources.published = lambda: _committed(folder)
    sources.requires = metadata.requires_dist
    if not whole:
        return sources
    sources.name = metadata.name or sources.name
    sources.version = metadata.version
    return sources


def _committed(folder: Path) -> datetime | None:
    from auditor.packages.gittree import committed

    return committed(folder)
