from __future__ import annotations

import os
from pathlib import Path

import pytest

from auditor.errors import ConfigError
from auditor.packages.pipconf import DEFAULT_INDEX, config_files, config_identity, read_config, redacted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX places of pip's files")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment in which no file of this machine counts."""
    monkeypatch.setattr("sys.prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("auditor.packages.pipconf._SYSTEM", tmp_path / "etc")
    return {"HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path / "xdg"), "PIP_CONFIG_FILE": ""}


def put(environ: dict[str, str], place: str, text: str) -> Path:
    path = Path(environ["HOME"], place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def settings(environ: dict[str, str], **options: str) -> tuple[object, ...]:
    config = read_config(environ=environ, **options)
    return config.index_urls, config.find_links, config.cert, config.timeout


def test_defaults(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.packages.pipconf.config_files", lambda environ: [])
    assert settings(home) == ((DEFAULT_INDEX,), (), None, 15.0)


def test_files_override_each_other_and_variables_override_files(home: dict[str, str]) -> None:
    put(home, "xdg/pip/pip.conf", "[global]\nindex-url = https://global/simple/\ntimeout = 3\ncert = /global.pem\n")
    put(
        home,
        ".config/pip/pip.conf",
        "[global]\nindex_url = https://user/simple\nextra-index-url =\n  https://a\n  https://b\n",
    )
    put(home, "prefix/pip.conf", "[global]\ntimeout = 4\n[install]\nfind-links = /wheels\n")
    home.update(PIP_TIMEOUT="5", PIP_TRUSTED_HOST="a b")
    config = read_config(environ=home)
    assert config.index_urls == ("https://user/simple", "https://a", "https://b")
    assert (config.find_links, config.cert, config.timeout) == (("/wheels",), "/global.pem", 5.0)
    assert config.trusted_hosts == ("a", "b")


def test_the_install_section_wins_over_global_of_a_later_file(home: dict[str, str]) -> None:
    put(home, "xdg/pip/pip.conf", "[install]\nindex-url = https://install\n")
    put(home, ".config/pip/pip.conf", "[global]\nindex-url = https://global\n")
    assert read_config(environ=home).index_urls == ("https://install",)


def test_config_file_variable(home: dict[str, str]) -> None:
    put(home, ".config/pip/pip.conf", "[global]\nindex-url = https://user\n")
    chosen = put(home, "chosen.conf", "[global]\nindex-url = https://chosen\n")
    assert read_config(environ={**home, "PIP_CONFIG_FILE": str(chosen)}).index_urls == ("https://chosen",)
    assert Path(home["HOME"], ".config/pip/pip.conf") not in config_files({**home, "PIP_CONFIG_FILE": str(chosen)})
    assert read_config(environ={**home, "PIP_CONFIG_FILE": os.devnull}).index_urls == (DEFAULT_INDEX,)


def test_an_index_url_replaces_everything(home: dict[str, str]) -> None:
    put(home, ".config/pip/pip.conf", "[global]\nextra-index-url = https://a\nfind-links = /w\ntimeout = 9\n")
    config = read_config(environ=home, index_url="https://mine/simple/")
    assert (config.index_urls, config.find_links, config.timeout) == (("https://mine/simple",), (), 9.0)


def test_no_index(home: dict[str, str]) -> None:
    config = read_config(environ={**home, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/w /x"})
    assert (config.index_urls, config.find_links) == ((), ("/w", "/x"))


def test_certificates_of_the_environment(home: dict[str, str]) -> None:
    home["SSL_CERT_FILE"] = "/ssl.pem"
    assert read_config(environ=home).cert == "/ssl.pem"
    home["REQUESTS_CA_BUNDLE"] = "/requests.pem"
    assert read_config(environ=home).cert == "/requests.pem"
    home["PIP_CERT"] = "/pip.pem"
    assert read_config(environ=home).cert == "/pip.pem"


@pytest.mark.parametrize("text", ["no section\n", "[global]\ntimeout = soon\n", "[global\n"])
def test_broken_files_are_one_clear_line(home: dict[str, str], text: str) -> None:
    put(home, ".config/pip/pip.conf", text)
    with pytest.raises(ConfigError) as caught:
        read_config(environ=home)
    assert "\n" not in str(caught.value)


def test_identity_follows_the_configuration(home: dict[str, str]) -> None:
    before = config_identity(environ=home)
    assert before == config_identity(environ=home)
    put(home, ".config/pip/pip.conf", "[global]\nindex-url = https://user\n")
    after = config_identity(environ=home)
    assert after != before
    assert config_identity(environ={**home, "PIP_INDEX_URL": "https://x"}) != after
    assert config_identity(environ=home, index_url="https://x") != after


def test_credentials_and_signatures_are_never_shown() -> None:
    assert redacted("https://user:secret@host:8/simple/a?token=secret#x") == "https://host:8/simple/a"
