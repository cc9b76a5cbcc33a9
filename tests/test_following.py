"""What names lead to is read in rounds, each one batch; what nothing leads to is left alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

import pytest

from auditor.packages.store import Store
from auditor.provider import snapshot as snapshots
from auditor.provider.following import follow
from auditor.provider.loading import Module, load
from auditor.provider.snapshot import Snapshot

SOURCES = {
    "lib": "from .engine import LLM\nfrom .other import unused\ndef __getattr__(name):\n"
    "    if name == 'late':\n        from .lazy import late\n        return late\n    raise AttributeError(name)\n",
    "lib.engine": "from . import base\nclass LLM(base.Offline, list[int]): ...\nclass Two(Generic[T], make()): ...\n",
    "lib.base": "from .deep.root import Root as Base\nclass Offline(Base): ...\n",
    "lib.deep": "",
    "lib.deep.root": "class Root: ...\n",
    "lib.lazy": "late = 1\n",
    "lib.other": "unused = 1\n",
    "lib.starry": "from .other import *\nfrom .lazy import *\n",
    "lib.loop": "from .pool import ring\n",
    "lib.pool": "from .loop import ring\n",
    "lib.apart": "",
}


PATHS = {name: f"{name}/__init__.py" if name in ("lib", "lib.deep") else f"{name}.py" for name in SOURCES}


class Release:
    packages = ("lib",)

    def modules(self) -> Mapping[str, str]:
        return PATHS

    def stubs(self) -> Mapping[str, str]:
        return {}

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        wanted = set(paths)
        return {path: SOURCES[name].encode() for name, path in PATHS.items() if path in wanted}

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: sha256(path.encode()).hexdigest() for path in paths}

    def claims(self, paths: Iterable[str]) -> dict[str, str | None]:
        return dict.fromkeys(paths)


@pytest.mark.parametrize(
    ("paths", "rounds"),
    [
        (["lib.engine.Two"], [{"lib", "lib.engine"}]),
        (["lib.LLM.generate"], [{"lib"}, {"lib.engine"}, {"lib.base"}, {"lib.deep", "lib.deep.root"}]),
        (["lib.late"], [{"lib"}, {"lib.lazy"}]),
        (["lib.starry.late"], [{"lib", "lib.starry"}, {"lib.other", "lib.lazy"}]),
        (["lib.loop.ring"], [{"lib", "lib.loop"}, {"lib.pool"}]),
        (["lib.gone.x", "elsewhere.y"], [{"lib"}]),
        ([], []),
    ],
)
def test_names_are_followed_in_rounds(
    monkeypatch: pytest.MonkeyPatch, paths: list[str], rounds: list[set[str]]
) -> None:
    assert _batches(monkeypatch, paths, ()) == rounds


def test_what_is_wanted_besides_comes_with_the_first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _batches(monkeypatch, ["lib.late"], ["lib.apart"]) == [{"lib", "lib.apart"}, {"lib.lazy"}]


def _batches(monkeypatch: pytest.MonkeyPatch, paths: list[str], others: Iterable[str]) -> list[set[str]]:
    batches: list[set[str]] = []

    def noted(modules: list[Module], store: Store, *, anew: bool = False) -> object:
        batches.append({module.name for module in modules})
        return load(modules, store, anew=anew)

    monkeypatch.setattr(snapshots, "load", noted)
    follow({Snapshot(Release(), Store(None)): paths}, others)
    return batches
