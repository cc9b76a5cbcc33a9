"""Where a vanished symbol went: its definition is looked for in the target release, near its old place first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Protocol, runtime_checkable

import msgspec

from auditor.api import Reexport
from auditor.binding import render
from auditor.model import Signature
from auditor.sides import Side
from auditor.world.calls import callee
from auditor.world.trees import Tree
from auditor.world.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    Missing,
    ModuleValue,
    UnknownValue,
    Value,
    alternatives,
)


@runtime_checkable
class Searchable(Tree, Protocol):
    """A tree whose sources can be searched."""

    def module_names(self) -> Sequence[str]:
        """All modules."""

    def search(self, word: str, pattern: str, near: str, *, everywhere: bool = True) -> Iterator[tuple[str, str]]:
        """Modules whose source matches an expression, which holds `word`: (name, source), nearest to a module first."""

    def matches(self, modules: Iterable[str], word: str, pattern: str) -> bool:
        """Whether the source of one of some modules matches an expression, each match of which holds `word`."""

    def mentioning(self, modules: Iterable[str], names: Set[str]) -> Mapping[str, Sequence[str]]:
        """Those of some modules that define functions of these names or use such members of `self`, with the names."""

    def rings(self, near: str, *, everywhere: bool) -> Iterator[Sequence[str]]:
        """The modules in stages: the package around a module, its parents, then the whole release."""

    def recalled(self, question: str, modules: Sequence[str], answer: Callable[[Mapping[str, bytes]], bytes]) -> bytes:
        """What is answered to a question about the sources of some modules, worked out once for a content."""


_ALIKE = 0.4
"""How alike two definitions must be for one to be the other's new place."""


class Whereabouts(msgspec.Struct, frozen=True):
    """What is known of a symbol's new place."""

    paths: tuple[str, ...] = ()
    """Dotted paths in the new release, the best first; one means that it is settled."""
    same_shape: bool = False
    notes: tuple[str, ...] = ()
    old_signature: Signature | None = None
    new_signature: Signature | None = None
    unfixed: str | None = None


def whereabouts(path: str, old: Side, new: Side) -> Whereabouts:
    """Look for the symbol `path` of the old release in the new one."""
    was = old.world.resolve(path)
    signature = describe(old, was)
    if isinstance(was, ModuleValue):
        return _module(path, new)
    if isinstance(was, Missing):
        return Whereabouts(unfixed="what it was is not known")
    definition_path = _definition(was) or path
    name = path.rpartition(".")[2]
    defined_as = definition_path.rpartition(".")[2]
    tree = new.world.tree(path)
    if not isinstance(tree, Searchable):
        return Whereabouts(old_signature=signature, unfixed="the new release cannot be searched")
    near = definition_path.rpartition(".")[0] or path
    found = list(dict.fromkeys(_search(tree, new, defined_as if defined_as.isidentifier() else name, near, was)))
    if not found:
        return Whereabouts(old_signature=signature, unfixed=f"no definition of `{name}` in the new release")
    ranked = sorted(found, key=lambda p: -_likeness(was, new.world.resolve(p), old, new))
    best = _likeness(was, new.world.resolve(ranked[0]), old, new)
    if best < _ALIKE:
        return Whereabouts(
            notes=(f"another `{name}` is defined in `{ranked[0].rpartition('.')[0]}`, but it is not like it",),
            old_signature=signature,
            unfixed=f"no definition like `{name}` in the new release",
        )
    second = _likeness(was, new.world.resolve(ranked[1]), old, new) if len(ranked) > 1 else 0.0
    settled = len(ranked) == 1 or best - second > 0.25
    chosen = (_public(ranked[0], new),) if settled else tuple(ranked[:5])
    return Whereabouts(
        chosen,
        same_shape=settled and best >= 0.75,
        old_signature=signature,
        new_signature=describe(new, new.world.resolve(ranked[0])) if settled else None,
        unfixed=None if settled else f"{len(ranked)} definitions of `{name}` come into question",
    )


def _module(path: str, new: Side) -> Whereabouts:
    name = path.rpartition(".")[2]
    tree = new.world.tree(path)
    names = tree.module_names() if isinstance(tree, Searchable) else ()
    found = [m for m in names if m.rpartition(".")[2] == name and m != path]
    if len(found) == 1:
        return Whereabouts((found[0],), same_shape=False)
    return Whereabouts(tuple(found[:3]), unfixed="the module has no single successor")


def _search(tree: Searchable, new: Side, name: str, near: str, was: Value) -> Iterator[str]:
    escaped = re.escape(name)
    pattern = rf"^[ \t]*(?:class|def|async[ \t]+def)[ \t]+{escaped}\b|^{escaped}[ \t]*(?::[^=\n]*)?="
    for module, _ in tree.search(name, pattern, near):
        api = new.world.module(module)
        if api is None or name not in api.names or isinstance(api.names[name][-1], Reexport):
            continue
        if _is_private(module) and not _is_private(near):
            continue  # nobody is sent from a public name to a private module
        if _same_kind(was, new.world.global_name(module, name, strict=True)):
            yield f"{module}.{name}"


def _is_private(module: str) -> bool:
    return any(part.startswith("_") for part in module.split("."))


def _same_kind(was: Value, now: Value) -> bool:
    if isinstance(was, ClassValue):
        return isinstance(now, ClassValue)
    if isinstance(was, FunctionValue):
        return isinstance(now, FunctionValue)
    return not isinstance(now, ClassValue | FunctionValue) or isinstance(was, UnknownValue)


def _definition(value: Value) -> str | None:
    match value:
        case ClassValue(ref):
            return ref.path
        case FunctionValue(path=path):
            return path
        case _:
            return None


def _public(path: str, new: Side) -> str:
    """The shortest package that re-exports the definition and lists it in `__all__`, else its own module."""
    parts = path.split(".")
    name = parts[-1]
    target = new.world.resolve(path)
    for count in range(2, len(parts) - 1):
        package = ".".join(parts[:count])
        api = new.world.module(package)
        if (
            api is not None
            and api.exports
            and name in api.exports
            and new.world.global_name(package, name, strict=True) == target
        ):
            return f"{package}.{name}"
    return path


def _likeness(was: Value, now: Value, old: Side, new: Side) -> float:
    """How alike two definitions are: their parameters, or their members."""
    if isinstance(was, ClassValue) and isinstance(now, ClassValue):
        return _overlap(set(member_names(old, was)), set(member_names(new, now)))
    if isinstance(was, FunctionValue) and isinstance(now, FunctionValue):
        a, b = {p.name for p in was.api.parameters}, {p.name for p in now.api.parameters}
        return 1.0 if not a and not b else _overlap(a, b)
    return 0.8 if type(was) is type(now) else 0.3


def _overlap(a: set[str], b: set[str]) -> float:
    if not a and not b:
        return 1.0
    return len(a & b) / max(1, len(a | b)) * 0.5 + len(a & b) / max(1, len(a)) * 0.5


def member_names(side: Side, owner: Value) -> list[str]:
    """Names of the members of a module, class or instance, inherited ones included."""
    names: dict[str, None] = {}
    for value in alternatives(owner):
        if isinstance(value, ModuleValue):
            api = side.world.module(value.name)
            names.update(dict.fromkeys((*api.names, *api.lazy) if api is not None else ()))
        elif isinstance(value, ClassValue | InstanceValue):
            for cls in value.ref.classes():
                names.update(dict.fromkeys((*cls.api.members, *cls.api.instance)))
    return list(names)


def describe(side: Side, value: Value) -> Signature | None:
    """The signature of a definition, for people."""
    value = alternatives(value)[0]
    if isinstance(value, FunctionValue):
        return Signature(
            render(value.path.rsplit(".", 1)[-1], value.api.parameters, value.api.returns), value.module, value.api.line
        )
    if isinstance(value, ClassValue):
        found = callee(side.world, value)
        if found is not None:
            return side.signature(found)
        return Signature(f"class {value.ref.qualname}", value.ref.module, value.ref.api.line)
    return None
