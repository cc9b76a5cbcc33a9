"""Name lookup: absolute dotted paths and global names of modules, through imports, lazy tables, `*` and stubs."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.api import Reexport
from auditor.world.presets import likely
from auditor.world.values import CYCLIC, NONE, External, Missing, ModuleValue, UnknownValue, Value, options

if TYPE_CHECKING:
    from auditor.world.world import World

_BUILTINS = frozenset(dir(builtins))
_STAND_INS = (NONE, External("typing.Any"), External("builtins.object"))
"""What a name is bound to at run time where only annotations ask for it."""
_OF_EVERY_MODULE = frozenset(
    {"__file__", "__name__", "__doc__", "__path__", "__dict__", "__spec__", "__package__", "__loader__"}
)


def resolve(world: World, path: str) -> Value:
    """What an absolute dotted path names: the longest module prefix, then members."""
    if not world.owns(path):
        return External(path)
    parts = path.split(".")
    if (whole := _as_import(world, path)) is not None:
        return whole
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        if not world.has_module(module):
            continue
        value = world.global_name(module, parts[count], strict=True)
        for name in parts[count + 1 :]:
            if isinstance(value, Missing):  # what is asked of it was expected to be a module, or to be in one
                return Missing(module, ".".join(parts[count:]), "module")
            value = world.member(value, name)
        return value
    return Missing("", path, "module")


def _as_import(world: World, path: str) -> Value | None:
    """`from a import b` prefers the attribute b of a over the submodule a.b, as Python does."""
    parent, _, name = path.rpartition(".")
    if parent and world.has_module(parent):
        value = world.global_name(parent, name, strict=True)
        known = not isinstance(value, Missing | UnknownValue)
        return value if known or not world.has_module(path) else ModuleValue(path)
    return ModuleValue(path) if world.has_module(path) else None


def global_name(world: World, module: str, name: str, *, strict: bool = False) -> Value:
    """The value of a global name of a module.

    Args:
        world: The world that is asked.
        module: Dotted module name.
        name: The name.
        strict: Asked from outside (`module.name`): builtins do not count.
    """
    found = world.bound(module, name)
    if found is not None:
        if strict and _is_for_annotations(world, module, name):
            return UnknownValue("bound under TYPE_CHECKING only", f"{module}.{name}")
        return found
    if not strict and name in _BUILTINS:
        return External(f"builtins.{name}")
    api = world.module(module)
    if api is None:
        return UnknownValue("unread module")
    if world.has_module(f"{module}.{name}"):
        return ModuleValue(f"{module}.{name}")
    if api.lazy_open:
        return UnknownValue(api.problems[0]) if api.problems else _served(world, module, name)
    if name in _OF_EVERY_MODULE:
        return UnknownValue("module attribute", f"{module}.{name}")
    if not strict:
        return UnknownValue("undefined name")
    if not all(map(world.has_module, api.wildcards)):
        return UnknownValue("may come out of `import *` from a module that cannot be read")
    if not world.owns(f"{module}.{name}"):  # another distribution's part of a namespace
        return External(f"{module}.{name}")
    return Missing(module, name, "member of module")


def _served(world: World, module: str, name: str) -> Value:
    """What a module's `__getattr__` gives, where helpers of other modules have a hand in it."""
    tree, path = world.tree(module), f"{module}.{name}"
    api = tree.module(module) if tree is not None else None
    served = tree.served(module, name) if tree is not None and api is not None and "__getattr__" in api.names else None
    if served is None:
        known = api is not None and name in api.lazy
        return UnknownValue("served by module __getattr__", path) if known else UnknownValue("module __getattr__")
    if served.path is None or served.path == path:  # a submodule would have been found before
        return Missing(module, name, "member of module")
    return world.resolve(served.path) if served.path else UnknownValue("served by module __getattr__", path)


def _is_for_annotations(world: World, module: str, name: str) -> bool:
    """Whether a module binds a name under TYPE_CHECKING only: its annotations see it, importers do not."""
    api = world.module(module)
    if api is None or name in api.lazy or api.wildcards:
        return False
    definitions = api.names.get(name, ())
    if api.lazy_open and any(isinstance(d, Reexport) for d in definitions):
        return False  # what type checkers are shown of a module with a `__getattr__` is what that serves
    return bool(definitions) and not any(d.runtime for d in definitions)


def find_bound(world: World, module: str, name: str) -> Value | None:
    """What the statements of a module bind a global name to; None where they do not."""
    tree = world.tree(module)
    api = tree.module(module) if tree else None
    if tree is None or api is None:
        return None
    definitions = api.names.get(name, ())
    if name in api.conditions:
        definitions = tuple(likely(world, definitions, api.conditions[name]))
    runtime = [d for d in definitions if d.runtime]
    if runtime:
        value = options([world.define(module, d) for d in runtime])
        stands_in = value in _STAND_INS and len(runtime) < len(definitions)
        if not stands_in and (not isinstance(value, UnknownValue) or value.path == ""):
            return value
        if stands_in:  # `VllmConfig = None` beside the import that only type checkers see
            return options([world.define(module, d) for d in definitions if not d.runtime])
    if name in api.lazy:
        path = api.lazy[name] or next((d.path for d in definitions if isinstance(d, Reexport)), "")
        return world.resolve(path) if path else _served(world, module, name)
    starred = _from_stars(world, api.wildcards, module, name)
    if starred is not None and not isinstance(starred, UnknownValue):
        return starred
    if (stub := tree.stub(module)) is not None and (found := stub.names.get(name)):
        return options([world.define(module, d) for d in found])
    if starred is not None:
        return starred
    if runtime:
        return UnknownValue("value not read", f"{module}.{name}")
    if definitions:  # bound under TYPE_CHECKING only
        return options([world.define(module, d) for d in definitions])
    return None


def _from_stars(world: World, stars: Sequence[str], module: str, name: str) -> Value | None:
    """What the first `import *` that brings a name binds it to."""
    found = (_from_star(world, star, name) for star in stars if world.may_have(star, name, stars))
    return next((v for v in found if v is not None and v != UnknownValue(CYCLIC, f"{module}.{name}")), None)


def _from_star(world: World, star: str, name: str) -> Value | None:
    """What `from star import *` binds a name to."""
    source = world.module(star) if world.owns(star) else None
    if source is None or (source.exports is None and name.startswith("_")):
        return None
    if source.exports is not None and name not in source.exports:
        return None
    value = world.bound(star, name)
    if value is None and source.exports is not None and world.has_module(f"{star}.{name}"):
        return ModuleValue(f"{star}.{name}")
    return value
