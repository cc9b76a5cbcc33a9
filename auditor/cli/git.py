"""Asks git whether a folder has uncommitted changes, without letting the folder's own settings run anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_HARMLESS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "--no-optional-locks")


def changed_files(folder: Path) -> list[str] | None:
    """Tracked files below `folder`, as named from there, that differ from the last commit; None where git does not
    keep the folder.
    """
    command = [
        "git",
        *_HARMLESS,
        "-C",
        str(folder),
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=no",
        "--",
        ".",
    ]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603 - no shell, fixed words
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0 or _is_ignored(folder):
        return None
    prefix = _prefix(folder)
    entries = done.stdout.decode("utf-8", "replace").split("\0")
    return [entry[3:].removeprefix(prefix) for entry in entries if entry]


def _prefix(folder: Path) -> str:
    """Where the folder lies in its checkout, as git's own names begin."""
    command = ["git", *_HARMLESS, "-C", str(folder), "rev-parse", "--show-prefix"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").removesuffix("\n")


def _is_ignored(folder: Path) -> bool:
    """Whether git leaves the folder alone, such as a virtual environment inside a checkout."""
    command = ["git", *_HARMLESS, "-C", str(folder), "check-ignore", "--quiet", "."]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
