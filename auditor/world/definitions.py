"""What a definition found in a module or class stands for: functions, classes, re-exports and attributes as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.api import AttributeApi, ClassApi, Definition, FunctionApi, Reexport
from auditor.terms import Constant
from auditor.world.values import (
    TYPE_VARIABLE,
    Alias,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Literal,
    Missing,
    Options,
    UnknownValue,
    Value,
    alternatives,
    options,
)

if TYPE_CHECKING:
    from auditor.world.world import World

LOST = "re-export that cannot be followed"
"""Why nothing is known of an import whose target does not exist."""
_DOUBTFUL = ("attribute of a missing name", "call of a missing name", "annotation names something missing")
"""Reasons that would say of a release that it lacks what its own code uses: reading fell short there."""


def define(world: World, module: str, definition: Definition, qualifier: str = "") -> Value:
    """The value of a definition found in the scope of `module` (inside the class `qualifier`, if any)."""
    prefix = f"{qualifier}." if qualifier else ""
    match definition:
        case FunctionApi(name=name):
            return FunctionValue(definition, module, f"{module}.{prefix}{name}")
        case ClassApi(name=name):
            return ClassValue(world.class_ref(definition, module, f"{prefix}{name}"))
        case Reexport(path=path):
            value = world.resolve(path)
            if isinstance(value, Missing):  # the provider's own import: taken at its word
                return UnknownValue(LOST, path)
            return value
        case AttributeApi(name=name):
            return attribute(world, definition, f"{module}.{prefix}{name}")


def attribute(world: World, api: AttributeApi, path: str) -> Value:
    """The value of an attribute: what is assigned where that is telling, else what its annotation says."""
    value = _assigned(world, api, path)
    if api.type is not None and (isinstance(value, UnknownValue | External | ExternalInstance) or api.in_init):
        declared = world.instantiate(world.evaluate(api.type))
        untold = all(isinstance(v, External | Alias | UnknownValue) for v in alternatives(declared))
        return value if untold else declared
    if isinstance(value, UnknownValue) and isinstance(api.term, Constant):
        return Literal(api.term.type, api.term.text)
    return value


def _assigned(world: World, api: AttributeApi, path: str) -> Value:
    """What is assigned; a literal, or nothing at all, is no more telling than what cannot be read."""
    unread = UnknownValue("value not read", path)
    if api.term is None:
        return unread
    found = world.evaluate(api.term)
    if isinstance(found, Options):
        found = options([v for v in found.values if not isinstance(v, UnknownValue)] or [unread])
    if isinstance(found, UnknownValue) and found.reason not in _DOUBTFUL:
        return UnknownValue(found.reason, path)
    told = not isinstance(found, UnknownValue | Missing | Literal) or found == TYPE_VARIABLE
    return found if told else unread
