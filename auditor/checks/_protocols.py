"""Replies used in ways that their new type does not serve: `with`, `for`, `[]`, `len()`, methods of builtin types."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Literal, TypeAlias

from auditor.model import Usage
from auditor.world.values import (
    Container,
    ExternalInstance,
    InstanceValue,
    Keys,
    Value,
    alternatives,
)
from auditor.world.values import (
    Literal as Plain,
)

Told: TypeAlias = tuple[Literal["error"], str, str, Usage]
"""Severity, message, label, and the usage that it is about."""

_NEEDED = {
    ("subscript", ""): (("__getitem__",), "cannot be indexed"),
    ("iterate", ""): (("__iter__", "__getitem__"), "cannot be iterated over"),
    ("iterate", "async"): (("__aiter__",), "cannot be iterated over with `async for`"),
    ("unpack", ""): (("__iter__", "__getitem__"), "cannot be unpacked"),
    ("context", ""): (("__enter__",), "cannot be entered by `with`"),
    ("context", "async"): (("__aenter__",), "cannot be entered by `async with`"),
    ("argument", "len"): (("__len__",), "has no `len()`"),
}
"""Syntax -> the special methods of which it needs one, and what is said where there is none."""
_TYPES = {"list": list, "sequence": tuple, "tuple": tuple, "dict": dict, "set": set}
_OWN = {
    "iterator": frozenset({"__iter__", "__next__"}),
    "awaitable": frozenset({"__await__"}),
    "context": frozenset({"__enter__"}),
    "async-context": frozenset({"__aenter__"}),
    "callable": frozenset({"__call__"}),
}


def lost_protocol(was: Value, now: Value, usages: Sequence[Usage], name: str) -> Told | None:
    """What is said of the first usage whose special method the old reply had and no new reply has."""
    for usage in usages:
        detail = usage.detail if usage.how in ("iterate", "context", "argument") else ""
        methods, words = _NEEDED.get((usage.how, detail), ((), ""))
        before = alternatives(was)
        if usage.how == "attribute" and not hasattr(
            object, usage.detail
        ):  # of objects of classes `unresolved-attribute` speaks
            methods, words = (usage.detail,), f"has no `{usage.detail}`"
            before = tuple(one for one in before if isinstance(one, ExternalInstance | Plain))
        if not methods or not any(_provides(one, methods) for one in before):
            continue
        after = alternatives(now)
        if all(_provides(one, methods) is False for one in after):
            shown = _shown(after[0])
            told = f"`{name}` returns {shown} now, which {words}" if shown != f"`{name}`" else f"a {shown} {words} now"
            return "error", told, f"{shown} now", usage
    return None


def _provides(value: Value, methods: Sequence[str]) -> bool | None:
    """Whether a value's type has one of the special methods; None where that cannot be told."""
    match value:
        case InstanceValue(ref):
            is_open = ref.externals() or (not methods[0].startswith("__") and ref.find("__getattr__"))
            return True if any(ref.find(name) for name in methods) else None if is_open else False
        case Container("iterator") if "__aiter__" in methods:
            return None  # of generators, plain or not, `async-changed` speaks
        case Container(kind) if kind in _OWN:
            return any(name in _OWN[kind] for name in methods)
        case Container(kind) if kind in _TYPES:
            return any(hasattr(_TYPES[kind], name) for name in methods)
        case Keys():
            return any(hasattr(dict, name) for name in methods)
        case ExternalInstance(path) | Plain(type=path) if path.startswith("builtins.") or "." not in path:
            known = getattr(builtins, path.removeprefix("builtins."), None)
            return None if known is None or known is object else any(hasattr(known, name) for name in methods)
        case _:
            return None


def _shown(value: Value) -> str:
    match value:
        case InstanceValue(ref):
            return f"`{ref.qualname}`"
        case ExternalInstance(path):
            return f"`{path.rpartition('.')[2]}`"
        case Container("context"):
            return "a context manager"
        case Container("async-context"):
            return "an asynchronous context manager"
        case Container(kind):
            return f"`{kind}`" if kind in _TYPES else f"another object ({kind})"
        case _:
            return "another object"
