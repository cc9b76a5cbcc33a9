"""Reads a project page of a package index: PEP 691 JSON, PEP 503 HTML, or a local folder of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from auditor.errors import PackageIndexError
from auditor.packages.files import IndexFile, version_of

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"


def parse_page(body: bytes, content_type: str, url: str, name: str) -> list[IndexFile]:
    """The release files of project `name` on the page that came from `url`; files of other projects are left out."""
    if "json" in content_type:
        return _parse_json(body, url, name)
    if "html" in content_type or not content_type:
        return _parse_html(body, url, name)
    raise PackageIndexError(f"the index answered with `{content_type}`, not a project page", where=url)


def list_folder(folder: Path, name: str) -> list[IndexFile]:
    """The release files of project `name` that lie in a folder."""
    found = []
    for path in sorted(folder.iterdir()):
        version = version_of(path.name, name)
        if version is not None and path.is_file():
            url = path.absolute().as_uri()
            found.append(IndexFile(path.name, url, version, size=path.stat().st_size))
    return found


def _parse_json(body: bytes, url: str, name: str) -> list[IndexFile]:
    try:
        page = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise PackageIndexError("the index answered with broken JSON", where=url) from error
    files = page.get("files") if isinstance(page, dict) else None
    if not isinstance(files, list):
        raise PackageIndexError("the index answered with JSON that is not a project page", where=url)
    said = page.get("name")
    if isinstance(said, str) and version_of(f"{said}-0.tar.gz", name) is None:
        raise PackageIndexError(f"the index answered with the page of another project, {said!r}", where=url)
    return [file for entry in files if isinstance(entry, dict) for file in _json_file(entry, url, name)]


def _json_file(entry: dict[str, Any], url: str, name: str) -> Iterator[IndexFile]:
    filename, link = entry.get("filename"), entry.get("url")
    if not isinstance(filename, str) or not isinstance(link, str):
        return
    version = version_of(filename, name)
    if version is None:
        return
    hashes, size, requires = entry.get("hashes"), entry.get("size"), entry.get("requires-python")
    yield IndexFile(
        filename,
        _resolved(url, link)[0],
        version,
        hashes={k: v.lower() for k, v in hashes.items() if isinstance(v, str)} if isinstance(hashes, dict) else {},
        size=size if isinstance(size, int) and size >= 0 else None,
        requires_python=requires if isinstance(requires, str) else None,
        yanked=entry.get("yanked", False) is not False,
        uploaded=_moment(entry.get("upload-time")),
    )


def _moment(stated: object) -> datetime | None:
    """An RFC 3339 time in UTC."""
    if not isinstance(stated, str):
        return None
    try:
        moment = datetime.fromisoformat(stated[:19])
    except ValueError:
        return None
    return moment.replace(tzinfo=timezone.utc)


class _Links(HTMLParser):
    """Collects the anchors of a page, and its base."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.base = url
        self.anchors: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note anchors with a target."""
        found = {key: value or "" for key, value in attrs}
        if tag == "base" and found.get("href"):
            self.base = urljoin(self.base, found["href"])
        elif tag == "a" and found.get("href"):
            self.anchors.append(found)


def _parse_html(body: bytes, url: str, name: str) -> list[IndexFile]:
    parser = _Links(url)
    parser.feed(body.decode("utf-8", "replace"))
    found = []
    for anchor in parser.anchors:
        try:
            link, fragment = _resolved(parser.base, anchor["href"])
            filename = unquote(urlsplit(link).path.rpartition("/")[2])
        except ValueError:
            continue
        version = version_of(filename, name)
        if version is None:
            continue
        algorithm, _, value = fragment.partition("=")
        found.append(
            IndexFile(
                filename,
                link,
                version,
                hashes={algorithm: value.lower()} if value else {},
                requires_python=anchor.get("data-requires-python"),
                yanked="data-yanked" in anchor,
            )
        )
    return found


def _resolved(base: str, link: str) -> tuple[str, str]:
    """The absolute URL without credentials and fragment, and the fragment."""
    parts = urlsplit(urljoin(base, link))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, "")), parts.fragment
