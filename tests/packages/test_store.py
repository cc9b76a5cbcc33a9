from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.errors import StoreError
from auditor.packages.database import LAYOUT
from auditor.packages.store import Blob, Store, default_folder


def blob(text: str) -> Blob:
    return Blob(hashlib.sha256(text.encode()).hexdigest(), text.encode())


def test_records_pages_and_blobs_come_back(tmp_path: Path) -> None:
    one, two = blob("x = 1\n" * 500), blob("")
    with Store(tmp_path) as store:
        store.put_many("module", {"a": b"1", "b": b"2"})
        store.put("other", "a", b"3")
        store.put("module", "b", b"4")
        store.put_blobs([one, two, one])
        store.put_page("https://x/a", b"page", etag="tag")
    with Store(tmp_path) as store:
        assert store.get_many("module", ["a", "b", "c"]) == {"a": b"1", "b": b"4"}
        assert (store.get("other", "a"), store.get("other", "b")) == (b"3", None)
        assert store.get_blobs([one.digest, two.digest, "0" * 64]) == {one.digest: one.data, two.digest: two.data}
        assert store.known_blobs([one.digest]) == {one.digest: (len(one.data), zlib.crc32(one.data))}
        page = store.get_page("https://x/a")
        assert page is not None
        assert (page.body, page.etag) == (b"page", "tag")
        assert abs(page.fetched - time.time()) < 60
        assert store.get_page("https://x/b") is None
        assert store.size() > 0
        assert store.path == tmp_path / "store" / "store.sqlite"


def test_many_keys_at_once(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put_many("k", {str(number): b"%d" % number for number in range(2500)})
        assert len(store.get_many("k", map(str, range(0, 5000, 2)))) == 1250


def test_a_blob_must_be_what_its_digest_says(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        with pytest.raises(StoreError, match="does not have the digest"):
            store.put_blobs([blob("fine"), Blob("0" * 64, b"x")])
        assert store.get_blobs([blob("fine").digest]) == {}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE blob SET packed = x'00'",
        "UPDATE blob SET packed = x''",
        "UPDATE blob SET size = size + 1",
        "UPDATE blob SET size = size - 1",
        "UPDATE blob SET digest = zeroblob(32)",
        "UPDATE blob SET packed = 'text'",
        "UPDATE blob SET packed = 7",
        "UPDATE blob SET size = NULL",
        "UPDATE blob SET size = 'six'",
    ],
)
def test_a_damaged_row_counts_as_absent(tmp_path: Path, damage: str) -> None:
    good = blob("x = 1\n")
    with Store(tmp_path) as store:
        store.put_blobs([good])
        store.put("k", "a", b"value")
        store.put_page("u", b"body")
        assert store.path is not None
        with sqlite3.connect(store.path) as other:
            other.execute(damage)
            other.execute("UPDATE record SET value = x'01'")
            other.execute("UPDATE page SET body = x'01'")
        other.close()
        assert store.get_blobs([good.digest]) == {}
        assert store.get("k", "a") is None
        assert store.get_page("u") is None
        store.put_blobs([good])
        assert store.get_blobs([good.digest]) == {good.digest: good.data}


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (a)")
    other.close()


def older(path: Path) -> None:
    with Store(path.parent.parent) as store:
        store.put("k", "a", b"old")
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA user_version={LAYOUT + 1}")
    other.close()


def cut(path: Path) -> None:
    with Store(path.parent.parent) as store:
        store.put_many("k", {str(number): b"x" * 5000 for number in range(50)})
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"not a database " * 1000),
        lambda path: path.write_bytes(os.urandom(5000)),
        lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 84),
        foreign,
        older,
        cut,
    ],
    ids=["text", "random", "header", "foreign", "layout", "cut"],
)
def test_an_unusable_file_is_rebuilt_and_said_once(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    path = tmp_path / "store" / "store.sqlite"
    path.parent.mkdir()
    spoil(path)
    said: list[str] = []
    with Store(tmp_path, warn=said.append) as store:
        assert store.get("k", "a") is None
        store.put("k", "a", b"new")
        assert store.get("k", "a") == b"new"
        assert store.get("k", "b") is None
    assert len(said) == 1
    assert "has been rebuilt" in said[0]
    with Store(tmp_path, warn=said.append) as store:
        assert store.get("k", "a") == b"new"
    assert len(said) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["store"]


def test_a_file_spoilt_while_open(tmp_path: Path) -> None:
    said: list[str] = []
    with Store(tmp_path, warn=said.append) as store:
        store.put_many("k", {str(number): b"x" * 5000 for number in range(50)})
        assert store.path is not None
        store.close()
        store.path.write_bytes(b"garbage" * 1000)
        assert store.get("k", "1") is None
        store.put("k", "1", b"again")
        assert store.get("k", "1") == b"again"
    assert len(said) == 1


def test_without_a_usable_folder_it_works_in_memory_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said: list[str] = []
    with Store(tmp_path / "file", warn=said.append) as store:
        store.put_blobs([blob("x")])
        assert store.get_blobs([blob("x").digest]) == {blob("x").digest: b"x"}
        assert (store.path, store.size()) == (None, 0)
    assert len(said) == 1
    assert "caches in memory" in said[0]


def test_a_read_only_store_is_read_and_the_rest_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path) as store:
        store.put("k", "a", b"old")
    real = sqlite3.connect

    def connect(name: str, **options: object) -> sqlite3.Connection:
        if not options.get("uri") and name != ":memory:":
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return real(name, **options)

    monkeypatch.setattr("sqlite3.connect", connect)
    said: list[str] = []
    with Store(tmp_path, warn=said.append) as store:
        store.put("k", "b", b"new")
        store.put("k", "a", b"newer")
        assert store.get_many("k", ["a", "b"]) == {"a": b"newer", "b": b"new"}
    assert len(said) == 1
    assert "read-only" in said[0]


def test_a_full_disk_is_said_once_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    with Store(tmp_path, warn=said.append) as store:
        store.put("k", "a", b"old")

        def full(*_: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(store._main, "write", full)
        for number in range(3):
            store.put("k", str(number), b"new")
        assert store.get_many("k", ["a", "1"]) == {"a": b"old", "1": b"new"}
    assert len(said) == 1
    assert "disk is full" in said[0]


def test_clean(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put("k", "a", b"x" * 100_000)
        assert store.clean() > 100_000
        assert store.get("k", "a") is None
        store.put("k", "a", b"y")
        assert store.get("k", "a") == b"y"
    assert [entry.name for entry in tmp_path.iterdir()] == ["store"]


def test_a_forked_child_does_not_share_the_connection(tmp_path: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    with Store(tmp_path) as store:
        store.put("k", "a", b"1")
        connection = store._main._connection
        child = os.fork()
        if child == 0:
            try:
                store.put("k", "child", b"2")
                os._exit(0 if store.get("k", "a") == b"1" and store._main._connection is not connection else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert store.get_many("k", ["a", "child"]) == {"a": b"1", "child": b"2"}


def _work(folder: str, number: int) -> list[str]:
    said: list[str] = []
    with Store(folder, warn=said.append) as store:
        for round_ in range(15):
            store.put_many("k", {f"{number}-{round_}-{item}": b"x" * 200 for item in range(20)})
            store.put_blobs([blob(f"shared {round_}"), blob(f"{number} {round_}")])
            if len(store.get_many("k", [f"{number}-{round_}-{item}" for item in range(20)])) != 20:
                said.append("lost something")
    return said


def test_eight_processes_at_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(8) as pool:
        said = pool.starmap(_work, [(str(tmp_path), number) for number in range(8)])
    assert said == [[]] * 8
    with Store(tmp_path) as store:
        keys = [f"{number}-{round_}-{item}" for number in range(8) for round_ in range(15) for item in range(20)]
        assert len(store.get_many("k", keys)) == len(keys)
        assert len(store.known_blobs([blob(f"shared {round_}").digest for round_ in range(15)])) == 15


_WRITER = """
import sys
from auditor.packages.store import Store
with Store(sys.argv[1]) as store:
    for number in range(10_000):
        store.put_many("k", {f"{number}-{item}": b"x" * 1000 for item in range(10)})
        print(number, flush=True)
"""


def test_a_kill_at_any_moment_loses_at_most_the_last_batch(tmp_path: Path) -> None:
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        done = -1
        for line in writer.stdout:
            done = int(line)
            if done >= 20:
                break
        writer.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        writer.wait()
        writer.stdout.close()
        said: list[str] = []
        with Store(tmp_path, warn=said.append) as store:
            assert (
                len(store.get_many("k", [f"{number}-{item}" for number in range(done) for item in range(10)]))
                == done * 10
            )
        assert said == []


def test_the_default_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("XDG folders")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "api-audit"


def test_a_warm_run_loads_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys; from auditor.packages.store import Store; from auditor.packages.index import PackageIndex;"
        "from auditor.packages.release import open_release;"
        "store = Store(sys.argv[1]); index = PackageIndex(store);"
        "release = open_release('pkg==1.0', store=store, index=index);"
        "print(release.read_one('pkg.py'), index.traffic);"
        "heavy = {'urllib3', 'packaging', 'http.client', 'email', 'logging', 'shutil', 'tarfile'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    folder = tmp_path / "simple" / "pkg"
    folder.mkdir(parents=True)
    from packages.making import wheel

    wheel(folder, "pkg", "1.0", {"pkg.py": "x = 1\n"})
    environment = {**os.environ, "PIP_INDEX_URL": (tmp_path / "simple").as_uri(), "PIP_CONFIG_FILE": os.devnull}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "cache")],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert outputs[1] == ["b'x = 1\\n' Traffic(received=0, requests=0)", "[]"]
    assert "packaging" in outputs[0][1]
