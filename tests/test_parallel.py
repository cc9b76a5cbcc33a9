"""Reading a release on all cores yields what reading it on one does, whatever becomes of the helpers."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping

import msgspec
import pytest

from auditor import pool
from auditor.api import ModuleApi
from auditor.packages.store import Store
from auditor.provider import parallel
from auditor.provider.loading import Module, keys_of
from auditor.provider.parallel import Job, read_all
from auditor.provider.snapshot import Snapshot, prefetch

SOURCES = {
    "pkg/__init__.py": "from .a import f",
    "pkg/sub/__init__.pyi": "from . import x\nclass C: ...",
    "pkg/a.py": "def f(a, b=1): ...",
    "pkg/old.py": "def f(a, (b, c)): print a",
    "pkg/broken.py": "$" * 40,
    **{f"pkg/m{number}.py": f"class C{number}:\n" + "    x: int = 1\n" * number for number in range(1, 40)},
}
JOBS = [
    Job(path, path, path.rsplit(".", 1)[0].replace("/", ".").removesuffix(".__init__"), text.encode())
    for path, text in SOURCES.items()
]


def decoded(jobs: Iterable[Job], helpers: int) -> dict[str, ModuleApi]:
    jobs = list(jobs)
    done = list(read_all(jobs, len(jobs), helpers=helpers))
    assert len(done) == len({one.key for one in done})
    return {one.key: msgspec.msgpack.decode(one.data, type=ModuleApi) for one in done}


ALONE = decoded(JOBS, 0)


@pytest.mark.parametrize("helpers", [1, 3])
def test_helpers_read_the_same(helpers: int) -> None:
    assert decoded(JOBS, helpers) == ALONE
    assert set(ALONE) == set(SOURCES)


@pytest.mark.parametrize(
    "start",
    [
        "raise SystemExit(3)",
        "import sys; sys.stdin.buffer.read(9); sys.exit()",
        "import sys; sys.stdout.buffer.write(b'nonsense' * 9); sys.stdout.flush(); sys.stdin.buffer.read()",
        "import sys; sys.stdout.buffer.write(bytes(7) + b'\\1' + bytes(8) + b'\\x90'); sys.stdout.flush()",
    ],
)
def test_helpers_that_fail_are_replaced(monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    monkeypatch.setattr(pool, "_START", start.replace("{", "{{"))
    assert decoded(JOBS, 2) == ALONE


def test_helpers_that_cannot_start_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert decoded(JOBS, 2) == ALONE


def test_an_abandoned_reading_ends_its_helpers() -> None:
    before = gc.get_threshold()
    reading = read_all(JOBS, len(JOBS), helpers=2)
    next(reading)
    reading.close()
    assert gc.get_threshold() == before


def test_sources_that_cannot_be_had_end_the_helpers() -> None:
    def jobs() -> Iterator[Job]:
        yield JOBS[0]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(read_all(jobs(), 2, helpers=2))


def test_little_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool.subprocess, "Popen", lambda *_, **__: pytest.fail("started a process"))
    assert {one.key for one in read_all(JOBS, len(JOBS))} == set(SOURCES)
    assert list(read_all([], 0)) == []


class Release:
    packages = ("pkg",)

    def modules(self) -> Mapping[str, str]:
        return {job.name: job.path for job in JOBS if job.path.endswith(".py")}

    def stubs(self) -> Mapping[str, str]:
        return {job.name: job.path for job in JOBS if job.path.endswith(".pyi")}

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        return {path: SOURCES[path].encode() for path in paths}

    def __init__(self) -> None:
        self.asked: list[set[str]] = []

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        wanted = list(paths)
        self.asked.append(set(wanted))
        return {path: str(hash(SOURCES[path])) for path in wanted}

    def claims(self, paths: Iterable[str]) -> dict[str, str | None]:
        return {path: str(hash(SOURCES[path])) for path in paths}


def test_a_whole_release_goes_into_the_store_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_affordable", lambda _: 1)
    store = Store(None)
    first, second = Snapshot(Release(), store), Snapshot(Release(), store)
    assert first.load_all() == second.load_all() == len(SOURCES)
    assert (first.parsed, second.parsed) == (len(SOURCES), 0)
    for job in JOBS:
        assert first.module(job.name) == second.module(job.name) == ALONE[job.path]


def test_a_damaged_record_is_read_again() -> None:
    store = Store(None)
    release, path = Release(), "pkg/a.py"
    store.put_many("api", dict.fromkeys(keys_of([Module(release, "pkg.a", path)]).values(), b"\x93damaged"))
    assert Snapshot(release, store).module("pkg.a") == ALONE[path]
    assert Snapshot(Release(), store).module("pkg.a") == ALONE[path]


def test_a_module_that_became_a_package_is_read_anew() -> None:
    SOURCES["pkg/a/__init__.py"] = SOURCES["pkg/a.py"]
    module, package = (Module(Release(), "pkg.a", path) for path in ("pkg/a.py", "pkg/a/__init__.py"))
    assert len(set(keys_of([module, package]).values())) == 2


def test_what_two_releases_share_is_fetched_and_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(parallel, "read_all", lambda jobs, *_: read_all(_noted(jobs, read), 0))
    store = Store(None)
    old, new = Release(), Release()
    first, second = Snapshot(old, store), Snapshot(new, store)
    prefetch({first: ["pkg.a", "pkg.m1", "gone"], second: ["pkg.a", "pkg.m2"]})
    assert sorted(read) == ["pkg", "pkg.a", "pkg.m1", "pkg.m2"]
    assert old.asked[0] == {"pkg/__init__.py", "pkg/a.py", "pkg/m1.py"}
    assert new.asked[0] == {"pkg/m2.py"}  # the other one brings the rest
    assert first.module("pkg.a") == second.module("pkg.a") == ALONE["pkg/a.py"]
    assert first.parsed + second.parsed == len(read) == 4


def _noted(jobs: Iterable[Job], read: list[str]) -> Iterator[Job]:
    for job in jobs:
        read.append(job.name)
        yield job
