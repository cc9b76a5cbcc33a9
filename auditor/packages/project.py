"""Finds the import packages in a source tree: src/ or flat layout, as configured, without running any of it.

Nothing but the names of its files and the text of a few of them is needed, so trees on disk, in git and in archives are
treated alike.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from auditor.packages.limits import is_source
from auditor.packages.listing import Metadata
from auditor.packages.metadata import parse_metadata
from auditor.packages.spec import normalise

CONFIGURATION = ("pyproject.toml", "setup.cfg", "setup.py")
METADATA = ("PKG-INFO", "METADATA", "requires.txt", "top_level.txt", "entry_points.txt")
# fmt: off
_ASIDE = frozenset((
    "bench", "benchmark", "benchmarks", "build", "ci", "cmake", "contrib", "csrc", "demo", "demos", "dev", "dist",
    "doc", "docs", "example", "examples", "ext", "extras", "integration_tests", "notebooks", "recipes", "requirements",
    "samples", "scripts", "test", "tests", "third_party", "tool", "tools", "tutorial", "tutorials",
))
"""Top-level folders that are not what a project installs, unless there is nothing else."""
_NOT_MODULES = frozenset((
    "build", "conf", "conftest", "distribute_setup", "dodo", "ez_setup", "fabfile", "hatch_build", "hubconf", "manage",
    "noxfile", "pavement", "setup", "tasks", "versioneer", "wscript",
))
# fmt: on
_DEFAULT_ROOTS = ("src", "", "lib", "python")


class Project(NamedTuple):
    """A source tree: its metadata as far as static, and for each import path the path in the tree."""

    metadata: Metadata
    files: dict[str, str]


def read_project(paths: Collection[str], text: Callable[[str], bytes | None], *, name: str | None = None) -> Project:
    """Make out what a source tree would install.

    Args:
        paths: All Python sources and configuration files, relative to the tree's root.
        text: Reads one of them; None if there is no such file.
        name: The distribution name, if known.
    """
    unpacked = sorted(path for path in paths if re.fullmatch(r"[^/]+\.dist-info/METADATA", path))
    if unpacked:
        metadata = _installed(unpacked, text, name)
        return Project(metadata, {path: path for path in paths if is_source(path) and ".dist-info/" not in path})
    pyproject = _toml(text("pyproject.toml"))
    setup = (text("setup.py") or b"").decode("utf-8", "replace")
    config = _ini(text("setup.cfg"))
    egg = _egg_info(paths)
    metadata = _metadata(paths, text, egg, pyproject, config, setup, name)
    sources = [path for path in paths if is_source(path) and "/." not in f"/{path}"]
    explicit = _explicit(pyproject)
    known = {normalise(name or metadata.name)} - {""}
    attempts = [(root, explicit, False) for root in _configured_roots(pyproject, config, setup, egg)]
    attempts += [(root, explicit, True) for root in _DEFAULT_ROOTS]
    attempts += [(root, set(), strict) for strict in (True, False) for root in _DEFAULT_ROOTS]
    files = {path: path for path in sources}
    for root, listed, strict in attempts:
        found = _under(sources, root.strip("./"), known, listed, strict=strict)
        if found:
            files = found
            break
    top_level = text(f"{egg}/top_level.txt") if egg is not None else None
    if top_level is not None:
        names = set(top_level.decode("utf-8", "replace").split())
        kept = {path: tree for path, tree in files.items() if _top(path) in names}
        files = kept or files
    return Project(metadata, files)


def everything(paths: Iterable[str], files: dict[str, str]) -> dict[str, str]:
    """The import packages' files and then every other source, under its path in the tree."""
    chosen = dict(files)
    taken = set(files.values())
    for path in paths:
        if is_source(path) and path not in taken:
            chosen.setdefault(path, path)
    return chosen


def _under(sources: Iterable[str], root: str, known: set[str], explicit: set[str], *, strict: bool) -> dict[str, str]:
    """Import paths of the packages and modules under one root; `strict` asks for a true package or the known name."""
    prefix = f"{root}/" if root else ""
    inside = [path[len(prefix) :] for path in sources if path.startswith(prefix)]
    packages = {path.partition("/")[0] for path in inside if path.count("/") == 1 and "/__init__.py" in path}
    folders = {path.partition("/")[0] for path in inside if "/" in path}
    modules = {path for path in inside if "/" not in path}
    own = {top for top in folders | modules if normalise(_top(top)) in known}
    chosen = {top for top in packages if root or _top(top) not in _ASIDE} | own
    if explicit:
        chosen = {top for top in folders | modules if f"{prefix}{_top(top)}" in explicit}
    elif strict and not chosen:
        return {}
    elif root or not chosen:
        chosen |= {top for top in folders if root or (top not in _ASIDE and top.removesuffix("-stubs").isidentifier())}
        chosen |= {top for top in modules if _top(top) not in _NOT_MODULES | _ASIDE}
    return {path: prefix + path for path in inside if path.partition("/")[0] in chosen}


def _top(path: str) -> str:
    return path.partition("/")[0].removesuffix(".pyi").removesuffix(".py")


def _explicit(pyproject: dict[str, Any]) -> set[str]:
    """Package folders that the build configuration lists one by one, relative to the tree's root."""
    found: set[str] = set()
    hatch = _table(pyproject, "tool", "hatch", "build", "targets", "wheel").get("packages")
    found.update(item.strip("./") for item in _strings(hatch))
    for item in _list(_table(pyproject, "tool", "poetry").get("packages")):
        if isinstance(item, dict) and isinstance(item.get("include"), str):
            start = str(item.get("from", "")).strip("./")
            found.add("/".join(filter(None, (start, item["include"].removesuffix(".py").partition("/")[0]))))
    found.update(_strings(_table(pyproject, "tool", "setuptools").get("py-modules")))
    return {item for item in found if "*" not in item}


def _configured_roots(
    pyproject: dict[str, Any], config: dict[str, dict[str, str]], setup: str, egg: str | None
) -> list[str]:
    roots: list[str] = []
    roots += _strings(_table(pyproject, "tool", "setuptools", "packages", "find").get("where"))
    roots += _strings([_table(pyproject, "tool", "setuptools", "package-dir").get("")])
    roots += _strings([_table(pyproject, "tool", "maturin").get("python-source")])
    roots += _strings([_table(pyproject, "tool", "pdm", "build").get("package-dir")])
    roots += _strings([_table(pyproject, "tool", "uv", "build-backend").get("module-root")])
    roots += [item.rpartition("/")[0] for item in sorted(_explicit(pyproject))]
    roots += re.findall(r"^\s*=\s*(\S+)", config.get("options", {}).get("package_dir", ""), re.MULTILINE)
    roots += config.get("options.packages.find", {}).get("where", "").split()
    roots += re.findall(r"""package_dir\s*=\s*\{\s*['"]{2}\s*:\s*['"]([^'"]+)['"]""", setup)
    if egg is not None and "/" in egg:
        roots.append(egg.rpartition("/")[0])
    return roots


def _egg_info(paths: Iterable[str]) -> str | None:
    found = sorted(path for path in paths if re.search(r"\.egg-info/PKG-INFO$", path) and path.count("/") <= 3)
    return found[0].rpartition("/")[0] if found else None


def _installed(found: list[str], text: Callable[[str], bytes | None], name: str | None) -> Metadata:
    matching = [path for path in found if name and normalise(path.split("-", 1)[0]) == normalise(name)]
    folder = (matching or found)[0].rpartition("/")[0]
    raw = text(f"{folder}/METADATA") or b""
    return parse_metadata(raw, entry_points=text(f"{folder}/entry_points.txt"))


def _metadata(
    paths: Collection[str],
    text: Callable[[str], bytes | None],
    egg: str | None,
    pyproject: dict[str, Any],
    config: dict[str, dict[str, str]],
    setup: str,
    name: str | None,
) -> Metadata:
    """From PKG-INFO if there is one, else from the project's configuration as far as it is written down."""
    raw = text("PKG-INFO")
    if raw is None and egg is not None:
        raw = text(f"{egg}/PKG-INFO")
    if raw is not None:
        requires = text(f"{egg}/requires.txt") if egg is not None else None
        entry_points = text(f"{egg}/entry_points.txt") if egg is not None else None
        return parse_metadata(raw, requires=requires, entry_points=entry_points)
    project = _table(pyproject, "project") or _table(pyproject, "tool", "poetry")
    old = config.get("metadata", {})
    arguments = _setup_arguments(setup)
    found = [name, project.get("name"), old.get("name"), arguments.get("name")]
    versions = [project.get("version"), old.get("version"), arguments.get("version")]
    version = next((value for value in versions if isinstance(value, str) and value[:1].isdigit()), None)
    extras = _table(project, "optional-dependencies")
    needed = _strings(project.get("dependencies"))
    for extra, items in extras.items():
        for item in _strings(items):
            requirement, _, marker = item.partition(";")
            condition = f"({marker.strip()}) and " if marker.strip() else ""
            needed.append(f'{requirement.strip()}; {condition}extra == "{extra}"')
    if not needed:
        needed = _strings(arguments.get("install_requires")) or config.get("options", {}).get(
            "install_requires", ""
        ).split("\n")
    return Metadata(
        name=next((value for value in found if isinstance(value, str) and value), ""),
        version=version or stated_version(paths, text),
        requires_python=next(iter(_strings([project.get("requires-python"), arguments.get("python_requires")])), None),
        requires_dist=tuple(item.strip() for item in needed if item.strip()),
        provides_extra=tuple(extras),
    )


def stated_version(paths: Iterable[str], text: Callable[[str], bytes | None]) -> str | None:
    """`__version__ = "1.2"` in a package's `__init__.py`, `_version.py` or the like, if they agree."""
    found = set()
    for path in paths:
        if re.fullmatch(r"(src/|lib/|python/)?[^/]+/(__init__|_?version|__version__|__about__)\.py", path):
            content = (text(path) or b"").decode("utf-8", "replace")
            found.update(re.findall(r"""^__version__(?:\s*:\s*str)?\s*=\s*['"](\d[^'"]*)['"]""", content, re.MULTILINE))
    return found.pop() if len(found) == 1 else None


def _setup_arguments(setup: str) -> dict[str, Any]:
    """The literal arguments of the `setup()` call; the script is parsed, never run."""
    try:
        tree = ast.parse(setup)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "setup":
            for keyword in node.keywords:
                with contextlib.suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    found.setdefault(keyword.arg or "", ast.literal_eval(keyword.value))
    return found


def _toml(raw: bytes | None) -> dict[str, Any]:
    if raw is None:
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: dict[str, Any] = tomllib.loads(raw.decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    return table


def _ini(raw: bytes | None) -> dict[str, dict[str, str]]:
    import configparser

    parser = configparser.RawConfigParser()
    try:
        parser.read_string((raw or b"").decode("utf-8", "replace"))
    except configparser.Error:
        return {}
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _table(table: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _strings(value: object) -> list[str]:
    return [item for item in _list(value) if isinstance(item, str)]
