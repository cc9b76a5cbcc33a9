"""How pip is configured on this machine: indexes, find-links, certificate, proxy, timeout. It is not imported for that.

Read in pip's own order: global, user and site files, then the file in `PIP_CONFIG_FILE`; of all of them the `[global]`
section, then `[install]`; then `PIP_*` variables.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import msgspec

from auditor.errors import ConfigError

DEFAULT_INDEX = "https://pypi.org/simple"
_SYSTEM = Path("/etc")
_SECTIONS = ("global", "install")


class PipConfig(msgspec.Struct, frozen=True):
    """What matters of pip's configuration to somebody who reads packages. URLs may hold credentials: see `redacted`."""

    index_urls: tuple[str, ...] = (DEFAULT_INDEX,)
    """`index-url` first, then the `extra-index-url`s."""
    find_links: tuple[str, ...] = ()
    cert: str | None = None
    """A bundle of certificates (a file or a folder), None for urllib3's own choice."""
    client_cert: str | None = None
    proxy: str | None = None
    timeout: float = 15.0
    retries: int = 5
    trusted_hosts: tuple[str, ...] = ()


def config_files(environ: Mapping[str, str] | None = None) -> list[Path]:
    """The files that pip would read, in its order, existing or not."""
    environ = os.environ if environ is None else environ
    chosen = environ.get("PIP_CONFIG_FILE")
    if chosen == os.devnull:
        return []
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    if sys.platform == "win32":
        name = "pip.ini"
        globals_ = [Path(environ.get("PROGRAMDATA", "C:/ProgramData")) / "pip" / name]
        user = [home / "pip" / name, Path(environ.get("APPDATA", home / "AppData/Roaming")) / "pip" / name]
    else:
        name = "pip.conf"
        xdg = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / name
        folders = [Path(part) for part in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep) if part]
        globals_ = [*(folder / "pip" / name for folder in folders), _SYSTEM / name]
        user = [home / ".pip" / name, xdg]
        if sys.platform == "darwin":
            globals_ = [Path("/Library/Application Support/pip") / name]
            support = home / "Library/Application Support/pip"
            user[1] = support / name if support.is_dir() else xdg
    files = globals_
    if not (chosen and Path(chosen).exists()):
        files = files + user
    files = [*files, Path(sys.prefix) / name]
    return [*files, Path(chosen)] if chosen else files


def config_identity(*, index_url: str | None = None, environ: Mapping[str, str] | None = None) -> str:
    """A digest that differs whenever pip is configured otherwise; cheap, since nothing is parsed."""
    environ = os.environ if environ is None else environ
    digest = hashlib.sha256()
    if index_url is not None:
        return hashlib.sha256(redacted(index_url).encode()).hexdigest()
    for path in config_files(environ):
        try:
            digest.update(path.read_bytes())
        except OSError:  # noqa: PERF203 - half a dozen files
            digest.update(b"-")
    for variable in sorted(environ):
        if variable.startswith("PIP_"):
            digest.update(f"{variable}={environ[variable]}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def read_config(*, index_url: str | None = None, environ: Mapping[str, str] | None = None) -> PipConfig:
    """What pip is configured to do; `index_url` replaces the configured index and its extra indexes."""
    environ = os.environ if environ is None else environ
    options = _options(environ)
    if index_url is not None:
        index_urls: tuple[str, ...] = (index_url,)
    elif options.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        index_urls = ()
    else:
        main = options.get("index-url") or options.get("pypi-url") or DEFAULT_INDEX
        index_urls = (main, *options.get("extra-index-url", "").split())
    cert = options.get("cert") or environ.get("REQUESTS_CA_BUNDLE") or environ.get("CURL_CA_BUNDLE")
    return PipConfig(
        index_urls=tuple(dict.fromkeys(url.rstrip("/") for url in index_urls)),
        find_links=() if index_url is not None else tuple(dict.fromkeys(options.get("find-links", "").split())),
        cert=cert or environ.get("SSL_CERT_FILE") or environ.get("SSL_CERT_DIR") or None,
        client_cert=options.get("client-cert") or None,
        proxy=options.get("proxy") or None,
        timeout=_number(options, "timeout", options.get("default-timeout", "15")),
        retries=int(_number(options, "retries", "5")),
        trusted_hosts=tuple(options.get("trusted-host", "").split()),
    )


def redacted(url: str) -> str:
    """The URL without user name and password (and without a query, which may be a signature)."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def local_path(url: str) -> Path:
    """The path that a `file:` URL names."""
    path = urlsplit(url).path
    if os.name != "nt":
        return Path(unquote(path))
    from urllib.request import url2pathname

    return Path(url2pathname(path))


def _options(environ: Mapping[str, str]) -> dict[str, str]:
    sections: dict[str, dict[str, str]] = {name: {} for name in _SECTIONS}
    for path in config_files(environ):
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"pip's configuration cannot be read: {error}", where=str(path)) from error
        for section, found in _parse(text, path).items():
            sections[section].update(found)
    options = {key: value for name in _SECTIONS for key, value in sections[name].items()}
    for variable, value in environ.items():
        if variable.startswith("PIP_") and value:
            options[variable[4:].lower().replace("_", "-")] = value
    return options


def _parse(text: str, path: Path) -> dict[str, dict[str, str]]:
    import configparser

    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        message = " ".join(str(error).split())
        raise ConfigError(f"pip's configuration cannot be read: {message}", where=str(path)) from error
    return {
        section: {
            key.lower().replace("_", "-").removeprefix("--"): value.strip()
            for key, value in parser.items(section)
            if value.strip()
        }
        for section in _SECTIONS
        if parser.has_section(section)
    }


def _number(options: Mapping[str, str], key: str, default: str) -> float:
    value = options.get(key, default)
    try:
        return float(value)
    except ValueError:
        raise ConfigError(f"pip's `{key}` is not a number: {value!r}") from None
