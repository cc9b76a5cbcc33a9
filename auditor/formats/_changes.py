"""The edits inside a patch, as runs of replaced lines: what SARIF calls replacements."""

from __future__ import annotations

import msgspec
from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchSet

from auditor.model import Patch


class Change(msgspec.Struct, frozen=True):
    """`removed` lines from `line` on give way to the text `inserted`."""

    line: int
    removed: int
    inserted: str


def changes(patch: Patch) -> dict[str, list[Change]]:
    """For each file of `patch` its changes in order; a diff that cannot be read has none."""
    found: dict[str, list[Change]] = {}
    for file in patch.files:
        try:
            parsed = PatchSet.from_string(file.diff)
        except UnidiffParseError:
            continue
        found[file.path] = [change for part in parsed for hunk in part for change in _runs(hunk)]
    return found


def _runs(hunk: Hunk) -> list[Change]:
    runs: list[Change] = []
    line = start = hunk.source_start
    removed, inserted = 0, ""
    for entry in [*hunk, None]:
        if entry is None or entry.is_context:
            if removed or inserted:
                runs.append(Change(start, removed, inserted))
            removed, inserted = 0, ""
            line += 1
            start = line
        elif entry.is_removed:
            removed += 1
            line += 1
        elif entry.is_added:
            inserted += entry.value
    return runs
