"""Opens what a Python environment has installed, found by looking at its folders: no interpreter is started."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.errors import ArchiveError, SpecError
from auditor.packages.folder import FolderReader, list_tree, open_folder, walk
from auditor.packages.layout import import_packages
from auditor.packages.limits import is_source
from auditor.packages.listing import Listing, Metadata
from auditor.packages.metadata import parse_metadata
from auditor.packages.pipconf import local_path
from auditor.packages.release import Release
from auditor.packages.spec import normalise
from auditor.packages.store import Store
from auditor.packages.wheel import parse_record


def open_installed(python: Path, name: str, *, store: Store) -> Release:
    """Open a distribution that the environment of an interpreter has.

    Args:
        python: The interpreter, or the environment's folder.
        name: The normalised distribution name.
        store: Not used for the contents, which may change at any time.
    """
    sites = site_folders(python)
    for site in sites:
        release = _open(site, name, store)
        if release is not None:
            return release
    raise SpecError(f"`{name}` is not installed there", where=f"env:{python}", hint=_spelling(sites, name))


def find_installed(name: str, *, store: Store, path: Iterable[str] | None = None) -> Release | None:
    """The distribution as this very interpreter has it, None if it has not; nothing of it is imported."""
    for entry in sys.path if path is None else path:
        site = Path(entry or ".")
        release = _open(site, normalise(name), store) if site.is_dir() else None
        if release is not None:
            return release
    return None


def open_in_site(site: Path, name: str, *, store: Store) -> Release:
    """Open a distribution in a folder that holds several."""
    release = _open(site, normalise(name), store)
    if release is None:
        raise SpecError(f"`{name}` is not installed there", where=str(site), hint=_spelling([site], name))
    return release


def site_folders(python: Path) -> list[Path]:
    """The folders from which an interpreter imports installed packages."""
    path = python.absolute()
    if path.is_dir():
        prefixes = [path]
    elif path.is_file():
        prefixes = list(_prefixes(path))
    else:
        raise SpecError("there is no such interpreter", where=f"env:{python}")
    found: list[Path] = []
    for prefix in prefixes:
        config = _venv_config(prefix)
        found += _sites(prefix, _minor(config.get("version_info", config.get("version", ""))) or _minor(path.name))
        if not config:
            continue
        if config.get("include-system-site-packages", "").lower() == "true" and config.get("home"):
            home = Path(config["home"])
            found += _sites(home.parent if home.name in ("bin", "Scripts") else home, _minor(config.get("version", "")))
        break
    if not found:
        raise SpecError(
            "no site-packages folder belongs to it", where=f"env:{python}", hint="Give the environment's own python"
        )
    return list(dict.fromkeys(found))


def _prefixes(python: Path) -> Iterator[Path]:
    """Installation folders, following the interpreter's links one by one: a virtual environment's python is a link."""
    seen: set[Path] = set()
    while python not in seen:
        seen.add(python)
        yield python.parent.parent if python.parent.name in ("bin", "Scripts") else python.parent
        if not python.is_symlink():
            return
        python = Path(os.path.normpath(python.parent / python.readlink()))


def _sites(prefix: Path, minor: str | None) -> list[Path]:
    version = f"python{minor}" if minor else "python3*"
    patterns = [f"lib/{version}/site-packages", f"lib64/{version}/site-packages", "Lib/site-packages"]
    patterns += [f"local/lib/{version}/dist-packages", "lib/python3/dist-packages", f"lib/{version}/dist-packages"]
    return [site for pattern in patterns for site in sorted(prefix.glob(pattern)) if site.is_dir()]


def _venv_config(prefix: Path) -> dict[str, str]:
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines)
    return {key.strip().lower(): value.strip() for key, equals, value in pairs if equals}


def _minor(text: str) -> str | None:
    match = re.search(r"3\.\d+", text)
    return match[0] if match else None


def _distributions(site: Path) -> Iterator[tuple[str, Path]]:
    try:
        names = sorted(path.name for path in site.iterdir())
    except OSError:
        return
    for name in names:
        if name.endswith((".dist-info", ".egg-info", ".egg-link")):
            stem, _, kind = name.rpartition(".")
            yield normalise(stem if kind == "egg-link" else stem.split("-", 1)[0]), site / name


def _open(site: Path, name: str, store: Store) -> Release | None:
    # a project's own folder on the path holds its .egg-info beside the sources: that one is a project, not an install
    found = [path for other, path in _distributions(site) if other == name]
    if not found:
        return None
    found.sort(key=lambda path: (path.suffix == ".dist-info", (path / "METADATA").is_file(), path.name))
    info = found[-1]
    if info.suffix == ".egg-link":
        lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
        return open_folder(Path(lines[0].strip()), store=store, name=name) if lines else None
    metadata = _metadata(info)
    record = _text(info / "RECORD")
    listed = parse_record(record.encode(), str(info)).keys() if record is not None else _listed_elsewhere(site, info)
    links = [path for path in listed if path.endswith(".pth") or path.startswith("__editable__")]
    linked = _editable(site, info, links)
    if linked is not None:
        if not linked.is_dir():
            raise ArchiveError(f"`{name}` is installed from this folder, which is gone", where=str(linked))
        return open_folder(linked, store=store, name=name, metadata=metadata)
    sizes = {}
    for path in listed:
        if is_source(path) and ".." not in path.split("/") and not path.startswith("/") and ".dist-info/" not in path:
            try:
                sizes[path] = (site / path).stat().st_size
            except OSError:
                continue  # removed after the installation
    files = list_tree(sizes, {path: path for path in sizes}, whole=False)
    listing = Listing(metadata, import_packages(sizes), files)
    return Release(
        listing,
        f"{site} ({info.name})",
        store=store,
        reader=lambda: FolderReader(site),
        name=name,
        keep=False,
        root=site,
    )


def _metadata(info: Path) -> Metadata:
    raw = _text(info / "METADATA") or _text(info / "PKG-INFO") or (_text(info) if info.is_file() else None) or ""
    requires, entry_points = _text(info / "requires.txt"), _text(info / "entry_points.txt")
    return parse_metadata(
        raw.encode(),
        requires=requires.encode() if requires is not None else None,
        entry_points=entry_points.encode() if entry_points is not None else None,
    )


def _listed_elsewhere(site: Path, info: Path) -> list[str]:
    """What an installation without RECORD put there."""
    installed = _text(info / "installed-files.txt")
    if installed is not None:
        paths = (os.path.normpath(Path(info.name, line)) for line in installed.splitlines())
        return [path.replace(os.sep, "/") for path in paths]
    names = (_text(info / "top_level.txt") or info.name.split("-", 1)[0]).split()
    found = [f"{name}{suffix}" for name in names for suffix in (".py", ".pyi")]
    for name in names:
        if re.fullmatch(r"[\w-]+", name) and (site / name).is_dir():
            found += [f"{name}/{path}" for path in walk(site / name)]
    return found


def _editable(site: Path, info: Path, links: list[str]) -> Path | None:
    """The project folder of an editable installation, from direct_url.json, a .pth file or a finder's table."""
    try:
        direct = json.loads(_text(info / "direct_url.json") or "{}")
        if direct.get("dir_info", {}).get("editable") is True:
            return local_path(direct["url"])
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    for link in links:
        text = _text(site / link) or ""
        for line in text.splitlines():
            if link.endswith(".pth") and not line.startswith(("import ", "import\t", "#")) and line.strip():
                return site / line.strip()
        mapping = re.search(r"^MAPPING\s*(?::[^=]+)?=\s*(\{.*\})\s*$", text, re.MULTILINE)
        if mapping:
            try:
                targets = [Path(str(target)) for target in ast.literal_eval(mapping[1]).values()]
            except (ValueError, SyntaxError, AttributeError, MemoryError, RecursionError):
                continue
            if targets:
                return targets[0].parent
    return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _spelling(sites: list[Path], name: str) -> str:
    import difflib

    known = {other for site in sites for other, _ in _distributions(site)}
    guesses = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f"Did you mean `{guesses[0]}`?" if guesses else "Check the name and the interpreter"
