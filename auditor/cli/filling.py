"""Reads into the store all that later audits of a consumer can ask for, so that they can run offline."""

from __future__ import annotations

from typing import Any

from auditor.cli.options import asked
from auditor.options import Progress
from auditor.resolution import open_consumer, open_pairs, open_store


def fill(given: dict[str, Any], on_progress: Progress | None) -> dict[str, int]:
    """Read both releases of every provider; for each release the number of its modules."""
    options = asked(given, consumers=(given["used_by"],), on_progress=on_progress)
    filled: dict[str, int] = {}
    with open_store(options) as (store, index):
        for pair in open_pairs(options, open_consumer(options, store, index), store, index):
            sides = [(pair.new_version, pair.new)]
            if pair.old is not pair.new:
                sides.insert(0, (pair.old_version, pair.old))
            for version, release in sides:
                name = f"{pair.name} {version or ''}".strip()
                options.progress(f"reading {name}")
                filled[name] = release.load_all()
    return filled
