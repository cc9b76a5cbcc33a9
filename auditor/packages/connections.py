"""Opens one HTTP connection the way pip's configuration asks: certificate, proxy, timeout, credentials."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from auditor.errors import PackageIndexError
from auditor.packages.pipconf import PipConfig

if TYPE_CHECKING:
    import urllib3

ADVICE = "Check the connection and pip's settings for index, proxy and certificate, or run with `--offline`"
_MAX_RETRIES = 3
_CONNECT_SECONDS = 15.0


class Connections:
    """Pools of connections, one a proxy and level of trust; credentials go to the host they were given for, only."""

    def __init__(self, config: PipConfig) -> None:
        self._config = config
        self._pools: dict[tuple[str | None, bool], urllib3.PoolManager] = {}
        self._credentials: dict[tuple[str, str, int | None], str] = {}
        for url in (*config.index_urls, *config.find_links):
            parts = urlsplit(url)
            if parts.username is not None:
                self._credentials[_site(parts)] = _pair(parts)

    def open(self, parts: SplitResult, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        """Send a request; the answer's body is still to be read, redirects are still to be followed."""
        return self._pool(parts).request(
            "GET",
            bare(parts),
            headers={**headers, **self._authorization(parts), "User-Agent": "api-audit"},
            redirect=False,
            preload_content=False,
        )

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.clear()

    def _authorization(self, parts: SplitResult) -> dict[str, str]:
        pair = _pair(parts) if parts.username is not None else self._credentials.get(_site(parts))
        pair = pair or _netrc(parts.hostname or "")
        if pair is None:
            return {}
        import base64

        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}

    def _pool(self, parts: SplitResult) -> urllib3.PoolManager:
        host = parts.hostname or ""
        trusted = any(name in (host, f"{host}:{parts.port}") for name in self._config.trusted_hosts)
        proxy = self._proxy(parts)
        pool = self._pools.get((proxy, trusted))
        if pool is None:
            pool = self._pools[proxy, trusted] = self._new_pool(proxy, trusted=trusted)
        return pool

    def _proxy(self, parts: SplitResult) -> str | None:
        from urllib.request import getproxies, proxy_bypass

        if self._config.proxy:
            return self._config.proxy
        if proxy_bypass(parts.netloc.rpartition("@")[2]):
            return None
        proxies = getproxies()
        return proxies.get(parts.scheme) or proxies.get("all")

    def _new_pool(self, proxy: str | None, *, trusted: bool) -> urllib3.PoolManager:
        import urllib3

        from auditor.packages.pace import watch

        config = self._config
        tries = max(0, min(config.retries, _MAX_RETRIES))
        options: dict[str, Any] = {
            "maxsize": 8,
            "timeout": urllib3.Timeout(connect=min(config.timeout, _CONNECT_SECONDS), read=config.timeout),
            "retries": urllib3.Retry(
                total=tries,
                read=min(tries, 1),
                redirect=False,
                status_forcelist=(429, 500, 502, 503, 504),
                backoff_factor=0.25,
                raise_on_status=False,
                respect_retry_after_header=False,  # a hostile server may ask for years
            ),
        }
        if trusted:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
            options["cert_reqs"] = "CERT_NONE"
        elif config.cert:
            if not Path(config.cert).exists():
                raise PackageIndexError("the certificate bundle does not exist", where=config.cert, hint=ADVICE)
            options["ca_cert_dir" if Path(config.cert).is_dir() else "ca_certs"] = config.cert
        if config.client_cert:
            options["cert_file"] = config.client_cert
        if proxy is None:
            return watch(urllib3.PoolManager(**options))
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if parts.scheme not in ("http", "https"):
            raise PackageIndexError(f"`{parts.scheme}:` proxies are not supported", hint="Use an http proxy")
        if parts.username is not None:
            options["proxy_headers"] = urllib3.make_headers(proxy_basic_auth=_pair(parts))
        address = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "", "", ""))
        return watch(urllib3.ProxyManager(address, **options))


def bare(parts: SplitResult) -> str:
    """The URL to send: without credentials and fragment."""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path or "/", parts.query, ""))


def reason(error: Exception) -> str:
    """What went wrong, in a few words that never show a URL (it may hold a signature)."""
    import urllib3

    inner = getattr(error, "reason", None) or error
    kinds = urllib3.exceptions
    if isinstance(inner, kinds.SSLError):
        return f"the certificate was not accepted ({inner.__cause__ or 'TLS failure'})"
    if isinstance(inner, kinds.ProxyError):
        return "the proxy could not be reached or refused"
    if isinstance(inner, kinds.NameResolutionError):
        return "the host's name cannot be resolved"
    if isinstance(inner, kinds.NewConnectionError):  # a timeout by inheritance, so it comes first
        return "cannot connect"
    if isinstance(inner, kinds.TimeoutError):
        return "the server did not answer in time"
    if isinstance(inner, kinds.IncompleteRead | kinds.ProtocolError):
        return "the connection broke off before the answer was complete"
    return f"the answer could not be read ({type(inner).__name__})"


def _site(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme, parts.hostname or "", parts.port


def _pair(parts: SplitResult) -> str:
    return f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"


def _netrc(host: str) -> str | None:
    import netrc

    named = os.environ.get("NETRC")
    for path in [Path(named)] if named else [Path.home() / ".netrc", Path.home() / "_netrc"]:
        try:
            found = netrc.netrc(str(path)).authenticators(host)
        except (OSError, netrc.NetrcParseError, UnicodeDecodeError):
            continue
        if found:
            return f"{found[0]}:{found[2] or ''}"
    return None
