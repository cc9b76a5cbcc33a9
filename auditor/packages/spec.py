"""Parses what names a release: an index requirement, a folder (at a git reference), a file, an environment."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple, TypeAlias

from auditor.errors import SpecError

ARCHIVES = (".whl", ".egg", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_REQUIREMENT = re.compile(rf"(?P<name>{_NAME})\s*(?:\[(?P<extras>[^\]]*)\])?\s*(?P<rest>.*)", re.DOTALL)
_DIRECT = re.compile(rf"(?P<name>{_NAME})\s*@\s*(?P<rest>.+)", re.DOTALL)
_PLAIN = re.compile(r"==\s*\d{1,9}(\.\d{1,9}){0,9}((a|b|rc)\d{1,9})?(\.post\d{1,9})?(\.dev\d{1,9})?")
"""The usual case, for which `packaging` need not be loaded."""
_HINT = "Write `name==1.2`, `name>=1,<2`, `name`, a folder, `folder@gitref`, a .whl or .tar.gz file, or `env:PYTHON`"


class IndexSpec(NamedTuple):
    """A release on the package index: `vllm==0.16`, `vllm>=0.12,<0.17`, `vllm`."""

    name: str
    """Normalised."""
    specifier: str
    """In PEP 440 form, "" for the latest."""
    text: str

    @property
    def exact(self) -> str | None:
        """The version, where exactly one is asked for."""
        match = re.fullmatch(r"===?\s*([^,*\s]+)", self.specifier)
        return match[1] if match else None


class FolderSpec(NamedTuple):
    """A project folder, a package folder or an unpacked wheel; with `ref`, what git keeps of it there."""

    path: Path
    ref: str | None
    name: str | None
    text: str

    @property
    def ends(self) -> tuple[str, str] | None:
        """The first and the last tag, where a range of tags is asked for; no git reference has two dots."""
        first, dots, last = (self.ref or "").partition("..")
        return (first, last) if dots and first and last else None


class ArchiveSpec(NamedTuple):
    """A wheel or sdist file."""

    path: Path
    name: str | None
    text: str


class EnvironmentSpec(NamedTuple):
    """What a Python interpreter has installed, under the distribution name `name`."""

    python: Path
    name: str | None
    text: str


Spec: TypeAlias = IndexSpec | FolderSpec | ArchiveSpec | EnvironmentSpec


def parse_spec(text: str, *, name: str | None = None) -> Spec:
    """Read a specification; nothing is looked up but whether a file or folder exists.

    Args:
        text: As the user wrote it. `name @ PLACE` gives a folder, file or environment its distribution name.
        name: The distribution name that a folder, file or environment stands for, if known.
    """
    text = text.strip()
    if not text or "\0" in text or "\n" in text:
        raise SpecError(f"not a package specification: {text!r}", hint=_HINT)
    place = _place(text, normalise(name) if name else None)
    if place is not None:
        return place
    direct = _DIRECT.fullmatch(text)
    if direct:
        rest = direct["rest"].strip()
        place = _place(rest, normalise(direct["name"]), anywhere=True)
        if place is None:
            raise SpecError(f"there is no file or folder {rest!r}", where=text, hint=_HINT)
        return place
    return _requirement(text)


def is_range(text: str) -> bool:
    """Whether a specification may name several releases: `vllm>=0.12,<0.17`, or the tags `./vllm@v0.12.0..v0.16.0`."""
    spec = parse_spec(text)
    if isinstance(spec, FolderSpec):
        return spec.ends is not None
    return isinstance(spec, IndexSpec) and bool(spec.specifier) and not spec.exact


def normalise(name: str) -> str:
    """The form of a distribution name in which spellings compare equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _place(text: str, name: str | None, *, anywhere: bool = False) -> Spec | None:
    """A folder, file or environment, if the text is one; bare words count only where `anywhere` says so."""
    if text.startswith("env:"):
        if not text[4:].strip():
            raise SpecError("`env:` needs the path of a Python interpreter", where=text)
        return EnvironmentSpec(_expanded(text[4:].strip()), name, text)
    bare = text.removeprefix("file://") if text.startswith("file://") else text
    if "://" in bare and not _DIRECT.fullmatch(text):
        raise SpecError("URLs are not opened", where=text, hint="Download or clone it, and name the file or folder")
    path = _expanded(bare)
    if bare.lower().endswith(ARCHIVES):
        if _is_file(path):
            return ArchiveSpec(path, name, text)
        if not _is_folder(path):
            raise SpecError("there is no such file", where=text)
    looks = anywhere or bare.startswith((".", "~")) or "/" in bare or os.sep in bare or path.is_absolute()
    if looks and _is_folder(path):
        return FolderSpec(path, None, name, text)
    front, at, ref = bare.rpartition("@")
    if at and ref and front and _is_folder(_expanded(front.rstrip())):
        if ref.startswith("-") or any(character.isspace() for character in ref):
            raise SpecError(f"not a git reference: {ref!r}", where=text)
        return FolderSpec(_expanded(front.rstrip()), ref, name, text)
    if looks and not _DIRECT.fullmatch(text):
        if _is_file(path):
            raise SpecError("a file that is neither a wheel nor an sdist", where=text, hint=_HINT)
        raise SpecError("there is no such folder", where=text, hint=_HINT)
    return None


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # `~somebody` who is not known here
        return Path(text)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _requirement(text: str) -> IndexSpec:
    match = _REQUIREMENT.fullmatch(text)
    if match is None:
        raise SpecError("not a package specification", where=text, hint=_HINT)
    rest = match["rest"].strip()
    if rest.startswith("(") and rest.endswith(")"):
        rest = rest[1:-1].strip()
    if ";" in rest:
        raise SpecError("environment markers have no meaning here", where=text)
    if rest and rest[0].isdigit():
        raise SpecError("not a package specification", where=text, hint=f"Write `{match['name']}=={rest}`")
    if rest.startswith("=") and not rest.startswith("=="):
        raise SpecError("not a version specifier", where=text, hint=f"Write `{match['name']}=={rest[1:].strip()}`")
    if not rest or _PLAIN.fullmatch(rest):
        return IndexSpec(normalise(match["name"]), "".join(rest.split()), text)
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        specifier = str(SpecifierSet(rest))
    except InvalidSpecifier:
        raise SpecError(f"not a version specifier: {rest!r}", where=text, hint=_HINT) from None
    return IndexSpec(normalise(match["name"]), specifier, text)
