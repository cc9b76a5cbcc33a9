"""Indexes and file hosts that lie, stall and flood, as a command meets them: a line, exit code 2, nothing stored."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from packages.making import Site, sdist_bytes, serving, wheel_bytes
from packages.test_hostile_archives import zipped

from auditor.__main__ import main
from auditor.packages import limits
from auditor.packages.store import Store

WHEEL = "lib-1.0-py3-none-any.whl"
GOOD = wheel_bytes("lib", "1.0", {"lib/__init__.py": "x = 1\n", "lib/a.py": "y = 2\n" * 100})
LARGE = wheel_bytes(
    "lib", "1.0", {"lib/__init__.py": "x = 1\n", "lib/_C.so": os.urandom(1_500_000), "lib/a.py": "y = 2\n" * 100}
)
JSON = "application/vnd.pypi.simple.v1+json"


@pytest.fixture
def site(monkeypatch, tmp_path):
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_TIMEOUT", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setattr("auditor.packages.pace.GRACE", 0.5)
    with serving() as opened:
        monkeypatch.setenv("PIP_INDEX_URL", f"{opened.url}/simple")
        yield opened


def answering(status: int = 200, body: bytes = b"", **headers: str) -> Callable[[Any], None]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def answer(handler: Any) -> None:
        handler.close_connection = True
        handler.answer(status, body, named)

    return answer


def sending(head: bytes, piece: bytes, times: int, pause: float = 0.0) -> Callable[[Any], None]:
    def send(handler: Any) -> None:
        handler.close_connection = True
        with contextlib.suppress(OSError):
            handler.wfile.write(head)
            for _ in range(times):
                handler.wfile.write(piece)
                time.sleep(pause)

    return send


def page(**changes: object) -> Callable[[Any], None]:
    entry = {"filename": WHEEL, "url": f"../../files/{WHEEL}", "hashes": {}, **changes}
    return answering(body=json.dumps({"name": "lib", "files": [entry]}).encode(), Content_Type=JSON)


_OK = b"HTTP/1.1 200 OK\r\n"
PAGES = {
    "status 500": answering(500),
    "no such project": answering(404),
    "stalls": sending(_OK + b"Content-Length: 100\r\n\r\n", b"", 1, 3),
    "stalls before the head": sending(b"", b"", 1, 3),
    "drips": sending(_OK + b"Content-Length: 9999\r\n\r\n", b" ", 200, 0.02),
    "drips headers": sending(_OK, b"X: y\r\n", 200, 0.02),
    "closes early": sending(_OK + b"Content-Length: 9999\r\n\r\n", b"{", 1),
    "says nothing": sending(b"", b"", 0),
    "no HTTP": sending(b"SSH-2.0-OpenSSH\r\n", b"x", 100),
    "an endless page": sending(_OK + b"Content-Type: text/html\r\n\r\n", b"x" * 65536, 1100),
    "endless interim answers": sending(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100, 5000),
    "an endless header": sending(_OK + b"X: ", b"x" * 65536, 100),
    "a packed bomb": answering(body=gzip.compress(bytes(limits.MAX_PAGE + 1)), Content_Encoding="gzip"),
    "broken packing": answering(body=b"no gzip", Content_Encoding="gzip"),
    "broken JSON": answering(body=b"{", Content_Type=JSON),
    "deep JSON": answering(body=b"[" * 200_000, Content_Type=JSON),
    "JSON of something else": answering(body=b'{"files": 3}', Content_Type=JSON),
    "another project": answering(body=b'{"name": "other", "files": []}', Content_Type=JSON),
    "a picture": answering(body=b"GIF89a", Content_Type="image/gif"),
    "redirects to a file": answering(302, Location="file:///etc/passwd"),
    "redirects in a circle": answering(302, Location="/simple/lib/"),
    "redirects nowhere": answering(302),
    "redirects to a closed port": answering(302, Location="http://127.0.0.1:9/simple/lib/"),
    "only files of others": page(filename="other-1.0-py3-none-any.whl"),
    "a file of this machine": page(url="file:///etc/passwd"),
    "a file by another protocol": page(url="ftp://127.0.0.1/lib.whl"),
    "a name that climbs": page(filename="../lib-1.0-py3-none-any.whl"),
}
FILES = {
    "gone": answering(404),
    "cut short": answering(body=GOOD[:-50]),
    "closes early": sending(_OK + f"Content-Length: {len(GOOD)}\r\n\r\n".encode(), GOOD[:100], 1),
    "other bytes": answering(body=GOOD.replace(b"METADATA", b"METADATB")),
    "longer": answering(body=GOOD + b"x"),
    "no archive": answering(body=b"x" * len(GOOD)),
    "redirected to a file": answering(302, Location="file:///etc/passwd"),
}
ARCHIVES = {
    "another project": (WHEEL, wheel_bytes("other", "1.0", {"other/__init__.py": ""})),
    "another version": (WHEEL, wheel_bytes("lib", "2.0", {"lib/__init__.py": ""})),
    "another version in an sdist": ("lib-1.0.tar.gz", sdist_bytes("lib", "2.0", {"lib/__init__.py": ""})),
    "a member that climbs out": (WHEEL, zipped(("../lib.py", b"x = 1\n"))),
    "a bomb": (WHEEL, zipped(("lib/__init__.py", bytes(limits.RATIO_FREE + 1)))),
    "no archive": (WHEEL, b"x" * 1000),
}


def refused(tmp_path, capfd) -> str:
    """The line that a snapshot and a scan of it are refused with; afterwards the store has nothing to offer."""
    (tmp_path / "app").mkdir(exist_ok=True)
    (tmp_path / "app/__init__.py").write_text("import lib\nlib.f()\n")
    cache = ["--cache-dir", str(tmp_path / "cache"), "--isolated"]
    commands = (
        ["snapshot", "lib==1.0"],
        ["scan", str(tmp_path / "app"), "--from", "lib==1.0", "--against", "lib==1.0"],
    )
    for command in commands:
        capfd.readouterr()
        assert main([*command, *cache]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        (line,) = [line for line in err.splitlines() if "error" in line]
        assert line.startswith("api-audit: error: ")
        assert line.isprintable()
        assert main([*command, *cache, "--offline"]) == 2
    with Store(tmp_path / "cache") as store:
        assert store._read("SELECT count(*) FROM blob WHERE 1 IN (?)", [1]) == [(0,)]
        assert store._read("SELECT count(*) FROM record WHERE 1 IN (?)", [1]) == [(0,)]
    capfd.readouterr()
    return line


@pytest.mark.parametrize("what", PAGES)
def test_pages(site: Site, tmp_path, capfd, what):
    site.publish(WHEEL, GOOD)
    site.special["/simple/lib/"] = PAGES[what]
    refused(tmp_path, capfd)


@pytest.mark.parametrize("what", FILES)
@pytest.mark.parametrize("body", [GOOD, LARGE], ids=["small", "by ranges"])
def test_files(site: Site, tmp_path, capfd, what, body):
    site.publish(WHEEL, body)
    site.special[f"/files/{WHEEL}"] = FILES[what]
    refused(tmp_path, capfd)


@pytest.mark.parametrize("what", ARCHIVES)
def test_archives(site: Site, tmp_path, capfd, what):
    filename, body = ARCHIVES[what]
    site.publish(filename, body, name="lib")
    refused(tmp_path, capfd)


def test_a_wrong_hash(site: Site, tmp_path, capfd):
    site.publish(WHEEL, GOOD, hashes={"sha256": "0" * 64})
    assert "sha256 is not the one that the index publishes" in refused(tmp_path, capfd)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_server_that_behaves_is_believed(site: Site, tmp_path, ranges):
    """Or all of the above would be refused for nothing."""
    site.ranges = ranges
    site.publish(WHEEL, LARGE)
    assert main(["snapshot", "lib==1.0", "--cache-dir", str(tmp_path / "cache"), "--isolated"]) == 0
