"""Where patches are to be applied: a checkout, an unpacked wheel, an interpreter's packages; nothing there is run."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import PatchError
from auditor.patches.series import PatchSet

_LAYOUTS = (
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "Lib/site-packages",
    "lib/python3*/dist-packages",
)


@dataclass(frozen=True)
class Target:
    """A folder, and the name in it of each path that the patches use."""

    root: Path
    names: dict[str, str]
    notes: tuple[str, ...] = ()


def locate(target: str, patch_set: PatchSet) -> Target:
    """Find the folder under which all files of the set lie."""
    paths = sorted(patch_set.chains())
    if target.startswith("env:"):
        return _environment(Path(target[4:]).expanduser(), patch_set, paths)
    place = Path(target).expanduser()
    if not place.is_dir():
        raise PatchError("There is no such folder to apply patches to", where=target)
    if (place / "pyvenv.cfg").is_file():
        programs = [place / name for name in ("bin/python", "bin/python3", "Scripts/python.exe")]
        return _environment(next((p for p in programs if p.exists()), programs[0]), patch_set, paths)
    roots = [place, place / "src", place.parent]
    found = _fitting(roots[:2] + [root for root in roots[2:] if place.name in patch_set.packages], paths, target)
    if any(found.root.glob("*.dist-info/RECORD")):  # packages are installed there: only those of the consumer are meant
        info = _dist_info(found.root, patch_set.consumer)
        if info is None:
            raise PatchError(f"`{patch_set.consumer}` is not installed there", where=target)
        _refuse_foreign(info, found, patch_set)
    return found


def _fitting(roots: list[Path], paths: list[str], target: str) -> Target:
    missing = paths[0]
    for root in roots:
        for strip in ("", "src/"):
            names = {path: path.removeprefix(strip) for path in paths}
            lacking = [name for name in names.values() if not (root / name).exists() and not (root / name).is_symlink()]
            if not lacking:
                return Target(root.resolve(), names)
            if len(lacking) < len(paths):
                missing = lacking[0]
    raise PatchError(
        f"The files that the patches edit are not there, such as `{missing}`",
        where=target,
        hint="Give the folder that holds the package",
    )


def _environment(python: Path, patch_set: PatchSet, paths: list[str]) -> Target:
    where = f"env:{python}"
    folders = list(site_packages(python))
    if not folders:
        raise PatchError(
            "No installed packages belong to this interpreter", where=where, hint="Give env:VENV/bin/python"
        )
    for folder in folders:
        info = _dist_info(folder, patch_set.consumer)
        if info is not None:
            _refuse_editable(info, patch_set.consumer, where)
            found = _fitting([folder], paths, where)
            _refuse_foreign(info, found, patch_set)
            note = f"RECORD of {patch_set.consumer} keeps the hashes of the published files; uninstalling works by name"
            return Target(found.root, found.names, (note,) if (info / "RECORD").is_file() else ())
    raise PatchError(f"`{patch_set.consumer}` is not installed there", where=where)


def site_packages(python: Path) -> Iterator[Path]:
    """The folders in which an interpreter keeps installed packages, by layout alone."""
    if not python.exists():
        raise PatchError("There is no such interpreter", where=f"env:{python}")
    if python.is_dir():
        raise PatchError("It is a folder, not an interpreter", where=f"env:{python}", hint="Give env:VENV/bin/python")
    seen: set[Path] = set()
    prefix = python.absolute().parent.parent
    virtual = (prefix / "pyvenv.cfg").is_file()
    real = python.resolve()
    version = re.search(r"(\d+\.\d+)t?$", real.stem if real.suffix == ".exe" else real.name)
    wanted = f"python{version[1]}" if version and not virtual else None
    for base in (prefix,) if virtual else (prefix, real.parent.parent, prefix / "local"):
        for folder in (found for pattern in _LAYOUTS for found in sorted(base.glob(pattern))):
            fits = wanted is None or folder.parent.name in ("Lib", "python3", wanted)
            if fits and folder.resolve() not in seen:
                seen.add(folder.resolve())
                yield folder


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _dist_info(folder: Path, name: str) -> Path | None:
    for info in sorted(folder.glob("*.dist-info")):
        if _normal(info.name.removesuffix(".dist-info").partition("-")[0]) == _normal(name):
            return info
    return None


def _refuse_editable(info: Path, name: str, where: str) -> None:
    try:
        origin = json.loads((info / "direct_url.json").read_bytes())
        editable = bool(origin["dir_info"].get("editable"))
        url = str(origin["url"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    if editable:
        raise PatchError(
            f"`{name}` is installed from a checkout there", where=where, hint=f"Apply to {url.removeprefix('file://')}"
        )


def _refuse_foreign(info: Path, target: Target, patch_set: PatchSet) -> None:
    """In a folder shared by many packages, only files that this distribution owns may be edited."""
    try:
        with (info / "RECORD").open(encoding="utf-8", newline="") as file:
            owned = {row[0] for row in csv.reader(file) if row}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PatchError("What the installed package owns cannot be read", where=str(info / "RECORD")) from error
    for name in target.names.values():
        if name not in owned:
            raise PatchError(f"It is no part of `{patch_set.consumer}`", where=str(target.root / name))
