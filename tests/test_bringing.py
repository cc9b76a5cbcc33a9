"""A module that may not have a name is not read for it, and never has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from auditor.packages.store import Store
from auditor.provider.bringing import may_bind
from auditor.provider.signatures import read_module
from auditor.provider.snapshot import Snapshot
from auditor.world.world import World
from tests.worlds import said

SOURCES = sorted(Path(__file__).parent.glob("cases/**/*.py"))


def test_whatever_a_module_offers_it_may_bind() -> None:
    for path in SOURCES:
        source = path.read_bytes()
        api = read_module("m", source, is_package=path.name == "__init__.py")
        for name in (*api.names, *api.lazy):
            assert may_bind(source, name), (path, name)


@pytest.mark.parametrize(
    ("source", "may"),
    [
        ("class Engine: ...", True),
        ("class EngineArgs: ...\nengine = 1\nMyEngine = 2", False),
        ("__all__ = ['Engine']", True),
        ("from .a import (  # all\n    *\n)", False),  # no syntax, and nothing that is read
        ("from .a import *", True),
        ("from .a import \\\n  *", True),
        ("def __getattr__(name): ...", True),
        ("globals()['Eng' + 'ine'] = 1", True),
        ("import sys\nsys.modules[__name__] = x", True),
    ],
)
def test_what_may_bind_a_name(source: str, may: bool) -> None:
    assert may_bind(source.encode(), "Engine") is may


MODULES = {
    "lib": "from .a import *\nfrom .b import *\nfrom .deep import *\nfrom .stubbed import *\nfrom .c import *\n",
    "lib.a": "class Other: ...\n",
    "lib.b": "from .a import *\n__all__ = ['Nothing']\n",
    "lib.deep": "class Word: ...\n",
    "lib.stubbed": "",
    "lib.c": "class Engine: ...\nclass Word: ...\n_hidden = 1\n",
}


class Release:
    packages = ("lib",)

    def modules(self) -> Mapping[str, str]:
        inner = {name.rpartition(".")[0] for name in MODULES}
        return {name: name.replace(".", "/") + ("/__init__.py" if name in inner else ".py") for name in MODULES}

    def stubs(self) -> Mapping[str, str]:
        return {"lib.stubbed": "lib/stubbed.pyi"}

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        names = {path: name for name, path in self.modules().items()}
        return {path: (MODULES[names[path]] if path in names else "Typed: int\n").encode() for path in paths}

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: sha256(path.encode()).hexdigest() for path in paths}

    def claims(self, paths: Iterable[str]) -> dict[str, str | None]:
        return dict.fromkeys(paths)


@pytest.mark.parametrize(
    ("name", "meaning", "read"),
    [
        ("Engine", "class lib.c.Engine", {"b", "stubbed", "c"}),
        ("Word", "class lib.deep.Word", {"b", "deep"}),
        ("Typed", "outside builtins.int()", {"b", "stubbed"}),
        ("_hidden", "missing lib._hidden", {"b", "stubbed", "c"}),
        ("Gone", "missing lib.Gone", {"b", "stubbed"}),
    ],
)
def test_of_the_modules_imported_with_a_star_those_are_read_that_may_have_the_name(
    name: str, meaning: str, read: set[str]
) -> None:
    snapshot = Snapshot(Release(), Store(None))
    assert said(World([snapshot]).resolve(f"lib.{name}")) == meaning
    touched = {path.removesuffix(".py").removeprefix("lib/") for path in snapshot.touched()}
    assert touched - {"__init__", "stubbed.pyi"} == read


def test_many_modules_asked_in_vain_are_fetched_in_growing_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [f"lib.part{number:02}" for number in range(40)]
    monkeypatch.setitem(MODULES, "lib", "".join(f"from .{part[4:]} import *\n" for part in parts))
    for part in parts:
        monkeypatch.setitem(MODULES, part, "")
        monkeypatch.setitem(MODULES, f"{part}.inner", "")
    batches: list[int] = []
    release = Release()
    monkeypatch.setattr(release, "digests", lambda paths: batches.append(len(p := list(paths))) or Release().digests(p))
    world = World([Snapshot(release, Store(None))])
    batches.clear()
    assert said(world.resolve("lib.Gone")) == "missing lib.Gone"
    assert [size for size in batches if size > 1] == [2 * 9, 2 * 18, 2 * 5]
    batches.clear()
    assert said(world.resolve("lib.Lost")) == "missing lib.Lost"
    assert max(batches) == 1
