"""Reads the modules that dotted paths name, then those that these lead to: in a few rounds, each of them one batch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from auditor.api import ClassApi, ModuleApi, Reexport
from auditor.provider.snapshot import Snapshot, prefetch
from auditor.terms import Import, Member, Name, Subscript, Term

_FEW = 4
"""Modules imported with `*` that are all read for a name; of more, one after the other brings it sooner."""


def follow(paths: Mapping[Snapshot, Collection[str]], others: Iterable[str] = ()) -> None:
    """Read what evaluating some paths will ask of each release: re-exports on the way, and bases of classes.

    Args:
        paths: What is imported, or asked of what is imported, by release.
        others: Modules that are wanted as well, of all these releases, but lead nowhere.
    """
    prefetch({snapshot: [*found, *others] for snapshot, found in paths.items()})
    seen: dict[Snapshot, set[str]] = {snapshot: set() for snapshot in paths}
    ahead = {snapshot: set(found) for snapshot, found in paths.items()}
    while any(ahead.values()):
        for snapshot, found in ahead.items():
            seen[snapshot] |= found
            ahead[snapshot] = {lead for path in found for lead in _leads(snapshot, path)} - seen[snapshot]
        prefetch(ahead)


def _leads(snapshot: Snapshot, path: str) -> Iterator[str]:
    """The paths under which what a path names is found next."""
    module = path
    names: list[str] = []
    while module and not snapshot.has_module(module):
        module, _, name = module.rpartition(".")
        names.insert(0, name)
    api = snapshot.module(module) if module and names else None
    if api is not None:
        name, *rest = names
        yield from (".".join([lead, *rest]) for lead in _next(api, name))


def _next(api: ModuleApi, name: str) -> Iterator[str]:
    """Where a module has a name from, or what the class of that name is made of."""
    if name in api.names:
        for definition in api.names[name]:
            if isinstance(definition, Reexport):
                yield definition.path
            elif isinstance(definition, ClassApi):
                yield from filter(None, map(spelled, definition.bases))
    elif name in api.lazy:
        yield api.lazy[name]
    elif len(api.wildcards) <= _FEW:
        yield from (f"{star}.{name}" for star in api.wildcards)


def spelled(term: Term) -> str | None:
    """The dotted path that an import, a name, or an attribute of one spells."""
    match term:
        case Import(path):
            return path
        case Name(module, name):
            return f"{module}.{name}"
        case Member(of, name):
            before = spelled(of)
            return f"{before}.{name}" if before is not None else None
        case Subscript(of, _):
            return spelled(of)
        case _:
            return None
