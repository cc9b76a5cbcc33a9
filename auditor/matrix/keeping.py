"""Keeps what was found about each release in the store, so that an interrupted range goes on where it ended."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from auditor import __version__
from auditor.consumer.source import Sources
from auditor.matrix.table import Column
from auditor.options import Selection
from auditor.packages.release import Release
from auditor.packages.store import Store
from auditor.rulepack.loader import built_in_rules

KIND = "matrix"
_SCHEMA = 3
"""Raised whenever the stored form of a column changes."""


def recall(store: Store, key: str) -> Column | None:
    """The column that was kept under a key."""
    data = store.get(KIND, key)
    try:
        return None if data is None else msgspec.structs.replace(_DECODER.decode(data), kept=True)
    except msgspec.DecodeError:
        return None


def keep(store: Store, key: str, column: Column) -> None:
    """Keep a column; one that failed may succeed the next time and is not kept."""
    if column.failure is None:
        store.put(KIND, key, msgspec.msgpack.encode(column))


def key_of(consumer: str, old: str, new: str, rules: Sequence[Path], selection: Selection) -> str:
    """What a column depends on: the consumer, both releases, the rules, those that are wanted, and this program."""
    parts = (_SCHEMA, _build(), consumer, old, new, _folders(rules), selection)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def consumer_digest(sources: Sources) -> str:
    """The content of a consumer, by file."""
    contents = sources.read(sources.modules.values())
    files = sorted((path, hashlib.sha256(data).hexdigest()) for path, data in contents.items())
    modules = sorted(sources.modules.items())
    return _digest(sources.name, str(sources.version), repr(files), repr(modules))


def release_digest(release: Release) -> str:
    """The content of a release: as its table of contents tells it, where that has checksums, else as it is read."""
    files = sorted(release.files.values(), key=lambda file: file.path)
    if any(file.crc is None for file in files):
        told = sorted(release.digests([file.path for file in files]).items())
    else:
        told = [(file.path, f"{file.size}:{file.crc}") for file in files]
    return _digest(release.name, str(release.version), repr(told))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _build() -> str:
    """The program: its release, and its files as they lie here, since a checkout changes without one."""
    return f"{__version__}:{_folders((Path(__file__).parent.parent, built_in_rules()))}"


def _folders(folders: Iterable[Path]) -> str:
    """Which files some folders hold, by name, size and time."""
    found = []
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in names:
                if name.endswith((".py", ".yaml", ".yml")):
                    file = os.stat(os.path.join(root, name))  # noqa: PTH116, PTH118 - hundreds of them at each start
                    found.append((root, name, file.st_size, file.st_mtime_ns))
    return _digest(repr(sorted(found)))


_DECODER = msgspec.msgpack.Decoder(Column)
