"""Reads a release whole into the store, and counts what it offers."""

from __future__ import annotations

from pathlib import Path

import msgspec

from auditor.api import ClassApi, Definition, ModuleApi, Reexport
from auditor.model import Problem
from auditor.options import Progress
from auditor.packages.index import PackageIndex
from auditor.packages.release import open_release
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot


class Inventory(msgspec.Struct, frozen=True):
    """A release that was read whole."""

    name: str
    version: str | None
    origin: str
    modules: int
    symbols: int
    """Functions, classes, methods and attributes, names that imports bind excluded."""
    problems: tuple[Problem, ...] = ()
    stats: dict[str, int | float] = {}


def snapshot(
    spec: str,
    *,
    index_url: str | None = None,
    cache_dir: Path | None = None,
    offline: bool = False,
    on_progress: Progress | None = None,
) -> Inventory:
    """Read the release that `spec` names into the store.

    Raises:
        AuditError: It cannot be had.
    """
    if on_progress is not None:
        on_progress(f"Reading {spec}", 0, None)
    with Store.open(cache_dir) as store:
        index = PackageIndex(store, index_url=index_url, offline=offline)
        release = open_release(spec, store=store, index=index, offline=offline)
        taken = Snapshot(release, store)
        modules = taken.load_all()
        problems: list[Problem] = []
        symbols = 0
        for name in taken.module_names():
            api = taken.module(name)
            if api is not None:
                symbols += _symbols(api)
                problems += [Problem(name, problem) for problem in api.problems]
        stats: dict[str, int | float] = {"traffic_bytes": index.traffic.received, "requests": index.traffic.requests}
        return Inventory(release.name, release.version, release.origin, modules, symbols, tuple(problems), stats)


def _symbols(api: ModuleApi) -> int:
    return sum(_counted(d) for definitions in api.names.values() for d in definitions[-1:])


def _counted(definition: Definition) -> int:
    if isinstance(definition, ClassApi):
        members = sum(_counted(d) for definitions in definition.members.values() for d in definitions[-1:])
        return 1 + members + len(definition.instance)
    return 0 if isinstance(definition, Reexport) else 1
