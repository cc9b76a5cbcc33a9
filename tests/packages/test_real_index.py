"""The real package index: the traffic that the issue allows, and releases of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.errors import PackageIndexError, SpecError
from auditor.packages.index import PackageIndex
from auditor.packages.release import find_versions, open_release
from auditor.packages.store import Store

pytestmark = pytest.mark.index
MB = 1_000_000


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, PackageIndex]]:
    with Store(tmp_path_factory.mktemp("cache")) as store:
        index = PackageIndex(store)
        try:
            index.files("vllm")
        except PackageIndexError as error:
            pytest.skip(f"THE PACKAGE INDEX CANNOT BE REACHED: {error}")
        yield store, index
        index.close()


def test_a_lazy_scan_and_a_whole_snapshot_of_vllm(opened: tuple[Store, PackageIndex]) -> None:
    store, index = opened
    releases = [open_release(spec, store=store, index=index) for spec in ("vllm==0.11.0", "vllm==0.15.1")]
    for release in releases:
        names = sorted(release.modules())
        for start in range(0, 100, 10):
            release.read(release.modules()[name] for name in names[start * 9 : start * 9 + 90 : 9])
    assert index.traffic.received < 3.5 * MB
    old, new = releases
    assert (old.version, new.version, new.packages) == ("0.11.0", "0.15.1", ("vllm",))
    assert new.origin.endswith("x86_64.whl from the package index") or "aarch64" in new.origin
    assert len(new.modules()) > 1250
    new.read(new.files)
    assert new.traffic.received < 6 * MB
    known = index.traffic.received
    assert len(new.digests(new.files)) == len(new.files)
    assert index.traffic.received == known


def test_versions(opened: tuple[Store, PackageIndex]) -> None:
    store, index = opened
    assert open_release("vllm==0.16", store=store, index=index).version == "0.16.0"
    found = find_versions("vllm>=0.11,<0.17", index=index)
    assert found[0] == "0.11.0"
    assert found[-1] == "0.16.0"
    with pytest.raises(SpecError, match=r"vllm has no release 0\.16\.7; nearest: 0\.16\.0, 0\.17\.0"):
        open_release("vllm==0.16.7", store=store, index=index)


@pytest.mark.parametrize(
    ("spec", "packages"),
    [
        ("speculators==0.3.0", ("speculators",)),
        ("docopt==0.6.2", ("docopt",)),
        ("PyYAML==3.10", ("yaml",)),
        ("future==0.16.0", ("future", "libfuturize", "libpasteurize", "past")),
        ("google-cloud-storage==2.10.0", ("google.cloud.storage",)),
        ("types-requests==2.31.0.1", ("requests",)),
    ],
)
def test_all_kinds(opened: tuple[Store, PackageIndex], spec: str, packages: tuple[str, ...]) -> None:
    store, index = opened
    release = open_release(spec, store=store, index=index)
    assert release.packages == packages
    assert len(release.read(release.files)) == len(release.files)
    assert Path(release.origin.split()[0]).suffix in (".whl", ".gz")
