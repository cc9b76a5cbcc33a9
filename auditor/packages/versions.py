"""Chooses releases by version: the highest that matches, all that match, or an error that names the nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.errors import SpecError
from auditor.packages.files import IndexFile
from auditor.packages.spec import IndexSpec

if TYPE_CHECKING:
    from packaging.version import Version

# fmt: off
_FAMILIAR = (
    "accelerate", "aiohttp", "click", "dask", "datasets", "django", "fastapi", "flask", "httpx", "huggingface-hub",
    "jax", "jinja2", "langchain", "lightning", "litellm", "matplotlib", "msgspec", "networkx", "numpy", "openai",
    "pandas", "peft", "pillow", "polars", "pydantic", "pytest", "pyyaml", "ray", "requests", "rich", "scikit-learn",
    "scipy", "sentence-transformers", "setuptools", "sglang", "speculators", "sqlalchemy", "tokenizers", "torch",
    "torchvision", "tqdm", "transformers", "triton", "trl", "urllib3", "vllm", "vllm-ascend",
)
# fmt: on
"""Names to guess from when a package does not exist; no index is asked for guesses."""


def releases(files: Iterable[IndexFile]) -> dict[Version, list[IndexFile]]:
    """The files by version, ascending; versions that PEP 440 does not know are left out."""
    from packaging.version import InvalidVersion, Version

    found: dict[Version, list[IndexFile]] = {}
    known: dict[str, Version | None] = {}
    for file in files:
        if file.version not in known:
            try:
                known[file.version] = Version(file.version)
            except InvalidVersion:
                known[file.version] = None
        version = known[file.version]
        if version is not None:
            found.setdefault(version, []).append(file)
    return dict(sorted(found.items()))


def matching(
    spec: IndexSpec, published: Mapping[Version, Sequence[IndexFile]], *, prereleases: bool = False
) -> list[Version]:
    """The versions that the specification allows, ascending.

    Yanked ones count only where exactly one version is asked for; pre-releases where they are asked for, or where
    there is nothing else.
    """
    from packaging.specifiers import SpecifierSet

    specifier = SpecifierSet(spec.specifier)
    usable = [version for version, files in published.items() if spec.exact or not all(file.yanked for file in files)]
    return sorted(specifier.filter(usable, prereleases=prereleases or None))


def has_exactly(spec: IndexSpec, files: Iterable[IndexFile]) -> bool:
    """Whether exactly one version is asked for and the files have it: published releases do not change."""
    from packaging.specifiers import SpecifierSet

    specifier = SpecifierSet(spec.specifier)
    return spec.exact is not None and any(specifier.contains(version, prereleases=True) for version in releases(files))


def choose(spec: IndexSpec, files: Sequence[IndexFile]) -> tuple[Version, list[IndexFile]]:
    """The highest version that matches, and its files (those that are not yanked, if there are any)."""
    published = releases(files)
    found = matching(spec, published)
    if not found:
        raise _nothing(spec, published)
    version = found[-1]
    kept = [file for file in published[version] if not file.yanked]
    return version, kept or published[version]


def choose_all(spec: IndexSpec, files: Sequence[IndexFile], *, prereleases: bool = False) -> list[Version]:
    """All versions that match, ascending; at least one."""
    published = releases(files)
    found = matching(spec, published, prereleases=prereleases)
    if not found:
        raise _nothing(spec, published)
    return found


def _nothing(spec: IndexSpec, published: Mapping[Version, Sequence[IndexFile]]) -> SpecError:
    if not published:
        return unknown_package(spec.name)
    wanted = spec.exact or spec.specifier
    standing = [version for version, files in published.items() if not all(file.yanked for file in files)]
    near = ", ".join(map(str, _nearest(spec, standing or list(published))))
    guesses = [] if spec.name in _FAMILIAR else difflib.get_close_matches(spec.name, _FAMILIAR, n=1, cutoff=0.85)
    hint = f"Did you mean `{guesses[0]}`?" if guesses else None
    return SpecError(f"{spec.name} has no release {wanted}; nearest: {near}", hint=hint)


def unknown_package(name: str, *, known: Iterable[str] = ()) -> SpecError:
    """The error for a name that no index has, with a likely spelling."""
    guesses = difflib.get_close_matches(name, {*known, *_FAMILIAR} - {name}, n=1, cutoff=0.7)
    hint = f"Did you mean `{guesses[0]}`?" if guesses else f"For a folder of that name write `./{name}`"
    return SpecError(f"the package index has no `{name}`", hint=hint)


def _nearest(spec: IndexSpec, published: list[Version]) -> list[Version]:
    """The final release below and the one above the wanted version (of a range: its first bound)."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    finals = [version for version in published if not version.is_prerelease] or published
    bounds = [single.version.removesuffix(".*") for single in SpecifierSet(spec.specifier)]
    try:
        wanted = min(Version(bound) for bound in bounds)
    except (InvalidVersion, ValueError):
        return finals[-2:]
    below = [version for version in finals if version < wanted][-1:]
    above = [version for version in finals if version > wanted][:1]
    return below + above if below and above else (finals[-2:] if below else finals[:2])
