"""Asks a Python environment what it is and where it keeps a package, without importing that package."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.errors import PatchError
from auditor.patches.header import plain

MINIMUM = (3, 10)
_QUESTION = """
import importlib.metadata, importlib.util, json, sys
packages, distributions = json.loads(sys.argv[1])
found = {}
for name in packages:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        found[name] = None
    elif spec.submodule_search_locations is not None:
        found[name] = list(spec.submodule_search_locations)[0]
    else:
        found[name] = spec.origin
versions = {}
for name in distributions:
    try:
        versions[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        versions[name] = None
sys.stdout.write("\\n" + json.dumps([list(sys.version_info[:3]), found, versions]))
"""


@dataclass(frozen=True)
class Target:
    """A Python environment as it describes itself."""

    python: Path
    version: str
    packages: Mapping[str, Path]
    """Where each package that the patches edit lies: its folder, or its one file."""
    distributions: Mapping[str, str | None]
    """Installed versions by distribution name; None where it is not installed."""


def ask(python: Path, packages: Sequence[str], distributions: Sequence[str] = ()) -> Target:
    """What the interpreter says; refuses one that is missing, too old, or lacks a package."""
    where = str(python)
    if python.is_dir() or not os.access(python, os.X_OK):
        raise PatchError("There is no such interpreter", where=where, hint="Give --python VENV/bin/python")
    version, found, versions = _answer(python, [list(packages), list(distributions)])
    if tuple(version[:2]) < MINIMUM:
        raise PatchError(f"Python {version[0]}.{version[1]} is too old; the runner needs 3.10 or later", where=where)
    for name in packages:
        if not found.get(name) or not Path(found[name]).exists():
            raise PatchError(f"The package `{plain(name)}` is not installed there", where=where)
    return Target(
        python=python,
        version=".".join(map(str, version)),
        packages={name: Path(found[name]) for name in packages},
        distributions=versions,
    )


def _answer(python: Path, question: list[list[str]]) -> list[Any]:
    command = [str(python), "-c", _QUESTION, json.dumps(question)]
    try:
        # An empty folder to stand in: `-c` puts the current one first on the path, where a checkout may lie.
        with tempfile.TemporaryDirectory() as nowhere:
            done = subprocess.run(  # noqa: S603
                command, capture_output=True, text=True, timeout=60, check=False, cwd=nowhere
            )
        answer: list[Any] = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError) as error:
        raise PatchError("It does not answer as a Python interpreter would", where=str(python)) from error
    return answer
