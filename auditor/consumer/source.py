"""What is audited, opened: a published or installed release, a folder, or any number of files, as named sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Protocol

from auditor.errors import SpecError

_SKIPPED = frozenset(
    {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox", "build", "dist", ".eggs"}
)


class Release(Protocol):
    """What is needed of an opened release."""

    version: str | None
    origin: str
    display_name: str

    @property
    def packages(self) -> tuple[str, ...]: ...
    def modules(self) -> Mapping[str, str]: ...
    def read(self, paths: Iterable[str]) -> dict[str, bytes]: ...


class Sources:
    """The Python files of a consumer: bytes by path, and the module name of each.

    Args:
        name: Distribution or folder name.
        version: Its version, if it has one.
        origin: Where it came from, for people.
        modules: Dotted module name -> path as reported.
        read: Reads some paths.
        requires: Its requirements (`Requires-Dist` lines).
        published: Tells when this state of it was published or committed, where that can be known.
    """

    def __init__(
        self,
        name: str,
        version: str | None,
        origin: str,
        modules: Mapping[str, str],
        read: Callable[[Iterable[str]], dict[str, bytes]],
        requires: Sequence[str] = (),
        published: Callable[[], datetime | None] = lambda: None,
    ) -> None:
        self.name = name
        self.version = version
        self.origin = origin
        self.modules = dict(modules)
        self.requires = tuple(requires)
        self.published = published
        self._read = read
        self._files: dict[str, bytes] = {}
        self._replaced: dict[str, bytes] = {}

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of some files, replaced ones as they were replaced."""
        wanted = list(paths)
        missing = [p for p in wanted if p not in self._replaced and p not in self._files]
        if missing:
            self._files.update(self._read(missing))
        return {p: self._replaced.get(p, self._files.get(p, b"")) for p in wanted}

    def replaced(self, files: Mapping[str, bytes]) -> Sources:
        """The same sources with some files' contents replaced (for auditing a patched tree)."""
        copy = Sources(self.name, self.version, self.origin, self.modules, self._read, self.requires, self.published)
        copy._files = self._files
        copy._replaced = {**self._replaced, **files}
        return copy

    @property
    def packages(self) -> tuple[str, ...]:
        """Top-level names of its modules."""
        return tuple(dict.fromkeys(name.split(".", 1)[0] for name in self.modules))

    def imports(self, packages: Sequence[str]) -> bool:
        """Whether any of its files imports one of some packages."""
        if not packages:
            return False
        names = "|".join(map(re.escape, packages))
        parts = [package.rpartition(".") for package in packages if "." in package]
        from_above = [rf"|from[ \t]+{re.escape(a)}[ \t]+import\b[^\n]*\b{b}\b" for a, _, b in parts]
        pattern = re.compile(
            rf"^[ \t]*(?:(?:from|import)[ \t]+(?:{names})\b{''.join(from_above)})".encode(), re.MULTILINE
        )
        return any(pattern.search(source) for source in self.read(self.modules.values()).values())


def from_release(release: Release, requires: Sequence[str], exclude: Sequence[str] = ()) -> Sources:
    """The sources of an opened release."""
    modules = {m: p for m, p in release.modules().items() if not _excluded(p, exclude)}
    return Sources(release.display_name, release.version, release.origin, modules, release.read, requires)


def from_paths(paths: Sequence[Path], exclude: Sequence[str] = ()) -> Sources:
    """The sources below folders, and single files.

    Reported paths are relative to the folder where there is one, else as given.

    Raises:
        SpecError: A path does not exist, or there is no Python file.
    """
    from auditor.packages.folder import read_file

    found: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            for file in sorted(path.rglob("*.py")):
                relative = file.relative_to(path)
                if not str(relative).isprintable() or file.is_symlink() or not file.is_file():
                    continue  # a folder, a pipe, or a name that no import statement could say
                if not _SKIPPED & set(relative.parts[:-1]):
                    shown = relative if len(paths) == 1 else path / relative
                    found[shown.as_posix()] = file
        elif path.is_file():
            found[path.as_posix()] = path
        else:
            raise SpecError("no such file or folder", where=str(path))
    found = {shown: file for shown, file in found.items() if not _excluded(shown, exclude)}
    if not found:
        raise SpecError("no Python file to audit", where=", ".join(map(str, paths)))
    modules: dict[str, str] = {}
    for path_shown, file in found.items():
        name = module_name(file)
        modules[name if name not in modules else path_shown.removesuffix(".py").replace("/", ".")] = path_shown
    single = paths[0].resolve() if len(paths) == 1 else None
    return Sources(
        single.name if single is not None else f"{len(found)} files",
        None,
        str(paths[0]) if len(paths) == 1 else f"{len(paths)} paths",
        modules,
        lambda wanted: {p: read_file(found[p]) for p in wanted},
    )


def module_name(file: Path) -> str:
    """The dotted name under which a file is imported: as deep as the packages around it go."""
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.resolve().parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or folder.name


def _excluded(path: str, patterns: Sequence[str]) -> bool:
    return any(
        fnmatch(path, p) or PurePosixPath(path).match(p) or path.startswith(p.rstrip("*/") + "/") for p in patterns
    )
