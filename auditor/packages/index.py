"""The package indexes that pip would use here: the release files of a project, fetched once and kept for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from auditor.errors import OfflineError, PackageIndexError
from auditor.packages.files import IndexFile
from auditor.packages.limits import MAX_PAGE
from auditor.packages.pipconf import PipConfig, config_identity, local_path, read_config, redacted
from auditor.packages.store import Store
from auditor.packages.traffic import Traffic

if TYPE_CHECKING:
    from auditor.packages.transport import Transport

_FILL = "Fill the store once: `api-audit snapshot --used-by .`, or the same command without `--offline`"
FRESH_SECONDS = 600.0
"""How long a project page is believed without asking again."""
_ABSENT = (403, 404, 410)
_FILES = list[IndexFile]
_PAGES = 2
"""The form of kept pages; it grows with what is read from them."""


class PackageIndex:
    """All configured indexes as one; threads may share it.

    Args:
        store: Keeps project pages.
        index_url: Replaces the configured indexes.
        offline: Answer from the store alone.
        config: pip's configuration; read from this machine if not given.
    """

    def __init__(
        self, store: Store, *, index_url: str | None = None, offline: bool = False, config: PipConfig | None = None
    ) -> None:
        self.store = store
        self.offline = offline
        self._index_url = index_url
        self._given = config
        self._config = config
        self.traffic = Traffic()
        self._transport: Transport | None = None
        self._projects: dict[str, list[IndexFile]] = {}
        self._lock = RLock()

    @property
    def config(self) -> PipConfig:
        """How pip is configured; read when first needed."""
        if self._config is None:
            self._config = read_config(index_url=self._index_url)
        return self._config

    @property
    def transport(self) -> Transport:
        """The connections, made when first needed."""
        with self._lock:
            if self._transport is None:
                from auditor.packages.transport import Transport

                self._transport = Transport(self.config, offline=self.offline, traffic=self.traffic)
            return self._transport

    @property
    def identity(self) -> str:
        """Differs whenever the configuration could lead to other packages."""
        if self._given is not None:
            return "\n".join(map(redacted, (*self._given.index_urls, "", *self._given.find_links)))
        return config_identity(index_url=self._index_url)

    def as_offline(self) -> PackageIndex:
        """The same indexes, as far as the store knows them."""
        if self.offline:
            return self
        return PackageIndex(self.store, index_url=self._index_url, offline=True, config=self._given)

    def files(
        self, name: str, *, satisfied: Callable[[list[IndexFile]], bool] | None = None, renew: bool = False
    ) -> list[IndexFile]:
        """The release files of a (normalised) project on all indexes; empty if no index has it.

        Args:
            name: The normalised project name.
            satisfied: Says whether an old page will do, because what is sought is on it and never changes.
            renew: Ask the indexes again, whatever is known.
        """
        with self._lock:  # a thread that asks for the same project waits for the page
            files = None if renew else self._projects.get(name)
            if files is None:
                if satisfied is not None:
                    stale = self._gather(name, max_age=float("inf"), ask=False)
                    if satisfied(stale):
                        return stale
                    renew = True  # it may have been published a minute ago
                files = self._projects[name] = self._gather(name, max_age=-1 if renew else FRESH_SECONDS, ask=True)
            return files

    def close(self) -> None:
        """Close the connections."""
        if self._transport is not None:
            self._transport.close()

    def _gather(self, name: str, *, max_age: float, ask: bool) -> list[IndexFile]:
        found: dict[str, IndexFile] = {}
        for place in (*self.config.index_urls, *self.config.find_links):
            is_index = place in self.config.index_urls
            if "://" not in place or place.startswith("file:"):
                folder = local_path(place) if "://" in place else Path(place).expanduser()
                files = _local(folder / name if is_index else folder, name)
            else:
                files = self._remote(f"{place}/{name}/" if is_index else place, name, max_age=max_age, ask=ask)
            for file in files:
                found.setdefault(file.filename, file)
        return list(found.values())

    def _remote(self, url: str, name: str, *, max_age: float, ask: bool) -> list[IndexFile]:
        key = f"{_PAGES}:{redacted(url)}#{name}"
        page = self.store.get_page(key)
        if page is not None and (self.offline or time.time() - page.fetched < max_age):
            return msgspec.msgpack.decode(page.body, type=_FILES)
        if not ask:
            return []
        if self.offline:
            raise OfflineError(
                f"`{name}` is not stored yet, and `--offline` forbids the network",
                where=redacted(url),
                hint=_FILL,
            )
        from auditor.packages.page import ACCEPT, parse_page  # a warm store needs neither parsers nor TLS
        from auditor.packages.transport import StatusError

        headers = {"Accept": ACCEPT}
        if page is not None and page.etag:
            headers["If-None-Match"] = page.etag
        try:
            reply = self.transport.get(url, limit=MAX_PAGE, headers=headers)
        except StatusError as error:
            if error.status not in _ABSENT:
                raise
            self.store.put_page(key, msgspec.msgpack.encode([]))
            return []
        if reply.status == 304 and page is not None:
            files = msgspec.msgpack.decode(page.body, type=_FILES)
        else:
            parsed = parse_page(reply.body, reply.headers.get("Content-Type", ""), reply.url, name)
            files = [file for file in parsed if self._may_follow(reply.url, file.url)]
        self.store.put_page(key, msgspec.msgpack.encode(files), etag=reply.headers.get("ETag"))
        return files

    def _may_follow(self, page: str, link: str) -> bool:
        """An index may name files on any host, but nothing less protected than itself, and nothing on this machine."""
        to = urlsplit(link)
        if to.scheme not in ("http", "https"):
            raise PackageIndexError(f"refused: the index links to a `{to.scheme}:` address", where=page)
        hosts = (to.hostname, to.netloc.rpartition("@")[2])
        return (
            to.scheme == "https" or not page.startswith("https:") or not {*hosts}.isdisjoint(self.config.trusted_hosts)
        )


def _local(folder: Path, name: str) -> list[IndexFile]:
    """The files in a local folder, or linked from its `index.html`; a folder that does not exist has none."""
    try:
        page = folder if folder.suffix == ".html" else folder / "index.html"
        if not page.is_file() and not folder.is_dir():
            return []
        from auditor.packages.page import list_folder, parse_page

        if page.is_file():
            return parse_page(page.read_bytes(), "text/html", page.absolute().as_uri(), name)
        return list_folder(folder, name)
    except OSError as error:
        raise PackageIndexError(f"cannot be read: {error.strerror or error}", where=str(folder)) from error
