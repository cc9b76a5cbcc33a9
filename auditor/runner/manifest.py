"""What a folder of samples says about itself: who made it, of what, with which patches, how fast; and whose it is."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auditor.errors import AuditError
from auditor.model import Patch
from auditor.patches.series import PatchSet

MANIFEST = "manifest.json"
FORMAT = 1
OWN = "api-audit-run"
"""Our own folder in the output: plan, events, logs. No name in it ends in `pt`, or the loader would read it."""


@contextmanager
def locked(out: Path) -> Iterator[Path]:
    """The runner's own folder in an output folder, held against a second run."""
    own = out / OWN
    try:
        own.mkdir(parents=True, exist_ok=True)
        handle = os.open(own / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise AuditError(f"It cannot be written to: {error.strerror}", where=str(out)) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AuditError("Another run is at work there", where=str(out)) from error
        yield own
    finally:
        os.close(handle)


def identity(patch_set: PatchSet, taken: tuple[str, ...], folder: Path, **settings: Any) -> dict[str, Any]:
    """What must be the same for a run to be resumed."""
    return {**settings, "patches": [_patch(patch, folder) for patch in patch_set.patches if patch.name in taken]}


def _patch(patch: Patch, folder: Path) -> dict[str, Any]:
    return {
        "name": patch.name,
        "rule": patch.rule,
        "safety": patch.applicability,
        "sha256": hashlib.sha256((folder / patch.name).read_bytes()).hexdigest(),
        "files": {file.path: file.after for file in patch.files},
    }


def claim(own: Path, out: Path, wanted: Mapping[str, Any]) -> None:
    """Make the folder this run's, or refuse one that holds something else."""
    file = own / "run.json"
    if file.is_file():
        found = json.loads(file.read_text(encoding="utf-8"))
        there = json.loads(json.dumps(wanted))
        other = [name for name in {**found, **there} if found.get(name) != there.get(name)]
        if other:
            name = other[0]
            change = f"`{name}` was {_short(found.get(name))} and is now {_short(there.get(name))}"
            raise AuditError(f"It holds another run: {change}", where=str(out), hint="Choose another --out")
        return
    if any(out.glob("data_*.pt")):
        raise AuditError("It holds samples that no run of this program has begun", where=str(out))
    write(file, wanted)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def digest_of_model(model: Path) -> str | None:
    """Digest of a model's config and of the names and sizes of its weights; None where it is no folder here."""
    if not model.is_dir():
        return None
    found = hashlib.sha256()
    for path in sorted(model.iterdir()):
        if path.name == "config.json":
            found.update(path.read_bytes())
        elif path.suffix in (".safetensors", ".bin"):
            found.update(f"{path.name} {path.stat().st_size}\n".encode())
    return found.hexdigest()


def write(file: Path, document: Mapping[str, Any]) -> None:
    """Replace a JSON file in one step."""
    draft = file.with_name(f".{file.name}.draft")
    draft.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    draft.replace(file)


class Manifest:
    """The manifest while a run is under way: earlier runs on the same folder stay in it."""

    def __init__(self, out: Path, about: Mapping[str, Any]) -> None:
        self.file = out / MANIFEST
        try:
            before = json.loads(self.file.read_text(encoding="utf-8"))
            earlier = before["runs"]
        except (OSError, ValueError, KeyError):
            before, earlier = {}, []
        self.run: dict[str, Any] = {"began": _now(), "state": "running", "samples": 0, "tokens": 0}
        self.document: dict[str, Any] = {
            "format": FORMAT,
            "state": "partial",
            **about,
            **{name: before[name] for name in ("versions", "form") if name in before},
            "runs": [*_settled(earlier), self.run],
        }

    def save(self) -> None:
        """Write it as it is."""
        write(self.file, self.document)

    def end(self, state: str, **values: Any) -> None:
        """The run is over."""
        self.run.update(state=state, ended=_now(), **values)
        if state == "complete":
            self.document["state"] = "complete"
        self.save()


def _settled(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**run, "state": "killed"} if run.get("state") == "running" else run for run in runs]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
