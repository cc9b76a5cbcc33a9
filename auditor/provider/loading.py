"""Modules of one or several releases, read in one go: out of the store, else parsed, each content once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from auditor.api import SCHEMA
from auditor.overlapping import overlapped
from auditor.provider.searching import Files, Records


class Module(NamedTuple):
    """One module of a release."""

    release: Files
    name: str
    path: str


class Loaded(NamedTuple):
    """The encoded API of a module, and whether it had to be parsed."""

    module: Module
    data: bytes
    fresh: bool


def load(modules: Sequence[Module], store: Records, *, anew: bool = False) -> Iterator[Loaded]:
    """Read some modules.

    Args:
        modules: Of any releases.
        store: Knows what was parsed before, by content, and is told the rest.
        anew: Whether they are parsed, whatever the store knows.
    """
    keys = keys_of(modules)
    stored = {} if anew else store.get_many("api", keys.values())
    missing = {key: module for module, key in keys.items() if key not in stored}
    if missing:
        parsed = dict(_parsed(missing))
        store.put_many("api", parsed)
        stored.update(parsed)
    for module, key in keys.items():
        yield Loaded(module, stored[key], missing.get(key) is module)


def keys_of(modules: Iterable[Module]) -> dict[Module, str]:
    """What the store keeps the API of each module under: all that it depends on."""
    asked = _by_release(modules)
    _fetch(asked)
    return {
        module: f"{digest}:{module.name}:{_kind(path)}:{SCHEMA}"
        for release, files in asked.items()
        for (path, digest), module in zip(release.digests(files).items(), files.values(), strict=True)
    }


def _fetch(asked: Mapping[Files, Collection[str]]) -> None:
    """Have the sources of several releases in the store, fetched side by side; what they share comes from the first."""
    if len(asked) > 1:
        planned: set[str] = set()
        tasks = []
        for release, paths in asked.items():
            claims = release.claims(paths)
            tasks.append(partial(release.digests, [path for path, claim in claims.items() if claim not in planned]))
            planned.update(filter(None, claims.values()))
        overlapped(tasks)


def _parsed(missing: Mapping[str, Module]) -> Iterator[tuple[str, bytes]]:
    from auditor.provider.parallel import Job, read_all  # not imported where the store knows it all

    keys = {module: key for key, module in missing.items()}

    def jobs() -> Iterator[Job]:
        for release, files in _by_release(keys).items():
            for path, source in release.read(files).items():
                module = files[path]
                yield Job(keys[module], path, module.name, source)

    return ((done.key, done.data) for done in read_all(jobs(), len(missing)))


def _by_release(modules: Iterable[Module]) -> dict[Files, dict[str, Module]]:
    found: dict[Files, dict[str, Module]] = {}
    for module in modules:
        found.setdefault(module.release, {})[module.path] = module
    return found


def _kind(path: str) -> str:
    """What `is_package` and `is_stub` are for a file."""
    file = path.rsplit("/", 1)[-1]
    return ("package" if file.startswith("__init__.") else "module") + ("-stub" if file.endswith(".pyi") else "")
