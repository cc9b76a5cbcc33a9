"""Which tests run: those that need the package index are skipped, loudly, where it cannot be reached."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from auditor.errors import AuditError

collect_ignore_glob = ["cases/*", "range_cases/*", "prune/*"]
"""What is audited there is data, whatever its files are called."""


@cache
def index_reachable() -> bool:
    """Whether the package index answers, asked as the tool itself asks it."""
    from auditor.packages.index import PackageIndex
    from auditor.packages.store import Store

    try:
        return bool(PackageIndex(Store(None)).files("packaging"))
    except AuditError:
        return False


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """A temporary folder that every user of this machine may enter."""
    for folder in (tmp_path, *tmp_path.parents):
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o055)
    return tmp_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    needing = [item for item in items if item.get_closest_marker("index")]
    if needing and not index_reachable():
        for item in needing:
            item.add_marker(pytest.mark.skip(reason="THE PACKAGE INDEX CANNOT BE REACHED"))
