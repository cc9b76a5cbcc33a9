"""Is a member used, on an object of unknown class, that the provider's classes used to have and have no more?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from zlib import crc32

from auditor.api import ClassApi
from auditor.consumer.analysis import FileAnalysis
from auditor.findings import swallowing, use_finding
from auditor.model import Confidence, Finding, Fix, Repair, Severity, Use
from auditor.portions import portion
from auditor.renames import likeness
from auditor.sides import Side
from auditor.terms import Import, Member
from auditor.whereabouts import Searchable
from auditor.world.classes import ClassRef
from auditor.world.values import ClassValue

SAMPLE = 80
"""Modules that are searched. A member that a whole family of classes lost shows in a part of the family as well."""
ENOUGH = 8
"""Classes that are compared for one name."""
_MANY = 3
_KEPT = 0.1


def check_file(analysis: FileAnalysis, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a finding for each such access in one file, with the name that took its place on the same classes."""
    wanted = _wanted(analysis, old, new)
    if not wanted:
        return
    for provider in dict.fromkeys(new.providers.values()):
        families = _families(analysis, provider, wanted.keys(), old, new)
        for name, family in families.items():
            if len(family.definers) >= _MANY and len(family.kept) <= _KEPT * len(family.definers):
                severity, confidence = _weight(analysis, family, new)
                for use in wanted[name]:
                    finding = _finding(use, name, family, new, severity, confidence)
                    if finding is not None:
                        yield finding


def foreseen(analysis: FileAnalysis, old: Side, new: Side) -> Iterator[str]:
    """The modules that are most likely looked at for one file: for each name the first that mention it."""
    wanted = _wanted(analysis, old, new)
    for package in new.providers if wanted else ():
        seen: Counter[str] = Counter()
        for module, mentioned in _mentioning(analysis, package, wanted.keys(), old, new).items():
            if any(seen[name] < ENOUGH for name in mentioned):
                seen.update(mentioned)
                yield module


class _Family:
    """The classes of the old release that define a name, and what became of them."""

    def __init__(self) -> None:
        self.definers: list[ClassRef] = []
        self.kept: list[ClassRef] = []
        self.gained: Counter[str] = Counter()

    def successor(self, name: str) -> str | None:
        """The name that most of the classes gained where they lost this one."""
        lost = len(self.definers) - len(self.kept)
        ranked = sorted(self.gained.items(), key=lambda item: (-item[1], -likeness(name, item[0])))
        best = [n for n, count in ranked if count >= 0.6 * lost]
        return max(best, key=lambda n: likeness(name, n)) if best else None


def _wanted(analysis: FileAnalysis, old: Side, new: Side) -> dict[str, list[Use]]:
    """The accesses to look into, by name; none where there is nothing to compare."""
    wanted: dict[str, list[Use]] = {}
    for use in analysis.loose if old.world is not new.world else ():
        if use.kind == "attribute" and isinstance(use.term, Member) and not _asked_for(use):
            name = use.term.name
            if not name.startswith("__") and name not in _EVERYDAY:
                wanted.setdefault(name, []).append(use)
    return wanted


def _asked_for(use: Use) -> bool:
    """Whether the consumer tests for the member before it uses it, or tests the same object for another one."""
    term = use.term
    if not isinstance(term, Member):
        return False
    return any(g.kind == "hasattr" and (g.name == term.name or g.of == term.of) for g in use.guards)


def _families(analysis: FileAnalysis, provider: str, names: Set[str], old: Side, new: Side) -> dict[str, _Family]:
    families = {name: _Family() for name in names}
    for package in (package for package, name in new.providers.items() if name == provider):
        for module, mentioned in _mentioning(analysis, package, names, old, new).items():
            if any(len(families[name].definers) < ENOUGH for name in mentioned):
                for cls in _classes(module, old):
                    _compare(cls, families, new)
    return families


def _classes(module: str, side: Side) -> Iterator[ClassRef]:
    api = side.world.module(module)
    for definitions in api.names.values() if api is not None else ():
        value = side.world.define(module, definitions[-1]) if isinstance(definitions[-1], ClassApi) else None
        if isinstance(value, ClassValue):
            yield value.ref


def _compare(cls: ClassRef, families: dict[str, _Family], new: Side) -> None:
    """What became of the wanted members of a class of the old release."""
    before = cls.api.members.keys() | cls.api.instance.keys()
    mine = [name for name in families if name in before and len(families[name].definers) < ENOUGH]
    now = new.world.class_(cls.path) if mine else None
    if now is None:
        return
    gained = (now.api.members.keys() | now.api.instance.keys()) - before
    for name in mine:
        families[name].definers.append(cls)
        if now.find(name) is not None:
            families[name].kept.append(now)
        else:
            families[name].gained.update(gained)


def _mentioning(
    analysis: FileAnalysis, package: str, names: Set[str], old: Side, new: Side
) -> Mapping[str, Sequence[str]]:
    """Modules that both releases have and that mention some names, out of a sample around those that the file imports.

    Their order depends on their names alone.
    """
    before, after = old.world.tree(package), new.world.tree(package)
    if before is after or not isinstance(before, Searchable) or not isinstance(after, Searchable):
        return {}
    shared = _shared(tuple(before.module_names()), tuple(after.module_names()))
    imported = {u.term.path for u in analysis.uses if u.kind == "import" and isinstance(u.term, Import)}
    rings = {_package(path, shared) for path in imported if portion(path, (package,))} - {package, ""}
    return before.mentioning(_around(shared, frozenset(rings)), names)


@lru_cache
def _shared(before: tuple[str, ...], after: tuple[str, ...]) -> frozenset[str]:
    """One and the same set for the same releases: what is remembered by it is found by its identity."""
    return frozenset(before) & frozenset(after)


@lru_cache
def _around(modules: frozenset[str], rings: frozenset[str]) -> list[str]:
    """A sample of the modules inside some packages; of all where none is given."""
    inside = tuple(f"{ring}." for ring in rings)
    near = [m for m in modules if m.startswith(inside)] if inside else modules
    return sorted(near, key=lambda m: crc32(m.encode()))[:SAMPLE]


def _package(path: str, modules: frozenset[str]) -> str:
    """The package that holds the module which an imported path names or lies in."""
    while path and path not in modules:
        path = path.rpartition(".")[0]
    return path if path in _packages(modules) else path.rpartition(".")[0]


@lru_cache
def _packages(modules: frozenset[str]) -> frozenset[str]:
    """All that hold some of the modules."""
    parts = [module.split(".") for module in modules]
    return frozenset(".".join(names[:depth]) for names in parts for depth in range(1, len(names)))


def _weight(analysis: FileAnalysis, family: _Family, new: Side) -> tuple[Severity, Confidence]:
    """An error where the object can hardly come from anywhere else; other libraries in the file make it a hint."""
    related = {path.split(".", 1)[0] for ref in family.definers for path in ref.externals()}
    others = set(analysis.imports) - sys.stdlib_module_names - new.tops - related - new.world.consumer_packages
    if others:
        return "info", "low"
    return ("error", "medium") if set(analysis.imports) & new.tops else ("warning", "low")


def _finding(
    use: Use, name: str, family: _Family, new: Side, severity: Severity, confidence: Confidence
) -> Finding | None:
    successor = family.successor(name)
    example = family.definers[0]
    lost = len(family.definers) - len(family.kept)
    swallowed = swallowing(use, "AttributeError")
    tail = f"; `{successor}` took its place" if successor else ""
    return use_finding(
        "vanished-member",
        "warning" if swallowed and severity == "error" else severity,
        use,
        new,
        f"{example.path}.{name}",
        f"`{name}` is gone from the provider's classes{tail}",
        label=f"`{successor}` now" if successor else "gone",
        confidence=confidence,
        notes=(f"{lost} of {len(family.definers)} classes compared lost it, `{example.qualname}` among them",),
        fix=_fix(use, name, successor),
        unfixed=None if successor else "nothing took its place on the same classes",
    )


def _fix(use: Use, name: str, successor: str | None) -> Fix | None:
    if successor is None or use.name_span is None:
        return None
    return Fix(
        (Repair("rename-attribute", use.name_span, {"name": name, "new_name": successor}),),
        "unsafe",
        f"the classes that lost `{name}` gained `{successor}`; that the object is one of them is an inference",
    )


_EVERYDAY = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float, complex, object) for name in dir(kind)
) | {"shape", "dtype", "device", "close", "read", "write", "name", "size", "item", "items", "value"}
