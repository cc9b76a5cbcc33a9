"""Arguments -> the releases of each provider that guards are judged by."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from auditor.claims import claimed, requirements
from auditor.consumer.source import Sources
from auditor.errors import SpecError
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, find_versions, open_release
from auditor.packages.spec import IndexSpec, normalise, parse_spec
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot
from auditor.prune.releases import Asked, Claim
from auditor.sides import Side
from auditor.world.world import World

_FAR = 99999
"""A number that no release has yet."""
_LOCAL = "+local"


class Range(msgspec.Struct, frozen=True):
    """One provider with all its releases that count."""

    claim: Claim
    releases: tuple[Asked, ...]
    versions: tuple[tuple[str, int], ...]
    """Versions that the consumer may read, each with the position of the release that stands for it: those that are
    published, built locally too, and such as the range allows and nobody has published yet."""

    def __str__(self) -> str:
        first, last = self.releases[0].version, self.releases[-1].version
        count = f"{len(self.releases)} releases"
        if len(self.releases) == 1:
            return self.claim.text
        return f"{self.claim.text}: {count}, {first} to {last}"


class Opener:
    """Opens releases when they are asked for, each once.

    Args:
        options: Where releases come from.
        store: Keeps what was read.
        index: The package indexes.
    """

    def __init__(self, options: Options, store: Store, index: PackageIndex) -> None:
        self.options = options
        self.store = store
        self.index = index
        self._opened: dict[str, Release] = {}
        self._snapshots: dict[str, Snapshot] = {}

    def release(self, spec: str) -> Release:
        """The release of a specification."""
        if spec not in self._opened:
            self._opened[spec] = open_release(spec, store=self.store, index=self.index, offline=self.options.offline)
        return self._opened[spec]

    def snapshot(self, spec: str) -> Snapshot:
        """What it offers."""
        if spec not in self._snapshots:
            self._snapshots[spec] = Snapshot(self.release(spec), self.store)
        return self._snapshots[spec]

    def asked(self, spec: str, version: str | None = None) -> Asked:
        """The release as guards ask it."""
        packages = self._packages(spec)

        def side() -> Side:
            name = self.release(spec).name
            known = dict.fromkeys((name, *packages), version or "")
            return Side(World([self.snapshot(spec)]), known, dict.fromkeys(packages, name))

        return Asked(version or self.release(spec).version or "", spec, packages, side)

    def _packages(self, spec: str) -> tuple[str, ...]:
        """Import names, which neighbours of one provider share; not those of folders that others may add to."""
        name = parse_spec(spec).name or spec
        known = next((release for release in self._opened.values() if release.name == name), None)
        release = known or self.release(spec)
        return tuple(package for package in release.packages if package in release.modules())


def ranges(
    options: Options, providers: Sequence[str], sources: Sources, opener: Opener, *, prereleases: bool
) -> list[Range]:
    """The ranges that `options.against` names; without any, those that the consumer declares of what it imports."""
    if options.against:
        return [_given(text, sources, opener, prereleases=prereleases) for text in options.against]
    stated = requirements(sources.requires, sources.name)
    chosen = [normalise(name) for name in providers]
    found = []
    for name in chosen or stated:
        bounded = any(str(requirement.specifier) for requirement in stated.get(name, ()))
        if not bounded and not chosen:
            continue
        declared = claimed(sources, name, opener.index)
        last = opener.asked(f"{name}=={declared.versions[-1]}")
        if not chosen and not sources.imports(last.packages):
            continue
        specifiers = [requirement.specifier for requirement in stated[name]]
        found.append(_range(name, declared.shown, [str(v) for v in declared.versions], specifiers, sources, opener))
    if not found:
        raise SpecError(
            f"{sources.name} declares no range of anything it imports", hint="Name one: --against 'NAME>=1.2'"
        )
    return found


def _given(text: str, sources: Sources, opener: Opener, *, prereleases: bool) -> Range:
    spec = parse_spec(text)
    if not isinstance(spec, IndexSpec):
        asked = opener.asked(text)
        name = opener.release(text).name
        shown = f"{name} {asked.version}".strip()
        return Range(Claim(name, shown, _is_required(name, sources)), (asked,), ((asked.version, 0),))
    if not spec.specifier:
        raise SpecError(
            "no range is named",
            where=text,
            hint=f"Write `{spec.name}>=1.2`, or leave out --against for what is declared",
        )
    versions = find_versions(spec, index=opener.index, prereleases=prereleases)
    return _range(spec.name, text, versions, [SpecifierSet(spec.specifier)], sources, opener)


def _range(
    name: str,
    shown: str,
    versions: Sequence[str],
    specifiers: Sequence[SpecifierSet],
    sources: Sources,
    opener: Opener,
) -> Range:
    opener.release(f"{name}=={versions[-1]}")
    releases = tuple(opener.asked(f"{name}=={version}", version) for version in versions)
    read = [(v, n) for n, version in enumerate(versions) for v in (version, version + _LOCAL)]
    future = [(v, len(versions) - 1) for v in _unpublished(versions, specifiers)]
    return Range(Claim(name, shown, _is_required(name, sources)), releases, tuple(read + future))


def _unpublished(versions: Sequence[str], specifiers: Sequence[SpecifierSet]) -> list[str]:
    """Later releases that a range allows, though there are none yet."""
    try:
        numbers = [*Version(versions[-1]).release, 0, 0][:3]
    except InvalidVersion:
        return []
    later = (".".join(map(str, (*numbers[:place], _FAR, 0, 0)[:3])) for place in range(3))
    return [version for version in later if any(s.contains(version) for s in specifiers)]


def _is_required(name: str, sources: Sources) -> bool:
    """Whether the consumer cannot be installed without a provider."""
    return any(requirement.marker is None for requirement in requirements(sources.requires, sources.name).get(name, ()))
