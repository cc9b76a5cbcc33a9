"""HTTP as this tool needs it: bounded answers, byte ranges, credentials that stay at home, and counted traffic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from urllib.parse import urljoin, urlsplit

from auditor.errors import OfflineError, PackageIndexError
from auditor.packages.connections import ADVICE, Connections, bare, reason
from auditor.packages.limits import KIB, MAX_REDIRECTS
from auditor.packages.pipconf import PipConfig, redacted
from auditor.packages.traffic import Traffic

if TYPE_CHECKING:
    import urllib3

PARALLEL = 6
"""Requests at a time for the ranges of one file."""
_T = TypeVar("_T")
_ATTEMPTS = 3
_CHUNK = 64 * KIB
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_MOVED = (301, 302, 303, 307, 308)


class StatusError(PackageIndexError):
    """The server answered, but not with what was asked for."""

    def __init__(self, status: int, url: str) -> None:
        hints = {401: "Check the credentials in the index URL or in .netrc", 407: "Check the proxy's credentials"}
        super().__init__(f"the server answered with status {status}", where=redacted(url), hint=hints.get(status))
        self.status = status


class NoRangesError(PackageIndexError):
    """The server ignores byte ranges."""


class Reply(NamedTuple):
    """A successful answer, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    """Where it came from in the end."""


class Sink(Protocol):
    """Takes the bytes of an answer as they come."""

    def __call__(self, chunk: bytes, /) -> object:
        """Take some bytes."""


class Transport:
    """Connections to package indexes and their file hosts, made when first needed."""

    def __init__(self, config: PipConfig, *, offline: bool = False, traffic: Traffic | None = None) -> None:
        self.config = config
        self.offline = offline
        self.traffic = traffic if traffic is not None else Traffic()
        self._connections = Connections(config)

    def get(
        self, url: str, *, limit: int, headers: Mapping[str, str] | None = None, traffic: Traffic | None = None
    ) -> Reply:
        """The whole answer, which must not be longer than `limit`."""

        def attempt() -> Reply:
            body = bytearray()
            wanted = {"Accept-Encoding": "gzip", **(headers or {})}
            response, final = self._request(url, wanted, traffic)
            self._drain(response, final, body.extend, limit, traffic)
            return Reply(response.status, response.headers, bytes(body), redacted(final))

        return self._retried(url, attempt)

    def save(self, url: str, sink: Callable[[], Sink], *, limit: int, traffic: Traffic | None = None) -> None:
        """Pour the whole answer into a sink, a new one at each attempt."""

        def attempt() -> None:
            response, final = self._request(url, {"Accept-Encoding": "identity"}, traffic)
            self._drain(response, final, sink(), limit, traffic)

        self._retried(url, attempt)

    def spans(
        self, url: str, spans: Sequence[tuple[int, int]], total: int | None, *, traffic: Traffic | None = None
    ) -> list[bytes]:
        """The bytes of each `(start, stop)`, by one request each, a few at a time; `total` is the file's known size."""
        if len(spans) == 1:
            return [self._span(url, spans[0], total, traffic)]
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(min(PARALLEL, len(spans)), thread_name_prefix="range")
        try:
            return list(pool.map(lambda span: self._span(url, span, total, traffic), spans))
        finally:
            pool.shutdown(cancel_futures=True)

    def tail(self, url: str, length: int, *, traffic: Traffic | None = None) -> tuple[bytes, int]:
        """The last bytes of a file whose size nobody told, and its size."""

        def attempt() -> tuple[bytes, int]:
            headers = {"Accept-Encoding": "identity", "Range": f"bytes=-{length}"}
            response, final = self._request(url, headers, traffic)
            said = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if response.status != 206 or said is None:
                response.close()
                raise NoRangesError("the server ignores byte ranges", where=redacted(final))
            start, stop, total = int(said[1]), int(said[2]) + 1, int(said[3])
            if stop != total or stop - start > length:
                response.close()
                raise PackageIndexError(f"the server sent another range: {said[0]!r}", where=redacted(final))
            body = bytearray()
            self._drain(response, final, body.extend, length, traffic)
            if len(body) != stop - start:
                raise PackageIndexError("the server sent less than it was asked for", where=redacted(final))
            return bytes(body), total

        return self._retried(url, attempt)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _span(self, url: str, span: tuple[int, int], total: int | None, traffic: Traffic | None) -> bytes:
        start, stop = span

        def attempt() -> bytes:
            headers = {"Accept-Encoding": "identity", "Range": f"bytes={start}-{stop - 1}"}
            response, final = self._request(url, headers, traffic)
            said = response.headers.get("Content-Range", "")
            if response.status != 206:
                response.close()
                raise NoRangesError("the server ignores byte ranges", where=redacted(final))
            if not said.startswith(f"bytes {start}-{stop - 1}/") or (total and said.rpartition("/")[2] != str(total)):
                response.close()
                raise PackageIndexError(f"the server sent another range: {said!r}", where=redacted(final))
            body = bytearray()
            self._drain(response, final, body.extend, stop - start, traffic)
            if len(body) != stop - start:
                raise PackageIndexError("the server sent less than it was asked for", where=redacted(final))
            return bytes(body)

        return self._retried(url, attempt)

    def _drain(
        self, response: urllib3.BaseHTTPResponse, url: str, sink: Sink, limit: int, traffic: Traffic | None
    ) -> None:
        """Read to the end, but never more than `limit`."""
        counter = traffic or self.traffic
        seen, taken = 0, 0
        try:
            for chunk in response.stream(_CHUNK):
                counter.add(received=response.tell() - seen)
                seen = response.tell()
                taken += len(chunk)
                _check_length(taken, limit, url)
                sink(chunk)
        except BaseException:
            response.close()
            raise
        counter.add(received=response.tell() - seen)
        response.release_conn()

    def _request(
        self, url: str, headers: Mapping[str, str], traffic: Traffic | None
    ) -> tuple[urllib3.BaseHTTPResponse, str]:
        """An answer whose body is still to be read, after redirects; anything but success is an error."""
        if self.offline:
            raise OfflineError(
                "not stored yet, and `--offline` forbids the network",
                where=redacted(url),
                hint="Read the releases whole once: `api-audit snapshot --used-by .`",
            )
        for _ in range(MAX_REDIRECTS + 1):
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise PackageIndexError(f"refused: `{parts.scheme}:` is not HTTP", where=redacted(url))
            response = self._connections.open(parts, headers)
            (traffic or self.traffic).add(requests=1)
            if response.status not in _MOVED:
                break
            location = response.headers.get("Location", "")
            response.close()
            moved = urljoin(bare(parts), location)
            if parts.scheme == "https" and urlsplit(moved).scheme == "http":
                raise PackageIndexError("refused: redirected from https to http", where=redacted(url))
            url = moved
        else:
            raise PackageIndexError("refused: too many redirects", where=redacted(url))
        if response.status not in (200, 206, 304):
            response.close()
            raise StatusError(response.status, url)
        return response, url

    def _retried(self, url: str, attempt: Callable[[], _T]) -> _T:
        import urllib3

        for left in reversed(range(_ATTEMPTS)):
            try:
                return attempt()
            except PackageIndexError as error:  # noqa: PERF203 - trying again is a loop around a try
                error.where = error.where or redacted(url)
                raise
            except urllib3.exceptions.MaxRetryError as error:
                # connecting was retried already
                raise PackageIndexError(reason(error), where=redacted(url), hint=ADVICE) from None
            except urllib3.exceptions.HTTPError as error:
                if not left:
                    raise PackageIndexError(reason(error), where=redacted(url), hint=ADVICE) from None
            except OSError as error:  # such as a missing certificate file
                raise PackageIndexError(f"cannot connect: {error}", where=redacted(url)) from None
        raise AssertionError("unreachable")


def _check_length(taken: int, limit: int, url: str) -> None:
    if taken > limit:
        raise PackageIndexError(f"refused: the answer is longer than {limit} bytes", where=redacted(url))
