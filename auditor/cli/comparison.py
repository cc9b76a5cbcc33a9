"""Opens the two releases of a comparison, and the consumer whose symbols are asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from auditor.cli.options import asked
from auditor.differences import Change, additions, differences, public_symbols, used_symbols
from auditor.errors import SpecError
from auditor.options import Options, Progress
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, open_release
from auditor.packages.spec import parse_spec
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot
from auditor.resolution import GIVEN, open_consumer, open_pairs, open_store
from auditor.sides import Side
from auditor.world.world import World

if TYPE_CHECKING:
    from auditor.audit import Audit


class Comparison(msgspec.Struct, frozen=True):
    """The changes between two releases."""

    provider: str
    old: str
    new: str
    used_by: str | None
    symbols: int
    """How many were compared."""
    changes: tuple[Change, ...]


def compare(old: str, new: str, given: dict[str, Any], on_progress: Progress | None) -> Comparison:
    """Compare two releases as the command line asks."""
    options = asked(given, consumers=(given["used_by"] or "",), against=(new,), from_=(old,), on_progress=on_progress)
    with open_store(options) as (store, index):
        if given["used_by"]:
            return _used(options, store, index)
        options.progress("opening releases")
        named = parse_spec(new).name if parse_spec(old).name is None and old.startswith("env:") else None
        before = open_release(old, store=store, index=index, offline=options.offline, name=named)
        after = open_release(new, store=store, index=index, offline=options.offline, name=before.name)
        if set(before.packages).isdisjoint(after.packages):
            raise _unlike(old, new)
        sides = [_side(release, store, options) for release in (before, after)]
        symbols, others = (
            [symbol for name in snapshot.module_names() for symbol in _symbols(snapshot, name)] for _, snapshot in sides
        )
        homes: dict[str, list[str]] = {}
        for symbol in others:
            homes.setdefault(symbol.rpartition(".")[2], []).append(symbol)

        def elsewhere(symbol: str) -> list[str]:
            """Definitions of the same name and as deep; where there are several, nobody can say which."""
            depth = symbol.rpartition(".")[2]
            alike = [other for other in homes.get(depth, ()) if _is_global(other, sides[1][1])]
            return alike if len(alike) == 1 and _is_global(symbol, sides[0][1]) else []

        options.progress("comparing")
        (was, _), (now, _) = sides
        changes = (*differences(was, now, symbols, elsewhere), *additions(was, now, others))
        return Comparison(before.name, _version(before), _version(after), None, len(symbols), changes)


def _unlike(old: str, new: str) -> SpecError:
    return SpecError("they have no import package in common", where=f"{old}, {new}")


def _symbols(snapshot: Snapshot, name: str) -> list[str]:
    api = snapshot.module(name)
    return list(public_symbols(api)) if api is not None else []


def _is_global(symbol: str, snapshot: Snapshot) -> bool:
    return snapshot.has_module(symbol.rpartition(".")[0])


def _side(release: Release, store: Store, options: Options) -> tuple[Side, Snapshot]:
    options.progress(f"reading {release.name} {_version(release)}")
    snapshot = Snapshot(release, store)
    snapshot.load_all()
    known = dict.fromkeys((release.name, *release.packages), release.version or "")
    return Side(World([snapshot]), known, dict.fromkeys(release.packages, release.name)), snapshot


def _used(options: Options, store: Store, index: PackageIndex) -> Comparison:
    from auditor.audit import Audit
    from auditor.whereabouts import whereabouts

    consumer = open_consumer(options, store, index)
    (pair,) = open_pairs(options, consumer, store, index)
    if pair.reason != GIVEN:
        raise _unlike(options.from_[0], options.against[0])
    audit = Audit(consumer, [pair], store)
    options.progress("reading the consumer", 0, len(consumer.modules))
    symbols = _touched(audit)
    options.progress("comparing")
    changes = differences(audit.old, audit.new, symbols, lambda path: whereabouts(path, audit.old, audit.new).paths)
    name = " ".join(part for part in (consumer.name, consumer.version) if part)
    return Comparison(
        pair.name,
        pair.old_version or pair.old_origin or "",
        pair.new_version or pair.new_origin,
        name,
        len(symbols),
        tuple(changes),
    )


def _touched(audit: Audit) -> list[str]:
    uses = [use for analysis in audit.uses() for use in analysis.uses if audit.old.concerns(use)]
    return sorted(used_symbols(uses, audit.old))


def _version(release: Release) -> str:
    return release.version or release.origin
