"""What a consumer says about a provider in its metadata, and which release that makes it written for."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from auditor.errors import AuditError, SpecError
from auditor.packages.release import find_versions
from auditor.packages.spec import normalise

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from auditor.consumer.source import Sources
    from auditor.packages.index import PackageIndex

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9._-]+)\s*(?:\[[^\]]*\]\s*)?(?:@.*|\(?(?P<versions>[^@;()]*)\)?\s*)(?:;.*)?", re.DOTALL
)
_EXTRA = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")
_LOCAL = re.compile(r"\+[A-Za-z0-9._-]+")
_UPPER = frozenset({"<", "<=", "==", "===", "~="})
_LOWER = frozenset({">", ">=", "==", "===", "~="})


class Claim(msgspec.Struct, frozen=True):
    """Which published releases of a provider a consumer declares to support."""

    name: str
    """The provider."""
    versions: tuple[Version, ...]
    """Ascending; at least one."""
    shown: str
    """As the consumer says it: `vllm>=0.12,<=0.16`."""
    begins: bool
    """Whether a lower bound is stated."""
    ends: bool
    """Whether an upper bound is stated."""


def required(sources: Sources) -> set[str]:
    """The (normalised) names of all distributions that a consumer requires, for any extra."""
    return {normalise(match["name"]) for line in sources.requires if (match := _REQUIREMENT.fullmatch(line))}


def requirements(lines: Iterable[str], own: str = "") -> dict[str, list[Requirement]]:
    """The requirements of a project by distribution, those of its extras included; what is not one is left out."""
    from packaging.requirements import InvalidRequirement, Requirement  # loading it takes longer

    found: dict[str, list[Requirement]] = {}
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if (name := normalise(requirement.name)) != normalise(own or "-"):
            found.setdefault(name, []).append(requirement)
    return found


def claimed(sources: Sources, name: str, index: PackageIndex) -> Claim:
    """What a consumer declares about a provider, as published releases.

    Raises:
        SpecError: It declares nothing, or nothing that is published.
    """
    stated = _stated(sources.requires, name)
    if not stated:
        raise SpecError(
            f"{sources.name} states no dependency on {name}", hint=f"Name a release: `--against {name}==VERSION`"
        )
    always = stated.pop("", [])
    claims = [SpecifierSet(",".join(filter(None, [*always, *more]))) for more in stated.values() or [[]]]
    found: set[Version] = set()
    failure: AuditError | None = None
    for specifier in claims:
        try:
            found.update(_published(f"{name}{specifier}", index))
        except AuditError as error:  # noqa: PERF203 - what one extra asks for may be gone; another's may be there
            failure = error
    if not found and failure is not None:
        raise failure
    return Claim(
        name,
        tuple(sorted(found)),
        " or ".join(dict.fromkeys(f"{name}{specifier}" for specifier in claims)),
        begins=all(_operators(specifier) & _LOWER for specifier in claims),
        ends=all(_operators(specifier) & _UPPER for specifier in claims),
    )


def old_version(
    sources: Sources, name: str, target: str | None, index: PackageIndex, *, indexed: bool
) -> tuple[str | None, str]:
    """The version of a provider that a consumer was written for, as seen from the one to run on; and why that one.

    None, with the reason, where nothing tells.

    Args:
        sources: The consumer.
        name: The provider.
        target: The version to run on.
        index: Knows the provider's releases.
        indexed: Whether the provider is one of the index: no index is asked for a name that need not be public.
    """
    reason = f"{sources.name} does not say which {name} it was written for"
    if not _stated(sources.requires, name) and not indexed:
        return None, reason
    claim, current = _claim(sources, name, index)
    chosen = written_for(claim, target, current)
    if chosen is None:
        return None, reason
    if claim.shown:
        reason = f"declared by the consumer: {claim.shown}"
    if chosen == current:
        reason += f"; {chosen} was current when {sources.name} was published"
    return str(chosen), reason


def current_version(sources: Sources, name: str, index: PackageIndex) -> str | None:
    """The release that was current when a consumer was published; None where that is unknown or it declares an end."""
    current = _claim(sources, name, index)[1]
    return None if current is None else str(current)


def _claim(sources: Sources, name: str, index: PackageIndex) -> tuple[Claim, Version | None]:
    """What is declared, else every release; and where that has no end, the one that was current at publication."""
    if _stated(sources.requires, name):
        claim = claimed(sources, name, index)
    else:
        claim = Claim(name, _published(name, index), "", begins=False, ends=False)
    return claim, None if claim.ends else newest_by(claim, sources.published(), index)


def written_for(claim: Claim, target: str | None, current: Version | None = None) -> Version | None:
    """Of the releases that a consumer declares to support, the one to compare a target with.

    Outside the declared range that is the end nearest to the target. Inside it, where the range is bounded above, the
    far end, so that the claim is audited over its whole width. Where it is not, no release marks its end; the one
    that was current when the consumer was published stands for it, since none later can have been tried. None where
    nothing tells: without any bound, the lowest release is nobody's claim.

    Args:
        claim: What the consumer declares.
        target: The version to run on; None or no version for one that is newer than all.
        current: The newest declared release when the consumer was published, where that is known.
    """
    ordered = claim.versions
    lowest = ordered[0] if claim.begins or claim.ends else None
    try:
        wanted = Version(target) if target else None
    except InvalidVersion:
        wanted = None
    if not claim.ends:
        if current is not None and current != wanted and (wanted is None or wanted >= ordered[0]):
            return current
        if wanted is not None:
            return lowest
    if wanted is None or wanted > ordered[-1]:
        return ordered[-1]
    if wanted <= ordered[0]:
        return ordered[0] if wanted < ordered[0] else ordered[-1]
    return ordered[0]


def newest_by(claim: Claim, moment: datetime | None, index: PackageIndex) -> Version | None:
    """The newest claimed release that had been published at a moment; None where the index tells no upload times."""
    if moment is None:
        return None
    from auditor.packages.versions import releases

    published = releases(index.files(claim.name))
    known = [v for v in claim.versions if any(f.uploaded is not None and f.uploaded <= moment for f in published[v])]
    return known[-1] if known else None


def _published(spec: str, index: PackageIndex) -> tuple[Version, ...]:
    return tuple(map(Version, find_versions(spec, index=index)))


def _public(versions: str) -> str:
    """A specifier without labels of local builds (`==1.0+cpu`): the index has the release that they are builds of."""
    return str(SpecifierSet(_LOCAL.sub("", versions)))


def _operators(specifier: SpecifierSet) -> set[str]:
    return {each.operator for each in specifier}


def _stated(lines: Sequence[str], name: str) -> dict[str, list[str]]:
    """The versions that the requirements of a project allow, by extra ("" for what always holds).

    Loading `packaging.requirements` would take longer.
    """
    found: dict[str, list[str]] = {}
    for line in lines:
        match = _REQUIREMENT.fullmatch(line)
        if match is not None and normalise(match["name"]) == name:
            with contextlib.suppress(InvalidSpecifier):
                extra = _EXTRA.search(line.partition(";")[2])
                found.setdefault(extra[1] if extra else "", []).append(_public(match["versions"] or ""))
    return found
