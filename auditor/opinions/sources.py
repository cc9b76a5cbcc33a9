"""Unpacks a consumer and both releases of its providers, and asks a checker about both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Protocol

import msgspec

from auditor.opinions.checkers import Checker, Diagnostic


class Release(Protocol):
    """What is needed of a release."""

    def modules(self) -> Mapping[str, str]: ...
    def stubs(self) -> Mapping[str, str]: ...
    def read(self, paths: Iterable[str]) -> dict[str, bytes]: ...


class Consumer(Protocol):
    """What is needed of a consumer's sources."""

    @property
    def modules(self) -> Mapping[str, str]: ...
    def read(self, paths: Iterable[str]) -> dict[str, bytes]: ...


class Offer(msgspec.Struct, frozen=True):
    """Both releases of one provider."""

    old: Release
    new: Release


def second_opinion(asked: Checker, consumer: Consumer, offers: Sequence[Offer]) -> list[Diagnostic]:
    """What a checker says of the consumer with the new releases that it does not say with the old ones."""
    with TemporaryDirectory(prefix="api-audit-") as name:
        folder = Path(name).resolve()
        checked = folder / "consumer"
        written = _unpack(checked, consumer.modules, (), consumer.read)
        environment = _empty_environment(folder / "environment")
        sides = []
        for side in ("old", "new"):
            provider = folder / side
            provider.mkdir()
            for offer in offers:
                release: Release = getattr(offer, side)
                _unpack(provider, release.modules(), release.stubs().items(), release.read)
            found = asked.check(checked, provider, environment)
            sides.append({d.place: d for d in (_ours(d, checked, written) for d in found) if d is not None})
    old, new = sides
    return [diagnostic for place, diagnostic in new.items() if place not in old]


def _unpack(
    folder: Path,
    modules: Mapping[str, str],
    stubs: Iterable[tuple[str, str]],
    read: Callable[[Iterable[str]], dict[str, bytes]],
) -> dict[str, str]:
    """Write modules where an import finds them; returns the file of each, relative, and the path it was reported by."""
    pairs = [*modules.items(), *stubs]
    contents = read([path for _, path in pairs])
    written: dict[str, str] = {}
    for name, path in pairs:
        parts = name.split(".")
        if not all(part.isidentifier() for part in parts):
            continue
        file = PurePosixPath(path)
        stem = "/".join([*parts, "__init__"] if file.stem == "__init__" else parts)
        target = folder / f"{stem}{file.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(contents[path])
        written[f"{stem}{file.suffix}"] = path
    return written


def _empty_environment(folder: Path) -> Path:
    """An environment without packages: what is installed here says nothing about the consumer's."""
    import venv

    venv.create(folder, with_pip=False, symlinks=True)
    return folder


def _ours(diagnostic: Diagnostic, checked: Path, written: Mapping[str, str]) -> Diagnostic | None:
    """A diagnostic with the path by which the file is reported; None for one outside the consumer."""
    path = checked / diagnostic.path
    try:
        relative = path.resolve().relative_to(checked).as_posix()
    except ValueError:
        return None
    shown = written.get(relative)
    return msgspec.structs.replace(diagnostic, path=shown) if shown is not None else None
