"""Arguments -> releases: opens the consumer, and of each provider the release to run on and the one known before."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from auditor.consumer.source import Sources, from_paths, from_release
from auditor.errors import AuditError, SpecError
from auditor.options import Options
from auditor.overlapping import overlapped
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, open_release
from auditor.packages.spec import EnvironmentSpec, IndexSpec, normalise, parse_spec
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot
from auditor.suggest import nearest

if TYPE_CHECKING:
    from auditor.packages.files import IndexFile


GIVEN = "--from"
"""Why a release is the old side: it was named."""


class Pair(msgspec.Struct, frozen=True):
    """A provider on both sides."""

    name: str
    packages: tuple[str, ...]
    old: Snapshot
    """Where no old side is known, the new one."""
    new: Snapshot
    old_version: str | None
    new_version: str | None
    old_origin: str | None
    """None where no old side is known."""
    new_origin: str
    reason: str
    """Why this release is the old side."""


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


_BY_ACCIDENT = frozenset({"tests", "test", "testing", "examples", "docs", "scripts", "benchmarks", "tools", "build"})
"""Top-level names that come into releases by mistake, and that consumers have themselves."""


def dropped(old: Release, new: Release, own: Collection[str]) -> list[str]:
    """Import packages that a release no longer brings, nor anything that it requires, nor the consumer itself."""
    needed = {normalise(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in new.metadata.requires_dist}
    return [
        package
        for package in old.packages
        if package not in new.packages
        and package not in _BY_ACCIDENT
        and package not in own
        and normalise(package) not in needed
    ]


def open_pairs(options: Options, sources: Sources, store: Store, index: PackageIndex) -> list[Pair]:
    """Both releases of every provider named by `--against`."""
    if not options.against:
        raise SpecError("nothing to audit against", hint="Name a provider, e.g. `--against vllm==0.16`")
    options.progress("opening releases")
    texts = list(dict.fromkeys((*options.from_, *options.against)))
    releases = overlapped([partial(_release, text, sources, store, index, options) for text in texts])
    opened = dict(zip(texts, releases, strict=True))
    given = [opened[text] for text in options.from_]
    pairs = []
    for text in options.against:
        new = opened[text]
        indexed = isinstance(parse_spec(text), IndexSpec)
        old, reason = _old_side(new, given, sources, store, index, options, indexed=indexed)
        if old is None:
            snapshot = Snapshot(new, store)
            pairs.append(Pair(new.name, new.packages, snapshot, snapshot, None, new.version, None, new.origin, reason))
            continue
        same = old.version == new.version and old.origin == new.origin
        new_snapshot = Snapshot(new, store)
        new_snapshot.claim(dropped(old, new, sources.packages))
        pairs.append(
            Pair(
                new.name,
                tuple(dict.fromkeys((*new.packages, *old.packages))),
                new_snapshot if same else Snapshot(old, store),
                new_snapshot,
                old.version,
                new.version,
                old.origin,
                new.origin,
                reason,
            )
        )
    return pairs


def _release(text: str, sources: Sources, store: Store, index: PackageIndex, options: Options) -> Release:
    """A release by its specification; where there is none to run on, the error says what may have been meant."""
    try:
        return _named(text, sources, store, index, options)
    except SpecError as error:
        if text in options.against:
            raise _meant(error, text, sources) from error
        raise


def _meant(error: SpecError, text: str, sources: Sources) -> SpecError:
    """The error with the requirement of the consumer that is spelled much like the release which does not exist."""
    from auditor.claims import required

    spec = parse_spec(text)
    known = required(sources)
    if not isinstance(spec, IndexSpec) or spec.name in known or not (near := nearest(spec.name, known, limit=1)):
        return error
    hint = f"Did you mean `{near[0]}`, which {sources.name} requires?"
    return SpecError(error.what, where=error.where, hint=hint)


def _named(text: str, sources: Sources, store: Store, index: PackageIndex, options: Options) -> Release:
    """The release that a specification names; of an environment the package that the others are about."""
    spec = parse_spec(text)
    name = None
    if isinstance(spec, EnvironmentSpec) and spec.name is None:
        others = options.from_ if text in options.against else options.against
        mine = options.against if text in options.against else options.from_
        named = _names(others, store, index, options) - _names(mine, store, index, options)
        name = named.pop() if len(named) == 1 else _required(spec, named, sources, store, index)
    return open_release(text, store=store, index=index, offline=options.offline, name=name)


def _names(texts: Sequence[str], store: Store, index: PackageIndex, options: Options) -> set[str]:
    """What specifications are about, but for those of environments that do not say it."""
    named = set()
    for text in texts:
        spec = parse_spec(text)
        if not isinstance(spec, EnvironmentSpec):
            named.add(spec.name or open_release(spec, store=store, index=index, offline=options.offline).name)
        elif spec.name is not None:
            named.add(spec.name)
    return named


def _required(
    spec: EnvironmentSpec, among: Collection[str], sources: Sources, store: Store, index: PackageIndex
) -> str | None:
    """The one package of an environment that the consumer requires and imports; an error where there are several."""
    from auditor.claims import required

    found = []
    for name in sorted(among or required(sources) - {normalise(sources.name)}):
        try:
            release = open_release(spec, store=store, index=index, name=name)
        except AuditError:
            continue
        if among or sources.imports(release.packages):
            found.append(name)
    if len(found) > 1:
        hint = f"Write `{found[0]} @ {spec.text}`, or name one of {', '.join(found[1:])}"
        raise SpecError("it is not said which package of the environment is meant", where=spec.text, hint=hint)
    return found[0] if found else None


def stated(new: Release, given: Sequence[Release]) -> Release | None:
    """Which of some releases, named by `--from`, is one of the same provider: by its name, else by what it brings."""
    named = (one for one in given if one.name == new.name)
    akin = (one for one in given if not set(one.packages).isdisjoint(new.packages))
    return next(chain(named, akin), None)


def _old_side(
    new: Release,
    given: Sequence[Release],
    sources: Sources,
    store: Store,
    index: PackageIndex,
    options: Options,
    *,
    indexed: bool,
) -> tuple[Release | None, str]:
    if (named := stated(new, given)) is not None:
        return named, GIVEN
    from auditor.claims import old_version  # not asked where --from says it

    chosen, reason = old_version(sources, new.name, new.version, index, indexed=indexed)
    if chosen is None:
        return None, reason
    return open_release(f"{new.name}=={chosen}", store=store, index=index, offline=options.offline), reason
