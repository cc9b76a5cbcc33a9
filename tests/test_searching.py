"""Searches through a release: near to far, and made once for a content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from auditor.canonical.callsites import Site, sites
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot

SOURCES = {
    "lib.__init__": "",
    "lib.near.a": "def run(self, size):\n    self.size = size\n",
    "lib.near.b": "class B:\n    def __init__(self, big):\n        self.big = big\n        half = big // 2\n"
    "        self.run(1, size=half)\n",
    "lib.far": "def far(x):\n    return run(x, size=7)\n",
}


class Release:
    """A release that remembers what was read of it."""

    packages = ("lib",)

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.files = {name.replace(".", "/") + ".py": source.encode() for name, source in sources.items()}
        self.seen: list[str] = []

    def modules(self) -> Mapping[str, str]:
        return {path[:-3].replace("/", ".").removesuffix(".__init__"): path for path in self.files}

    def stubs(self) -> Mapping[str, str]:
        return {}

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        found = {path: self.files[path] for path in paths}
        self.seen += found
        return found

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: sha256(self.files[path]).hexdigest() for path in paths}

    def claims(self, paths: Iterable[str]) -> dict[str, str | None]:
        return dict.fromkeys(paths)


def found(release: Release, store: Store) -> list[Site]:
    return list(sites(Snapshot(release, store), "run", "size", "lib.near.a", everywhere=True))


def test_calls_come_nearest_first_with_what_their_arguments_are_made_of():
    near, far = found(Release(SOURCES), Store(None))
    assert (near.module, near.line, near.callee, near.function, near.class_) == (
        "lib.near.b", 5, "self.run", "__init__", "B",
    )  # fmt: skip
    assert near.keywords == {"size": "half"}
    assert near.assigned == {"half": "big // 2"}
    assert (far.module, far.function, far.class_, far.keywords) == ("lib.far", "far", None, {"size": "7"})


def test_what_was_found_is_found_again_without_the_sources():
    store = Store(None)
    first = found(Release(SOURCES), store)
    again = Release(SOURCES)
    assert found(again, store) == first
    assert again.seen == []


def test_another_content_is_searched_anew():
    store = Store(None)
    found(Release(SOURCES), store)
    changed = Release({**SOURCES, "lib.far": "run(1, size=8)\n"})
    assert [site.keywords["size"] for site in found(changed, store)] == ["half", "8"]
    assert "lib/far.py" in changed.seen
    assert "lib/near/a.py" not in changed.seen  # the ring around it is what it was


def test_another_question_is_asked_anew():
    snapshot = Snapshot(Release(SOURCES), Store(None))
    modules = snapshot.module_names()
    assert snapshot.mentioning(modules, {"size", "far"}) == {"lib.near.a": ["size"], "lib.far": ["far"]}
    assert snapshot.mentioning(modules, {"big"}) == {"lib.near.b": ["big"]}
    assert [name for name, _ in snapshot.search("run", r"^def run\b", "lib.far")] == ["lib.near.a"]
    assert [name for name, _ in snapshot.search("run", r"^class run\b", "lib.far")] == []
