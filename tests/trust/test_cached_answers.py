"""The store killed, starved, damaged and shared: what it answers is what was put in, or nothing."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from trust.killing import survives

from auditor.packages.store import Blob, Store

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
NOBODY = 65534


def content(number: int) -> bytes:
    return random.Random(number).randbytes(700) + b"x" * (number % 7 * 300)


def blob(number: int) -> Blob:
    return Blob(hashlib.sha256(content(number)).hexdigest(), content(number))


KEYS = [f"key {number}" for number in range(60)]


def fill(store: Store) -> None:
    store.put_blobs(blob(number) for number in range(60))
    store.put_many("kind", {key: content(number) for number, key in enumerate(KEYS)})
    store.put_many("other", {key: content(100 + number) for number, key in enumerate(KEYS)})
    for number in range(20):
        store.put_page(f"https://example.org/{number}", content(200 + number), etag=f"e{number}")


def right_or_absent(store: Store) -> int:
    """How many answers there still are; a wrong one fails."""
    count = 0
    for shift, kind in ((0, "kind"), (100, "other")):
        for key, value in store.get_many(kind, KEYS).items():
            assert value == content(shift + int(key.split()[1]))
            count += 1
    wanted = {blob(number).digest: number for number in range(60)}
    for digest, data in store.get_blobs(wanted).items():
        assert data == content(wanted[digest])
        count += 1
    for number in range(20):
        page = store.get_page(f"https://example.org/{number}")
        if page is not None:
            assert (page.body, page.etag) == (content(200 + number), f"e{number}")
            count += 1
    return count


def _flip(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _zero(data: bytearray, chance: random.Random) -> None:
    place = chance.randrange(len(data))
    data[place : place + 512] = bytes(len(data[place : place + 512]))


def _swap_pages(data: bytearray, chance: random.Random) -> None:
    one, other = (4096 * chance.randrange(1, len(data) // 4096) for _ in range(2))
    data[one : one + 4096], data[other : other + 4096] = data[other : other + 4096], data[one : one + 4096]


def _copy_cell(data: bytearray, chance: random.Random) -> None:
    length = chance.choice((2, 8, 40, 700))
    source, target = chance.randrange(len(data) - length), chance.randrange(100, len(data) - length)
    data[target : target + length] = data[source : source + length]


def _cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


@pytest.mark.parametrize("damage", [_flip, _zero, _swap_pages, _copy_cell, _cut], ids=lambda d: d.__name__.strip("_"))
@pytest.mark.parametrize("tries", [pytest.param(60, id="some"), pytest.param(400, id="many", marks=pytest.mark.fuzz)])
def test_damage_never_gives_a_wrong_answer(tmp_path, record_property, damage, tries):
    with Store(tmp_path / "good") as store:
        fill(store)
        assert right_or_absent(store) == 200
    whole = (tmp_path / "good/store/store.sqlite").read_bytes()
    answers = []
    for seed in range(tries):
        data = bytearray(whole)
        damage(data, random.Random(seed))
        path = tmp_path / "bad/store/store.sqlite"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        said: list[str] = []
        with Store(tmp_path / "bad", warn=said.append) as store:
            answers.append(right_or_absent(store))
            fill(store)
            if right_or_absent(store) < 200:  # what was put in before the damage was met went with it
                fill(store)
            assert right_or_absent(store) == 200, seed
        assert len(said) <= 2, said
        shutil.rmtree(tmp_path / "bad")
    assert min(answers) < 200
    record_property("inputs", tries)


def test_an_answer_is_bound_to_its_question(tmp_path):
    """Rows that were exchanged, each whole in itself, are no answers."""
    with Store(tmp_path) as store:
        fill(store)
        assert store.path is not None
        with sqlite3.connect(store.path) as other:
            other.execute("UPDATE record SET kind = CASE kind WHEN 'kind' THEN 'x' ELSE 'kind' END")
            other.execute("UPDATE page SET url = url || 'x'")
            other.execute("UPDATE page SET url = 'https://example.org/1' WHERE url = 'https://example.org/2x'")
            other.execute("UPDATE blob SET digest = ? WHERE digest = ?", [bytes(32), bytes.fromhex(blob(1).digest)])
            other.execute(
                "UPDATE blob SET digest = ? WHERE digest = ?",
                [bytes.fromhex(blob(1).digest), bytes.fromhex(blob(2).digest)],
            )
        other.close()
        assert store.get_many("kind", KEYS) == {}
        assert store.get_page("https://example.org/1") is None
        assert store.get_blobs([blob(1).digest]) == {}


def _write_for_ever(folder: Path, started: int, first: int = 0) -> None:
    with Store(folder, warn=lambda _: os._exit(4)) as store:
        for number in range(first, first + 100_000):
            store.put_many("kind", {f"{number}-{item}": content(number + item) for item in range(5)})
            store.put_blobs([blob(number)])
            os.write(started, number.to_bytes(8, "big"))


def forked(act: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(3)
    return child


@pytest.mark.parametrize("rounds", [pytest.param(25, id="some"), pytest.param(300, id="many", marks=pytest.mark.fuzz)])
def test_killed_at_any_moment(tmp_path, record_property, rounds):
    """From the creation of the file on; what was written before is there, and nobody is told of any damage."""
    chance = random.Random(5)
    for round_ in range(rounds):
        folder = tmp_path / str(round_ // 5)
        reading, writing = os.pipe()
        first = round_ * 100_000
        child = forked(lambda folder=folder, writing=writing, first=first: _write_for_ever(folder, writing, first))
        time.sleep(chance.random() * 0.08)
        os.kill(child, signal.SIGKILL)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            done = [int.from_bytes(mark, "big") for mark in iter(lambda pipe=pipe: pipe.read(8), b"")]
        said: list[str] = []
        with Store(folder, warn=said.append) as store:
            keys = [f"{number}-{item}" for number in done for item in range(5)]
            assert len(store.get_many("kind", keys)) == len(keys)
            assert len(store.get_blobs(blob(number).digest for number in done)) == len(done)
        assert said == []
    record_property("inputs", rounds)


def test_killed_while_it_is_rebuilt(tmp_path, record_property):
    """At every step of moving a damaged file away and making a new one."""
    at = 0
    while True:
        at += 1
        folder = tmp_path / str(at)
        path = folder / "store" / "store.sqlite"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"garbage" * 1000)

        def rebuild(folder: Path = folder) -> None:
            with Store(folder, warn=lambda _: None) as store:
                store.put("kind", "a", b"1")

        ended = survives(at, rebuild, root=str(folder))
        said: list[str] = []
        with Store(folder, warn=said.append) as store:
            assert store.get("kind", "a") in (None, b"1")
            store.put("kind", "a", b"1")
            assert store.get("kind", "a") == b"1"
            assert store.path == path
        assert len(said) <= 1
        if ended:
            break
    assert at > 3
    record_property("inputs", at)


def test_eight_writers_some_of_them_killed(tmp_path):
    reading, writing = os.pipe()
    children = [
        forked(lambda number=number: _write_for_ever(tmp_path, writing, number * 100_000)) for number in range(8)
    ]
    done: list[int] = []
    with os.fdopen(reading, "rb") as pipe:
        marks = iter(lambda: pipe.read(8), b"")
        while len({number // 100_000 for number in done}) < 8:  # all of them have begun
            done.append(int.from_bytes(next(marks), "big"))
        for child in children[::2]:
            os.kill(child, signal.SIGKILL)
        done += [int.from_bytes(mark, "big") for mark in islice(marks, 200)]
        for child in children[1::2]:
            os.kill(child, signal.SIGKILL)
        os.close(writing)
        done += [int.from_bytes(mark, "big") for mark in marks]
    codes = [os.waitpid(child, 0)[1] for child in children]
    assert [os.WTERMSIG(code) for code in codes] == [signal.SIGKILL] * 8, "a writer was told of damage"
    said: list[str] = []
    with Store(tmp_path, warn=said.append) as store:
        found = store.get_blobs(blob(number).digest for number in done)
        assert len(found) == len(done)
    assert said == []


def in_a_child(act: Callable[[list[str]], object]) -> list[str]:
    """What the store said in a process of its own, in which `act` came to its end."""
    reading, writing = os.pipe()

    def run() -> None:
        said: list[str] = []
        try:
            act(said)
            said.append("done")
        except BaseException as error:  # noqa: BLE001 - a child tells what happened and ends
            said.append(repr(error))
        os.write(writing, "\n".join(said).encode()[:4000])
        os._exit(0)

    child = forked(run)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode().split("\n")
    assert said[-1] == "done", said
    return said[:-1]


def _use(folder: Path, said: list[str]) -> None:
    with Store(folder, warn=said.append) as store:
        fill(store)
        assert right_or_absent(store) == 200


def test_files_that_may_not_grow(tmp_path):
    def starved(said: list[str]) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        _use(tmp_path, said)

    said = in_a_child(starved)
    assert len(said) == 1, said
    said = []
    _use(tmp_path, said)
    assert said == []


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("unshare") is None, reason="needs a file system of its own")
@pytest.mark.parametrize("room", [4, 16, 64, 128, 200])
def test_a_disk_that_is_really_full(tmp_path, room):
    code = (
        "import sys; from pathlib import Path; from trust.test_cached_answers import _use; said = [];"
        "_use(Path(sys.argv[1]), said); said2 = []; _use(Path(sys.argv[1]), said2); print(len(said), len(said2), said)"
    )
    mount = f'mount -t tmpfs -o size={room}k none "$1" && exec "$0" -c "$2" "$1"'
    command = ["unshare", "-rm", "sh", "-c", mount, sys.executable, str(tmp_path), code]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if "unshare" in ended.stderr or "mount" in ended.stderr:
        pytest.skip(f"no file system of its own here: {ended.stderr.strip()}")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split()[:2] == ["1", "1"], ended.stdout


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("state", ["read-only file", "read-only folder", "no folder", "closed folder", "closed file"])
def test_somebody_elses_cache_folder(open_path, state):
    tmp_path = open_path
    if state != "no folder":
        with Store(tmp_path / "cache") as store:
            fill(store)
    for path in tmp_path.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    if state == "closed folder":
        (tmp_path / "cache").chmod(0o700)
    if state == "closed file":
        (tmp_path / "cache/store/store.sqlite").chmod(0o600)
    if state == "read-only file":
        os.chown(tmp_path / "cache", NOBODY, NOBODY)
        os.chown(tmp_path / "cache/store", NOBODY, NOBODY)

    def as_nobody(said: list[str]) -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        if state.startswith("read-only"):
            with Store(tmp_path / "cache", warn=said.append) as store:
                assert right_or_absent(store) == 200
            said.clear()
        _use(tmp_path / "cache", said)

    assert len(in_a_child(as_nobody)) == 1
    if state != "no folder":
        with Store(tmp_path / "cache", warn=pytest.fail) as store:
            assert right_or_absent(store) == 200


def test_a_folder_that_goes_away(tmp_path):
    said: list[str] = []
    with Store(tmp_path / "cache", warn=said.append) as store:
        fill(store)
        shutil.rmtree(tmp_path / "cache")
        fill(store)
        assert right_or_absent(store) == 200
        store.close()
        assert right_or_absent(store) in (0, 200)
        fill(store)
        assert right_or_absent(store) == 200
    assert len(said) <= 1
