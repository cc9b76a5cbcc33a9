from __future__ import annotations

from collections.abc import Iterator

import pytest
from packages.making import Site, serving

from auditor.packages.index import PackageIndex
from auditor.packages.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(None) as opened:
        yield opened


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    with serving() as opened:
        yield opened


@pytest.fixture
def index(site: Site, store: Store) -> Iterator[PackageIndex]:
    opened = site.index(store)
    yield opened
    opened.close()
