"""Makes wheels, sdists and package indexes for the tests of `auditor.packages`."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from auditor.packages.index import PackageIndex
from auditor.packages.pipconf import PipConfig
from auditor.packages.store import Store

Files = Mapping[str, str | bytes]


def raw(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def metadata(name: str, version: str, *lines: str) -> str:
    return "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines, "", "long text"])


def wheel_bytes(
    name: str, version: str, files: Files, *, lines: tuple[str, ...] = (), record: bool | Files = True
) -> bytes:
    """A wheel; `record=False` leaves RECORD out, a mapping replaces what RECORD is computed from."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    everything = {**files, f"{info}/METADATA": metadata(name, version, *lines), f"{info}/WHEEL": "Wheel-Version: 1.0\n"}
    if record is not False:
        rows = []
        for path, content in (everything if record is True else {**everything, **record}).items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(raw(content)).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(raw(content))}\n")
        everything[f"{info}/RECORD"] = "".join(rows) + f"{info}/RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in everything.items():
            archive.writestr(path, raw(content))
    return buffer.getvalue()


def wheel(folder: Path, name: str, version: str, files: Files, *, tag: str = "py3-none-any", **options: object) -> Path:
    path = folder / f"{name.replace('-', '_')}-{version}-{tag}.whl"
    path.write_bytes(wheel_bytes(name, version, files, **options))  # type: ignore[arg-type]
    return path


def publish(index: Path, name: str, version: str, files: Files, *requires: str) -> None:
    """A wheel in a folder that serves as a package index."""
    (index / name).mkdir(parents=True, exist_ok=True)
    wheel(index / name, name, version, files, lines=tuple(f"Requires-Dist: {one}" for one in requires))


def tar_bytes(files: Files, *, members: tuple[tarfile.TarInfo, ...] = (), mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(raw(content))
            archive.addfile(info, io.BytesIO(raw(content)))
        for member in members:
            archive.addfile(member)
    return buffer.getvalue()


def sdist_bytes(name: str, version: str, files: Files, *, lines: tuple[str, ...] = (), **options: object) -> bytes:
    top = f"{name}-{version}"
    inside = {
        f"{top}/{path}": content for path, content in {"PKG-INFO": metadata(name, version, *lines), **files}.items()
    }
    return tar_bytes(inside, **options)  # type: ignore[arg-type]


class Site:
    """A small web server: files by path, byte ranges if wanted, and a note of every request."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.types: dict[str, str] = {}
        self.special: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.ranges = True
        self.requests: list[tuple[str, str | None]] = []
        self.headers: list[Mapping[str, str]] = []
        self.url = ""

    def publish(self, filename: str, body: bytes, **facts: object) -> None:
        """Put a release file onto the site and onto its project's page."""
        self.files[f"/files/{filename}"] = body
        name = facts.pop("name", None) or re.split(r"-\d", filename)[0]
        page = f"/simple/{re.sub(r'[-_.]+', '-', str(name)).lower()}/"
        known = json.loads(self.files.get(page, b'{"files": []}'))
        entry = {
            "filename": filename,
            "url": f"../../files/{filename}",
            "size": len(body),
            "hashes": {"sha256": hashlib.sha256(body).hexdigest()},
            **facts,
        }
        known["files"].append({key: value for key, value in entry.items() if value is not None})
        self.files[page] = json.dumps(known).encode()
        self.types[page] = "application/vnd.pypi.simple.v1+json"

    def asked(self, part: str) -> int:
        """How many requests contained a text in their path."""
        return sum(part in path for path, _ in self.requests)

    def index(self, store: Store, **options: object) -> PackageIndex:
        settings = {"index_urls": (f"{self.url}/simple",), "timeout": 2.0, "retries": 0, **options}
        return PackageIndex(store, config=PipConfig(**settings))  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        site = self.site
        wanted = self.headers.get("Range")
        site.requests.append((self.path, wanted))
        site.headers.append(dict(self.headers.items()))
        if self.path in site.special:
            site.special[self.path](self)
            return
        body = site.files.get(self.path)
        if body is None:
            self.answer(404, b"")
            return
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted or "")
        if match and site.ranges:
            total = len(body)
            start = int(match[1]) if match[1] else max(0, total - int(match[2]))
            stop = min(total, int(match[2]) + 1) if match[1] and match[2] else total
            self.answer(206, body[start:stop], {"Content-Range": f"bytes {start}-{stop - 1}/{total}"})
            return
        self.answer(200, body, {"Content-Type": site.types.get(self.path, "application/octet-stream")})

    def answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving() -> Iterator[Site]:
    site = Site()
    handler = type("Handler", (_Handler,), {"site": site})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are part of the tests
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
