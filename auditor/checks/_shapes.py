"""Replies that are of another shape: a list that became a dict, a dict that became a list, and how that is noticed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from auditor.model import Severity, Usage
from auditor.world.calls import callee
from auditor.world.values import ClassValue, Container, ExternalInstance, InstanceValue, Keys, Value, alternatives
from auditor.world.world import World

Told: TypeAlias = tuple[Severity, str, str, Usage]
"""Severity, message, label, and the usage that it is about."""

_POSITION = re.compile(r"-?\d+\Z|[^'\"{(]*:[^'\"]*\Z")
_KEY = re.compile(r"f?['\"]")
_OF_LISTS = frozenset(dir(list)) - frozenset(dir(dict))
_OF_DICTS = frozenset(dir(dict)) - frozenset(dir(list))


def other_shape(was: Value, now: Value, usages: Sequence[Usage], name: str) -> Told | None:
    """What is said of the first use of a list that is a dict now, or of a dict that is a list now."""
    before, after = _shape(was), _shape(now)
    if before is None or after is None or before == after:
        return None
    start = f"`{name}` returns a {'dict' if after == 'mapping' else 'list or tuple'} now"
    for usage in usages:
        match usage.how:
            case "subscript" if after == "mapping" and _POSITION.match(usage.detail) and _keys(now) != "int":
                severity: Severity = "error" if _keys(now) == "str" else "warning"
                return severity, f"{start}, and `[{usage.detail}]` is a position here", "a dict now", usage
            case "subscript" if after == "items" and _KEY.match(usage.detail):
                return "error", f"{start}, which cannot be indexed with `[{usage.detail}]`", "no dict any more", usage
            case "attribute" if usage.detail in (_OF_LISTS if after == "mapping" else _OF_DICTS):
                return "error", f"{start}, which has no `{usage.detail}`", f"no `{usage.detail}`", usage
            case "iterate" | "unpack":
                what = "the keys" if after == "mapping" else "the items, no longer the keys"
                return (
                    "warning",
                    f"{start}, and what is iterated over are {what}",
                    "iterates over something else",
                    usage,
                )
            case _:
                pass
    return None


def _shape(value: Value) -> str | None:
    shapes = {_single(one) for one in alternatives(value)}
    return shapes.pop() if len(shapes) == 1 else None


def _single(value: Value) -> str | None:
    match value:
        case Keys() | Container("dict") | ExternalInstance("builtins.dict"):
            return "mapping"
        case Container("list" | "tuple" | "sequence") | ExternalInstance("builtins.list" | "builtins.tuple"):
            return "items"
        case _:
            return None


def _keys(value: Value) -> str:
    """The type of a dict's keys, as far as it is known."""
    kinds = set()
    for one in alternatives(value):
        match one:
            case Keys():
                kinds.add("str")
            case Container("dict", (ExternalInstance(path), _)):
                kinds.add(path.rpartition(".")[2])
            case _:
                kinds.add("")
    return kinds.pop() if len(kinds) == 1 else ""


def lengths(world: World, value: Value) -> set[int]:
    """How many values may be unpacked: those of tuples, and the fields of named ones."""
    found = set()
    for one in alternatives(value):
        if isinstance(one, Container) and one.kind == "tuple":
            found.add(len(one.items))
        elif isinstance(one, InstanceValue):
            made = callee(world, ClassValue(one.ref))
            if made is not None and made.kind == "namedtuple":
                found.add(len(made.parameters))
    return found
