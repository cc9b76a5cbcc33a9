"""Asks git whether a folder has uncommitted changes."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import AuditError
from auditor.git import ask, status


def changed_files(folder: Path) -> list[str] | None:
    """Tracked files below `folder`, as named from there, that differ from the last commit; None where git does not
    keep the folder.
    """
    try:
        done = status(folder)
        # git leaves some folders alone, such as a virtual environment inside a checkout
        if done.returncode != 0 or ask(folder, "check-ignore", "--quiet", ".").returncode == 0:
            return None
        prefix = ask(folder, "rev-parse", "--show-prefix").stdout.decode("utf-8", "replace").removesuffix("\n")
    except AuditError:
        return None
    entries = done.stdout.decode("utf-8", "replace").split("\0")
    return [entry[3:].removeprefix(prefix) for entry in entries if entry]
