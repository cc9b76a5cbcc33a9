"""Wheels over byte ranges: what is fetched, what is not, and what happens when the server does not play along."""

from __future__ import annotations

import contextlib
import hashlib
import random
from pathlib import Path

import pytest
from packages.making import Site, sdist_bytes, wheel_bytes

from auditor.errors import ArchiveError, AuditError, PackageIndexError
from auditor.packages import fetching, sources
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, open_release
from auditor.packages.store import Store

NOISE = random.Random(7).randbytes(3_000_000)


def module(number: int, size: int = 3000) -> str:
    letters = random.Random(number).choices("abcdefghij", k=size)
    return f"# module {number}\nx = '{''.join(letters)}'\n"


def tree(count: int = 40, noise: bytes = NOISE) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {"big/__init__.py": "", "big/_C.so": noise}
    files.update({f"big/m{number:02}.py": module(number) for number in range(count // 2)})
    files["big/middle.so"] = noise[: len(noise) // 4]
    files.update({f"big/sub/n{number:02}.py": module(number) for number in range(count // 2, count)})
    files["big/end.so"] = noise[:100_000]
    return files


def stored(store: Store, release: Release) -> int:
    return len(store.known_blobs(hashlib.sha256(release.read_one(path)).hexdigest() for path in release.files))


def test_only_what_is_read_is_fetched(site: Site, store: Store, index: PackageIndex) -> None:
    body = wheel_bytes("big", "1.0", tree())
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body)
    release = open_release("big==1.0", store=store, index=index)
    assert release.packages == ("big",)
    assert len(release.modules()) == 41
    assert release.traffic.received < 70_000
    assert release.read(["big/m03.py"]) == {"big/m03.py": module(3).encode()}
    assert release.traffic.received < 110_000
    release.read(release.files)
    assert release.traffic.received < 200_000 < len(body)
    assert all(wanted and wanted.startswith("bytes=") for path, wanted in site.requests if path.startswith("/files/"))
    requests = len(site.requests)
    release.read(release.files)
    assert len(site.requests) == requests


def test_neighbours_come_along_but_not_other_folders(site: Site, store: Store, index: PackageIndex) -> None:
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree()))
    release = open_release("big", store=store, index=index)
    release.read(["big/m03.py"])
    requests = len(site.requests)
    release.read(["big/m04.py", "big/m05.py"])
    assert len(site.requests) == requests
    release.read(["big/sub/n30.py"])
    assert len(site.requests) == requests + 1


def test_a_long_way_through_single_files_takes_few_requests(site: Site, store: Store, index: PackageIndex) -> None:
    """One module leads to the next: read-ahead grows with each round trip, and leaves the folder in the end."""
    files = {f"big/p{number}/m{part}.py": module(8 * number + part, 9000) for number in range(60) for part in range(8)}
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", {"big/__init__.py": "", **files}))
    release = open_release("big", store=store, index=index)
    before = len(site.requests)
    for path in sorted(files):
        assert release.read_one(path) == files[path].encode()
    assert len(site.requests) - before < 30


def test_read_ahead_leaves_out_what_another_release_brought(site: Site, store: Store, index: PackageIndex) -> None:
    files = tree()
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", files))
    files["big/m19.py"] = module(99)
    site.publish("big-1.1-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.1", files))
    old = open_release("big==1.0", store=store, index=index)
    old.read(old.files)
    new = open_release("big==1.1", store=store, index=index)
    listing = new.traffic.received
    new.read_one("big/m19.py")
    assert new.traffic.received - listing < 4_000


def test_threads_may_share_a_release(site: Site, store: Store, index: PackageIndex, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    body = wheel_bytes("big", "1.0", tree(), record=False)
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body)
    (tmp_path / "big-1.0-py3-none-any.whl").write_bytes(body)
    for spec in ("big", str(tmp_path / "big-1.0-py3-none-any.whl")):
        release = open_release(spec, store=Store(None), index=index)
        with ThreadPoolExecutor(8) as pool:
            found = dict(pool.map(lambda path: (path, release.read_one(path)), release.files))  # noqa: B023
        assert found["big/sub/n39.py"] == module(39).encode()
        assert found == release.read(release.files)


def test_scattered_reads_are_merged_and_parallel(site: Site, store: Store, index: PackageIndex) -> None:
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree()))
    release = open_release("big", store=store, index=index)
    before = len(site.requests)
    release.read(path for path in release.files if path[-4] in "02468")
    assert len(site.requests) == before + 2  # one run before and one after the binary in the middle


def test_what_lies_between_is_kept_since_it_was_fetched(
    site: Site, store: Store, index: PackageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.packages.readers.READ_AHEAD", 0)
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree()))
    release = open_release("big", store=store, index=index)
    release.read(["big/m03.py", "big/m05.py"])
    requests = len(site.requests)
    assert release.read_one("big/m04.py") == module(4).encode()
    assert len(site.requests) == requests
    release.read_one("big/m06.py")
    assert len(site.requests) == requests + 1


def test_ranges_are_joined_where_they_lie_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_GAP", 2)
    assert sources.merged([(50, 60), (0, 10), (12, 20), (15, 18)]) == [(0, 20), (50, 60)]
    assert sources.merged([(0, 10), (13, 20)]) == [(0, 10), (13, 20)]
    assert sources.merged([]) == []


def test_of_many_ranges_the_closest_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_GAP", 2)
    monkeypatch.setattr(sources, "WIDE_GAP", 40)
    monkeypatch.setattr(sources, "MANY", 3)
    near = [(0, 10), (40, 50), (55, 60), (100, 110)]
    assert sources.merged(near) == [(0, 10), (40, 60), (100, 110)]
    assert sources.merged(near[1:]) == near[1:]
    far = [(0, 10), (51, 60), (101, 110), (151, 160)]
    assert sources.merged(far) == far  # too much would be fetched for nothing


def test_a_neighbouring_release_costs_only_its_changes(site: Site, store: Store, index: PackageIndex) -> None:
    files = tree()
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", files))
    files["big/m03.py"] = module(99)
    site.publish("big-1.1-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.1", files))
    old = open_release("big==1.0", store=store, index=index)
    first = old.read(old.files)
    new = open_release("big==1.1", store=store, index=index)
    listing = new.traffic.received
    digests = new.digests(new.files)
    assert new.traffic.received - listing < 30_000
    second = new.read(new.files)
    assert {path for path in first if first[path] != second[path]} == {"big/m03.py"}
    assert digests == {path: hashlib.sha256(content).hexdigest() for path, content in second.items()}


def test_digests_are_never_taken_from_record_alone(site: Site, store: Store, index: PackageIndex) -> None:
    """A RECORD that names the digest of another release's module must not lead to that module."""
    files = tree()
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", files))
    honest = open_release("big==1.0", store=store, index=index)
    honest.read(honest.files)
    evil = {**files, "big/m03.py": module(99)}
    lie = {"big/m03.py": module(3)}
    assert len(module(3)) == len(module(99)[:-2] + "\n")
    evil["big/m03.py"] = module(99)[:-2] + "\n"
    site.publish("big-2.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "2.0", evil, record={**evil, **lie}))
    again = site.index(store)
    release = open_release("big==2.0", store=store, index=again)
    for ask in (release.digests, release.read):
        with pytest.raises(ArchiveError, match="is not what its SHA-256 says"):
            ask(["big/m03.py"])
    again.close()


def test_without_record_digests_come_from_what_was_read(site: Site, tmp_path: Path) -> None:
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree(), record=False))
    for round_ in range(2):
        with Store(tmp_path) as store:
            index = site.index(store)
            release = open_release("big==1", store=store, index=index)
            assert (release.files["big/m03.py"].digest is None) == (round_ == 0)
            assert release.digest("big/m03.py") == hashlib.sha256(module(3).encode()).hexdigest()
            assert release.files["big/m03.py"].digest == release.digest("big/m03.py")
            assert (release.traffic.received == 0) == (round_ == 1)
            index.close()


def test_the_size_need_not_be_published(site: Site, store: Store, index: PackageIndex) -> None:
    body = wheel_bytes("big", "1.0", tree())
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body, size=None)
    small = wheel_bytes("small", "1.0", {"small.py": "x = 1\n"})
    site.publish("small-1.0-py3-none-any.whl", small, size=None)
    release = open_release("big", store=store, index=index)
    assert release.read_one("big/m03.py") == module(3).encode()
    assert release.traffic.received < 130_000
    assert open_release("small", store=store, index=index).read_one("small.py") == b"x = 1\n"


def test_without_ranges_the_smaller_of_wheel_and_sdist_is_fetched_whole(
    site: Site, store: Store, index: PackageIndex
) -> None:
    site.ranges = False
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree()))
    site.publish("big-1.0.tar.gz", sdist_bytes("big", "1.0", {"src/big/__init__.py": "", "src/big/m03.py": module(3)}))
    site.publish("big-2.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "2.0", tree()))
    release = open_release("big==1.0", store=store, index=index)
    assert release.origin == "big-1.0.tar.gz from the package index"
    assert release.read_one("big/m03.py") == module(3).encode()
    whole = open_release("big==2.0", store=store, index=index)
    assert whole.origin.startswith("big-2.0-cp38")
    assert whole.traffic.received > len(NOISE)
    requests = len(site.requests)
    assert whole.read_one("big/m03.py") == module(3).encode()
    assert len(site.requests) == requests


def test_ranges_that_disappear_later(site: Site, store: Store, index: PackageIndex) -> None:
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree()))
    release = open_release("big", store=store, index=index)
    site.ranges = False
    assert release.read_one("big/m03.py") == module(3).encode()
    assert release.traffic.received > len(NOISE)


def test_an_address_that_expires_is_looked_up_again(site: Site, store: Store, index: PackageIndex) -> None:
    body = wheel_bytes("big", "1.0", tree())
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body)
    release = open_release("big", store=store, index=index)
    site.special["/files/big-1.0-cp38-abi3-linux_x86_64.whl"] = lambda handler: handler.answer(403, b"")
    with pytest.raises(PackageIndexError, match="403"):
        release.read_one("big/m03.py")
    site.files["/simple/big/"] = site.files["/simple/big/"].replace(b"../../files/", b"../../files/new/")
    site.files["/files/new/big-1.0-cp38-abi3-linux_x86_64.whl"] = body
    assert release.read_one("big/m03.py") == module(3).encode()


def test_small_wheels_are_fetched_whole_and_stored_at_once(site: Site, store: Store, index: PackageIndex) -> None:
    site.publish(
        "small-1.0-py3-none-any.whl", wheel_bytes("small", "1.0", {"small/__init__.py": "", "small/a.py": "a = 1\n"})
    )
    release = open_release("small", store=store, index=index)
    assert len(store.known_blobs([hashlib.sha256(b"a = 1\n").hexdigest()])) == 1
    assert release.read_one("small/a.py") == b"a = 1\n"
    assert [wanted for path, wanted in site.requests if "files" in path] == [None]


def nothing_stored(store: Store, index: PackageIndex) -> bool:
    """No release can be opened from the store."""
    try:
        open_release("big==1.0", store=store, index=index, offline=True)
    except AuditError:
        return True
    return False


def test_a_wrong_hash_leaves_nothing_behind(site: Site, store: Store, index: PackageIndex) -> None:
    body = wheel_bytes("big", "1.0", {"big.py": "x = 1\n"})
    site.publish("big-1.0-py3-none-any.whl", body, hashes={"sha256": "0" * 64})
    with pytest.raises(ArchiveError, match="sha256 is not the one that the index publishes"):
        open_release("big==1.0", store=store, index=index)
    assert nothing_stored(store, index)
    assert store.known_blobs([hashlib.sha256(b"x = 1\n").hexdigest()]) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Content-Range": "bytes 0-9/10"}, "another range"),
        ({"Content-Range": "bytes */*"}, "another range"),
        ({"Content-Range": ""}, "another range"),
        ({"Content-Length": "10"}, "less than it was asked for"),
        ({"Content-Length": "99999999"}, "broke off"),
    ],
)
def test_servers_that_lie_about_ranges(
    site: Site, store: Store, index: PackageIndex, change: dict[str, str], message: str
) -> None:
    body = wheel_bytes("big", "1.0", tree())
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body)

    def lie(handler: object) -> None:
        start, stop = map(int, handler.headers["Range"][6:].split("-"))
        headers = {"Content-Range": f"bytes {start}-{stop}/{len(body)}", **change}
        handler.answer(206, body[start : stop + 1], headers)
        handler.close_connection = True

    site.special["/files/big-1.0-cp38-abi3-linux_x86_64.whl"] = lie
    with pytest.raises(PackageIndexError, match=message):
        open_release("big==1.0", store=store, index=index)
    assert nothing_stored(store, index)


def test_a_range_longer_than_asked_for(site: Site, store: Store, index: PackageIndex) -> None:
    body = wheel_bytes("big", "1.0", tree())
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body)

    def flood(handler: object) -> None:
        start, stop = map(int, handler.headers["Range"][6:].split("-"))
        handler.answer(206, b"x" * 3_000_000, {"Content-Range": f"bytes {start}-{stop}/{len(body)}"})
        handler.close_connection = True

    site.special["/files/big-1.0-cp38-abi3-linux_x86_64.whl"] = flood
    with pytest.raises(PackageIndexError, match="longer than"):
        open_release("big==1.0", store=store, index=index)
    assert index.traffic.received < 1_000_000


def test_a_published_size_that_is_wrong(site: Site, store: Store, index: PackageIndex) -> None:
    body = wheel_bytes("big", "1.0", tree())
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", body, size=len(body) - 1000)
    site.publish("small-1.0-py3-none-any.whl", wheel_bytes("small", "1.0", {"small.py": "x = 1\n"}), size=100)
    with pytest.raises(PackageIndexError, match="another range"):
        open_release("big", store=store, index=index)
    with pytest.raises(PackageIndexError, match="longer than 100 bytes"):
        open_release("small", store=store, index=index)


def test_bytes_that_change_behind_the_address(site: Site, store: Store, index: PackageIndex) -> None:
    files = tree()
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", files))
    release = open_release("big", store=store, index=index)
    files["big/m03.py"] = module(33)
    site.files["/files/big-1.0-cp38-abi3-linux_x86_64.whl"] = wheel_bytes("big", "1.0", files)
    with pytest.raises(AuditError):
        release.read(release.files)
    assert store.known_blobs([hashlib.sha256(module(33).encode()).hexdigest()]) == {}


def test_too_large_to_fetch_whole(
    site: Site, store: Store, index: PackageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MAX_DOWNLOAD", 1_000_000)
    site.ranges = False
    site.publish("big-1.0-cp38-abi3-linux_x86_64.whl", wheel_bytes("big", "1.0", tree()))
    with pytest.raises(PackageIndexError, match="too many to fetch whole"):
        open_release("big", store=store, index=index)


@pytest.mark.parametrize("where", ["body", "one chunk", "chunk sizes", "headers", "one header"])
def test_a_server_that_drips(site: Site, store: Store, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Each byte comes in time, but the answer would take days."""
    import time

    monkeypatch.setattr("auditor.packages.pace.GRACE", 0.2)
    start = {
        "body": "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        "one chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n",
        "chunk sizes": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=",
        "headers": "HTTP/1.1 200 OK\r\n",
        "one header": "HTTP/1.1 200 OK\r\nX: ",
    }[where]

    def drip(handler: object) -> None:
        handler.close_connection = True
        handler.wfile.write(start.encode())
        with contextlib.suppress(OSError):
            for _ in range(300):
                handler.wfile.write(b"X: y\r\n" if where == "headers" else b" ")
                time.sleep(0.02)

    site.special["/simple/pkg/"] = drip
    index = site.index(store)
    with pytest.raises(PackageIndexError, match="/simple/pkg/: the server is too slow"):
        index.files("pkg")
    index.close()


@pytest.mark.parametrize(
    "line", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n", b"X" * 100]
)
def test_a_head_without_end(site: Site, store: Store, line: bytes) -> None:
    def flood(handler: object) -> None:
        handler.close_connection = True
        with contextlib.suppress(OSError):
            for _ in range(100_000):
                handler.wfile.write(line * 10)

    site.special["/simple/pkg/"] = flood
    index = site.index(store)
    with pytest.raises(PackageIndexError):
        index.files("pkg")
    index.close()
    assert nothing_stored(store, index)
