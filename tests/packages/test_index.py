from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from packages.making import Site, sdist_bytes, wheel, wheel_bytes

from auditor.errors import AuditError, PackageIndexError, SpecError
from auditor.packages.index import FRESH_SECONDS, PackageIndex
from auditor.packages.pipconf import PipConfig
from auditor.packages.release import find_versions, open_release
from auditor.packages.store import Store

SOURCE = {"pkg/__init__.py": "x = 1\n"}


def test_json_page(site: Site, store: Store, index: PackageIndex) -> None:
    site.publish(
        "pkg-1.0-py3-none-any.whl", wheel_bytes("pkg", "1.0", SOURCE, lines=("Requires-Dist: a>=1; extra == 'x'",))
    )
    site.publish("pkg-2.0-py3-none-any.whl", wheel_bytes("pkg", "2.0", SOURCE), yanked="broken")
    release = open_release("pkg", store=store, index=index)
    assert (release.name, release.version, release.packages) == ("pkg", "1.0", ("pkg",))
    assert release.origin == "pkg-1.0-py3-none-any.whl from the package index"
    assert release.metadata.requires_dist == ("a>=1; extra == 'x'",)
    assert release.read(["pkg/__init__.py"]) == {"pkg/__init__.py": b"x = 1\n"}
    assert find_versions("pkg>=0", index=index) == ("1.0",)
    assert "application/vnd.pypi.simple.v1+json" in site.headers[0]["Accept"]
    assert index.traffic.received == len(site.files["/simple/pkg/"]) + len(
        site.files["/files/pkg-1.0-py3-none-any.whl"]
    )
    assert index.traffic.requests == 2


def test_html_page(site: Site, store: Store, index: PackageIndex) -> None:
    body = sdist_bytes("pkg", "1.0", SOURCE)
    site.publish("pkg-1.0.tar.gz", body)
    page = json.loads(site.files["/simple/pkg/"])["files"][0]
    site.files["/simple/pkg/"] = f"""
        <!DOCTYPE html><base href="/files/x"><a href="pkg-1.0.tar.gz#sha256={page["hashes"]["sha256"]}"
        data-requires-python="&gt;=3.9">pkg-1.0.tar.gz</a> <a>no target</a>
        <a href="pkg-2.0.tar.gz" data-yanked="">yanked</a> <a href="http://[broken/pkg-3.tar.gz">x</a>""".encode()
    site.types["/simple/pkg/"] = "text/html; charset=utf-8"
    files = index.files("pkg")
    assert [(file.version, file.yanked, file.requires_python) for file in files] == [
        ("1.0", False, ">=3.9"),
        ("2.0", True, None),
    ]
    release = open_release("pkg", store=store, index=index)
    assert release.digest("pkg/__init__.py")
    assert site.asked("pkg-1.0.tar.gz") == 1


def test_indexes_are_joined_and_missing_ones_are_passed_over(site: Site, store: Store, tmp_path: Path) -> None:
    site.publish("pkg-1.0-py3-none-any.whl", wheel_bytes("pkg", "1.0", SOURCE))
    (tmp_path / "links").mkdir()
    (tmp_path / "simple" / "pkg").mkdir(parents=True)
    wheel(tmp_path / "links", "pkg", "2.0", SOURCE)
    wheel(tmp_path / "links", "other", "9.0", SOURCE)
    wheel(tmp_path / "simple" / "pkg", "pkg", "3.0", SOURCE)
    urls = (f"{site.url}/simple", f"{site.url}/empty", (tmp_path / "simple").as_uri(), (tmp_path / "gone").as_uri())
    index = site.index(store, index_urls=urls, find_links=(str(tmp_path / "links"), str(tmp_path / "gone")))
    assert find_versions("pkg", index=index) == ("1.0", "2.0", "3.0")
    assert open_release("pkg", store=store, index=index).origin.endswith("from a local folder of packages")
    assert open_release("pkg==2", store=store, index=index).read_one("pkg/__init__.py") == b"x = 1\n"
    index.close()


def test_pages_are_kept_a_while_then_validated(site: Site, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    site.publish("pkg-1.0-py3-none-any.whl", wheel_bytes("pkg", "1.0", SOURCE))

    def versions() -> tuple[str, ...]:
        index = site.index(store)
        try:
            return find_versions("pkg", index=index)
        finally:
            index.close()

    def with_tag(handler: object) -> None:
        if handler.headers.get("If-None-Match") == "tag":
            handler.answer(304, b"")
        else:
            kind = {"Content-Type": site.types["/simple/pkg/"], "ETag": "tag"}
            handler.answer(200, site.files["/simple/pkg/"], kind)

    site.special["/simple/pkg/"] = with_tag
    assert versions() == versions() == ("1.0",)
    assert site.asked("/simple/") == 1
    later = __import__("time").time() + FRESH_SECONDS + 1
    monkeypatch.setattr("auditor.packages.index.time.time", lambda: later)
    assert versions() == ("1.0",)
    assert site.asked("/simple/") == 2
    assert "If-None-Match" in site.headers[-1]


def test_an_exact_release_is_not_asked_for_twice(site: Site, tmp_path: Path) -> None:
    site.publish("pkg-1.0-py3-none-any.whl", wheel_bytes("pkg", "1.0", SOURCE))
    for _ in range(2):
        with Store(tmp_path) as store:
            index = site.index(store)
            assert open_release("pkg==1", store=store, index=index).read_one("pkg/__init__.py") == b"x = 1\n"
            index.close()
    assert len(site.requests) == 2


def test_offline_answers_from_the_store_alone(site: Site, store: Store) -> None:
    site.publish("pkg-1.0-py3-none-any.whl", wheel_bytes("pkg", "1.0", SOURCE))
    index = site.index(store)
    with pytest.raises(PackageIndexError, match="without `--offline`"):
        open_release("pkg", store=store, index=index, offline=True)
    assert site.requests == []
    open_release("pkg", store=store, index=index)
    count = len(site.requests)
    assert open_release("pkg", store=store, index=index, offline=True).read_one("pkg/__init__.py") == b"x = 1\n"
    assert find_versions("pkg", index=index.as_offline()) == ("1.0",)
    assert len(site.requests) == count
    index.close()


def test_an_unknown_package_is_remembered_as_such(site: Site, store: Store, index: PackageIndex) -> None:
    with pytest.raises(SpecError, match="the package index has no `nope`"):
        open_release("nope", store=store, index=index)
    with pytest.raises(SpecError, match="no `nope`"):
        open_release("nope", store=store, index=index, offline=True)


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (b"{", "application/json", "broken JSON"),
        (b"[" * 100_000, "application/json", "broken JSON"),
        (b"[]", "application/json", "not a project page"),
        (b'{"files": {}}', "application/json", "not a project page"),
        (b'{"name": "evil", "files": []}', "application/json", "another project, 'evil'"),
        (b"\x7fELF", "application/octet-stream", "not a project page"),
        (
            b'{"files": [{"filename": "pkg-1.tar.gz", "url": "file:///etc/passwd"}]}',
            "application/json",
            "`file:` address",
        ),
        (
            b'{"files": [{"filename": "pkg-1.tar.gz", "url": "ftp://x/pkg-1.tar.gz"}]}',
            "application/json",
            "`ftp:` address",
        ),
    ],
)
def test_an_index_that_talks_nonsense(
    site: Site, store: Store, index: PackageIndex, body: bytes, kind: str, message: str
) -> None:
    site.files["/simple/pkg/"], site.types["/simple/pkg/"] = body, kind
    with pytest.raises(PackageIndexError, match=message):
        open_release("pkg", store=store, index=index)
    assert store.get_page(f"2:{site.url}/simple/pkg/#pkg") is None


def test_odd_entries_are_left_out(site: Site, index: PackageIndex) -> None:
    odd = [1, {}, {"filename": "pkg-1.tar.gz"}, {"filename": 1, "url": 2}, {"filename": "other-1.tar.gz", "url": "x"}]
    odd.append({"filename": "pkg-2.tar.gz", "url": "x", "size": -1, "hashes": [], "yanked": False})
    site.files["/simple/pkg/"], site.types["/simple/pkg/"] = json.dumps({"files": odd}).encode(), "application/json"
    (file,) = index.files("pkg")
    assert (file.version, file.size, file.hashes, file.yanked) == ("2", None, {}, False)


def test_an_index_that_lies_about_names(site: Site, store: Store, index: PackageIndex) -> None:
    site.publish("pkg-1.0-py3-none-any.whl", wheel_bytes("evil", "1.0", SOURCE))
    with pytest.raises(AuditError, match="serves it as pkg, but it is evil"):
        open_release("pkg", store=store, index=index)


def test_credentials_go_to_their_host_and_nowhere_else(site: Site, store: Store) -> None:
    site.publish("pkg-1.0-py3-none-any.whl", wheel_bytes("pkg", "1.0", SOURCE))
    with_user = site.url.replace("http://", "http://me:s%40cret@")
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    site.special["/simple/gone/"] = lambda handler: handler.answer(302, b"", {"Location": f"{elsewhere}/simple/pkg/"})
    site.special["/simple/closed/"] = lambda handler: handler.answer(401, b"")
    index = site.index(store, index_urls=(f"{with_user}/simple",))
    release = open_release("pkg", store=store, index=index)
    wanted = "Basic " + base64.b64encode(b"me:s@cret").decode()
    assert [headers.get("Authorization") for headers in site.headers] == [wanted, wanted]
    with pytest.raises(PackageIndexError) as caught:
        open_release("closed", store=store, index=index)
    assert "401" in str(caught.value)
    assert "cret" not in str(caught.value) + release.origin
    site.headers.clear()
    with pytest.raises(AuditError):
        open_release("gone", store=store, index=index)
    assert [headers.get("Authorization") for headers in site.headers] == [wanted, None]
    index.close()


def test_netrc(site: Site, store: Store, index: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password hidden\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    index.files("pkg")
    assert site.headers[0]["Authorization"] == "Basic " + base64.b64encode(b"me:hidden").decode()


def through_proxy(site: Site) -> None:
    page = b'{"files": [{"filename": "pkg-1.0.tar.gz", "url": "x"}]}'
    for url in ("http://packages.invalid/simple/pkg/", "http://user.invalid/simple/pkg/"):
        site.files[url], site.types[url] = page, "application/json"


def test_the_proxy_of_pips_configuration(site: Site, store: Store) -> None:
    through_proxy(site)
    proxy = site.url.replace("http://", "http://me:hush@")
    index = site.index(store, index_urls=("http://packages.invalid/simple",), proxy=proxy)
    assert [file.version for file in index.files("pkg")] == ["1.0"]
    assert site.headers[0]["proxy-authorization"] == "Basic " + base64.b64encode(b"me:hush").decode()
    index.close()


def test_the_proxy_of_the_environment(site: Site, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    through_proxy(site)
    monkeypatch.setenv("http_proxy", site.url)
    monkeypatch.setenv("no_proxy", "user.invalid")
    index = site.index(store, index_urls=("http://packages.invalid/simple",))
    assert [file.version for file in index.files("pkg")] == ["1.0"]
    index.close()
    index = site.index(store, index_urls=("http://user.invalid/simple",))
    with pytest.raises(PackageIndexError, match="name cannot be resolved"):
        index.files("pkg")
    index.close()


def test_proxies_of_another_kind(store: Store, site: Site) -> None:
    index = site.index(store, proxy="socks5://127.0.0.1:1")
    with pytest.raises(PackageIndexError, match="`socks5:` proxies are not supported"):
        index.files("pkg")


def test_a_file_that_the_index_protects_is_not_fetched_unprotected(site: Site, store: Store) -> None:
    index = site.index(store, trusted_hosts=("trusted.invalid",))
    assert index._may_follow("https://x/simple/a/", "https://y/a-1.tar.gz")
    assert not index._may_follow("https://x/simple/a/", "http://y/a-1.tar.gz")
    assert index._may_follow("https://x/simple/a/", "http://trusted.invalid/a-1.tar.gz")
    assert index._may_follow("http://x/simple/a/", "http://y/a-1.tar.gz")
    index.close()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x"])
def test_redirects_to_other_schemes(site: Site, index: PackageIndex, target: str) -> None:
    site.special["/simple/pkg/"] = lambda handler: handler.answer(302, b"", {"Location": target})
    with pytest.raises(PackageIndexError, match="is not HTTP"):
        index.files("pkg")


def test_redirect_loops(site: Site, index: PackageIndex) -> None:
    site.special["/simple/pkg/"] = lambda handler: handler.answer(302, b"", {"Location": "/simple/pkg/"})
    with pytest.raises(PackageIndexError, match="too many redirects"):
        index.files("pkg")
    assert len(site.requests) == 6


def test_no_server(store: Store) -> None:
    config = PipConfig(index_urls=("http://127.0.0.1:9/simple",), timeout=1, retries=0)
    index = PackageIndex(store, config=config)
    with pytest.raises(PackageIndexError, match="cannot connect") as caught:
        index.files("pkg")
    assert "\n" not in str(caught.value)
    index.close()


def test_a_missing_certificate_bundle(store: Store, tmp_path: Path) -> None:
    config = PipConfig(index_urls=("https://127.0.0.1:9/simple",), cert=str(tmp_path / "none.pem"))
    with pytest.raises(PackageIndexError, match="certificate bundle does not exist"):
        PackageIndex(store, config=config).files("pkg")


def test_a_server_that_stalls(site: Site, store: Store) -> None:
    import time

    site.special["/simple/pkg/"] = lambda handler: time.sleep(0.6)
    index = site.index(store, timeout=0.2)
    with pytest.raises(PackageIndexError, match="did not answer in time"):
        index.files("pkg")
    index.close()


def test_an_endless_page(site: Site, index: PackageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.packages.index.MAX_PAGE", 100_000)

    def endless(handler: object) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"1000\r\n" + b" " * 0x1000 + b"\r\n")
        except OSError:
            handler.close_connection = True

    site.special["/simple/pkg/"] = endless
    with pytest.raises(PackageIndexError, match="longer than 100000 bytes"):
        index.files("pkg")
