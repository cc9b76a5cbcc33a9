"""Arguments -> providers: of each the release to run on, and the one that the consumer was written for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial
from itertools import chain

import msgspec

from auditor.consumer.source import Sources
from auditor.errors import AuditError, SpecError
from auditor.options import Options
from auditor.overlapping import overlapped
from auditor.packages.index import PackageIndex
from auditor.packages.release import Release, open_release
from auditor.packages.spec import EnvironmentSpec, IndexSpec, Spec, normalise, parse_spec
from auditor.packages.store import Store
from auditor.provider.snapshot import Snapshot
from auditor.suggest import nearest

GIVEN = "--from"
"""Why a release is the old side: it was named."""


class Pair(msgspec.Struct, frozen=True):
    """A provider on both sides."""

    name: str
    packages: tuple[str, ...]
    old: Snapshot
    """Where no old side is known, the new one."""
    new: Snapshot
    old_version: str | None
    new_version: str | None
    old_origin: str | None
    """None where no old side is known."""
    new_origin: str
    reason: str
    """Why this release is the old side."""


def pair_of(release: Release, new: Snapshot, old: Release | None, old_side: Snapshot, reason: str) -> Pair:
    """A release as the new side beside another one as the old, or beside none."""
    return Pair(
        release.name,
        tuple(dict.fromkeys((*release.packages, *(old.packages if old is not None else ())))),
        old_side,
        new,
        old.version if old is not None else None,
        release.version,
        old.origin if old is not None else None,
        release.origin,
        reason,
    )


_BY_ACCIDENT = frozenset({"tests", "test", "testing", "examples", "docs", "scripts", "benchmarks", "tools", "build"})
"""Top-level names that come into releases by mistake, and that consumers have themselves."""


def dropped(old: Release, new: Release, own: Collection[str]) -> list[str]:
    """Import packages that a release no longer brings, nor anything that it requires, nor the consumer itself."""
    needed = {normalise(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in new.metadata.requires_dist}
    return [
        package
        for package in old.packages
        if package not in new.packages
        and package not in _BY_ACCIDENT
        and package not in own
        and normalise(package) not in needed
    ]


def stated(new: Release, given: Sequence[Release], against: Sequence[str], sources: Sources) -> Release | None:
    """Which of the releases that `--from` names a provider is compared with, if any.

    One of the same name, else one that brings some of the same packages. The only one that is named may also be of a
    library whose place the only provider takes: the consumer imports that library, and nothing of the provider yet.

    Args:
        new: The provider's release to run on.
        given: What `--from` names.
        against: The specifications of all providers.
        sources: The consumer.
    """
    named = (one for one in given if one.name == new.name)
    akin = (one for one in given if not set(one.packages).isdisjoint(new.packages))
    if (found := next(chain(named, akin), None)) is not None:
        return found
    alone = len(given) == len({parse_spec(text).name or text for text in against}) == 1
    moves = alone and sources.imports(given[0].packages) and not sources.imports(new.packages)
    return given[0] if moves else None


def open_pairs(options: Options, sources: Sources, store: Store, index: PackageIndex) -> list[Pair]:
    """Both releases of every provider named by `--against`.

    Raises:
        AuditError: None is named, one cannot be had, or two are of one provider.
    """
    if not options.against:
        raise SpecError("nothing to audit against", hint="Name a provider, e.g. `--against vllm==0.16`")
    options.progress("opening releases")
    releases = _Releases(options, sources, store, index)
    against = list(dict.fromkeys(options.against))
    texts = list(dict.fromkeys((*options.from_, *against)))
    opened = dict(zip(texts, overlapped([partial(releases.open, text) for text in texts]), strict=True))
    _refuse_two_of_one([opened[text] for text in against])
    given = [opened[text] for text in options.from_]
    pairs = []
    for text in against:
        new = opened[text]
        old, reason = releases.old_side(new, given, indexed=isinstance(parse_spec(text), IndexSpec))
        snapshot = Snapshot(new, store)
        if old is None or (old.version == new.version and old.origin == new.origin):
            pairs.append(pair_of(new, snapshot, old, snapshot, reason))
        else:
            snapshot.claim(dropped(old, new, sources.packages))
            pairs.append(pair_of(new, snapshot, old, Snapshot(old, store), reason))
    return pairs


def _refuse_two_of_one(releases: Sequence[Release]) -> None:
    """Fail where a provider is there twice: in one run an import has one meaning."""
    seen: dict[str, Release] = {}
    for release in releases:
        if (other := seen.setdefault(release.name, release)) is not release:
            raise SpecError(
                f"it is to run on {release.version or release.origin} as well as on {other.version or other.origin}",
                where=release.name,
                hint=f"Audit a range, `--against '{release.name}>=A,<=B'`, or make a table with `api-audit matrix`",
            )


class _Releases:
    """Opens the releases that the arguments of an audit name."""

    def __init__(self, options: Options, sources: Sources, store: Store, index: PackageIndex) -> None:
        self.options = options
        self.sources = sources
        self.store = store
        self.index = index

    def open(self, text: str) -> Release:
        """A release by its specification; where there is none to run on, the error says what may have been meant."""
        try:
            return self._named(text)
        except SpecError as error:
            if text in self.options.against:
                raise self._meant(error, text) from error
            raise

    def old_side(self, new: Release, given: Sequence[Release], *, indexed: bool) -> tuple[Release | None, str]:
        """The release that a provider is compared with, if one is known, and why that one.

        Args:
            new: The provider's release to run on.
            given: What `--from` names.
            indexed: Whether the new one comes from the index.
        """
        if (named := stated(new, given, self.options.against, self.sources)) is not None:
            return named, GIVEN
        from auditor.claims import old_version  # not asked where --from says it

        chosen, reason = old_version(self.sources, new.name, new.version, self.index, indexed=indexed)
        return self._opened(f"{new.name}=={chosen}") if chosen is not None else None, reason

    def _opened(self, spec: str | Spec, name: str | None = None) -> Release:
        return open_release(spec, store=self.store, index=self.index, offline=self.options.offline, name=name)

    def _meant(self, error: SpecError, text: str) -> SpecError:
        """The error with the requirement of the consumer that is spelled much like the release which does not exist."""
        from auditor.claims import required

        spec = parse_spec(text)
        known = required(self.sources)
        if not isinstance(spec, IndexSpec) or spec.name in known or not (near := nearest(spec.name, known, limit=1)):
            return error
        hint = f"Did you mean `{near[0]}`, which {self.sources.name} requires?"
        return SpecError(error.what, where=error.where, hint=hint)

    def _named(self, text: str) -> Release:
        """The release that a specification names; of an environment the package that the others are about."""
        spec = parse_spec(text)
        name = None
        if isinstance(spec, EnvironmentSpec) and spec.name is None:
            sides = (self.options.against, self.options.from_)
            mine, others = sides if text in self.options.against else reversed(sides)
            named = self._names(others) - self._names(mine)
            name = named.pop() if len(named) == 1 else self._required(spec, named)
        return self._opened(text, name)

    def _names(self, texts: Sequence[str]) -> set[str]:
        """What specifications are about, but for those of environments that do not say it."""
        named = set()
        for spec in map(parse_spec, texts):
            if not isinstance(spec, EnvironmentSpec):
                named.add(spec.name or self._opened(spec).name)
            elif spec.name is not None:
                named.add(spec.name)
        return named

    def _required(self, spec: EnvironmentSpec, among: Collection[str]) -> str | None:
        """The one package of an environment that the consumer requires and imports.

        Raises:
            SpecError: There are several.
        """
        from auditor.claims import required

        found = []
        for name in sorted(among or required(self.sources) - {normalise(self.sources.name)}):
            try:
                release = self._opened(spec, name)
            except AuditError:
                continue
            if among or self.sources.imports(release.packages):
                found.append(name)
        if len(found) > 1:
            hint = f"Write `{found[0]} @ {spec.text}`, or name one of {', '.join(found[1:])}"
            raise SpecError("it is not said which package of the environment is meant", where=spec.text, hint=hint)
        return found[0] if found else None
