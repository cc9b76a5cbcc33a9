"""Does the consumer use a reply in a way that the new reply no longer serves?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from auditor.api import FunctionApi
from auditor.checks._protocols import lost_protocol
from auditor.checks._shapes import lengths, other_shape
from auditor.findings import call_finding
from auditor.model import Finding, Severity, Usage, Use
from auditor.sides import Side
from auditor.world.calls import Callee, returned
from auditor.world.values import (
    Container,
    FunctionValue,
    InstanceValue,
    Literal,
    Options,
    UnknownValue,
    Value,
    alternatives,
)

KINDS = ("call",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a finding for the first use of a reply that a change of its shape affects."""
    before, after = old.call(use), new.call(use)
    if after.status != "fits" or before.status != "fits" or before.callee is None or after.callee is None:
        return
    was_api, now_api = before.callee.function, after.callee.function
    was, now = _awaited(old.result(use)), _awaited(new.result(use))
    usages = [u for u in new.usages(use) if u.how != "await"]
    told = not any(isinstance(one, UnknownValue) for one in alternatives(now))
    sizes = lengths(old.world, was), lengths(new.world, now) if told else set()
    if was_api is None or now_api is None or before.callee.kind != "function":
        verdicts: tuple[_Verdict | None, ...] = (
            _unpacked(*sizes, usages, after.callee.path),  # a named tuple, made and unpacked at once
            _lost(was, now, usages, after.callee.path),
        )
    else:
        verdicts = (
            _unpacked(*sizes, usages, after.callee.path),
            _by_argument(use, was_api, now_api, usages, after.callee.path, new),
            _optional(was, now, usages, before.callee, after.callee, new),
            _lost(was, now, usages, after.callee.path),
            _of_other_shape(was, now, usages, after.callee.path),
        )
    for verdict in verdicts:
        if verdict is None:
            continue
        severity, message, label, usage, note = verdict
        finding = call_finding(
            "return-changed",
            severity,
            use,
            old,
            new,
            message,
            span=usage.span if usage is not None and usage.how != "discard" else None,
            label=label,
            confidence="high" if severity == "error" else "medium",
            notes=(note,) if note else (),
            unfixed="how the new reply should be used depends on the caller",
        )
        if finding is not None:
            yield finding
        return


_Verdict: TypeAlias = tuple[Severity, str, str, Usage | None, str]
"""Severity, message, label, the usage that it is about, and a note."""


def _awaited(value: Value) -> Value:
    return value.items[0] if isinstance(value, Container) and value.kind == "awaitable" and value.items else value


def _name(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _of_other_shape(was: Value, now: Value, usages: list[Usage], path: str) -> _Verdict | None:
    told = other_shape(was, now, usages, _name(path))
    return (*told, "") if told is not None else None


def _lost(was: Value, now: Value, usages: list[Usage], path: str) -> _Verdict | None:
    told = lost_protocol(was, now, usages, _name(path))
    return (*told, "") if told is not None else None


def _unpacked(lengths_was: set[int], lengths_now: set[int], usages: list[Usage], path: str) -> _Verdict | None:
    """A tuple of another length, unpacked."""
    if not lengths_was or not lengths_now or lengths_was == lengths_now:
        return None
    for usage in usages:
        if usage.how == "unpack" and usage.detail.isdigit():
            size = int(usage.detail)
            if size in lengths_was and size not in lengths_now:
                count = min(lengths_now)
                message = f"`{_name(path)}` returns {count} values now, {size} are unpacked"
                return "error", message, f"{count} values", usage, ""
    return None


def _by_argument(
    use: Use, was: FunctionApi, now: FunctionApi, usages: list[Usage], path: str, new: Side
) -> _Verdict | None:
    """The shape depends on an argument now, and the call passes it."""
    deciding = set(now.reply_parameters) - set(was.reply_parameters)
    if not deciding:
        return None
    binding = new.call(use).binding
    landed = set(binding.landing.values()) if binding is not None else set()
    passed = sorted(deciding & landed)
    # a loop over the reply suits a list of replies and a single reply that is a list: it says nothing
    usage = next((u for u in usages if u.how in ("subscript", "unpack")), None)
    if not passed or usage is None:
        return None
    how = {"subscript": f"indexed with `[{usage.detail}]`", "unpack": "unpacked"}[usage.how]
    message = f"with `{passed[0]}` the reply of `{_name(path)}` has another shape now, and it is {how} here"
    return "warning", message, "reply has another shape", usage, now.documented_return or ""


def _optional(was: Value, now: Value, usages: list[Usage], before: Callee, after: Callee, new: Side) -> _Verdict | None:
    """`None` became possible."""
    if isinstance(was, UnknownValue) or isinstance(now, UnknownValue) or _may_be_none(was) or not _may_be_none(now):
        return None
    if any(u.how == "none-test" for u in usages):
        return None
    if before.function is None or after.function is None or not before.function.returns or not after.function.returns:
        return None  # what an unannotated function returns is gathered from its body, which need not be all of it
    successor = _successor(before, after, new, was)
    usage = next((u for u in usages if u.how in ("subscript", "unpack", "iterate", "attribute")), None)
    name = _name(after.path)
    if successor is not None:
        message = f"`{name}` may return `None` now; `{successor}`, which is new, returns what it used to return"
        return "warning", message, "may be `None`", usage, f"`{successor}` may have to be called after it"
    if usage is not None:
        return (
            "warning",
            f"`{name}` may return `None` now, and its reply is used without a test",
            "may be `None`",
            usage,
            "",
        )
    return None


def _successor(before: Callee, after: Callee, new: Side, was: Value) -> str | None:
    """A method that is new on the same class and returns what this one returned: a second call that may be required."""
    if not isinstance(after.value, FunctionValue) or not isinstance(before.value, FunctionValue):
        return None
    owner, owner_before = after.value.receiver or after.value.owner, before.value.receiver or before.value.owner
    if owner is None or owner_before is None:
        return None
    wanted = {p for v in alternatives(was) if (p := _shown(v))}
    if not wanted:
        return None
    for cls in owner.classes():
        for name in cls.api.members:
            definition = cls.own(name)
            if not isinstance(definition, FunctionApi) or name.startswith("_") or owner_before.find(name) is not None:
                continue
            reply = _awaited(
                returned(new.world, FunctionValue(definition, cls.module, f"{cls.path}.{name}", cls, bound=True))
            )
            if wanted & {p for v in alternatives(reply) if (p := _shown(v))}:
                return name
    return None


def _shown(value: Value) -> str | None:
    if isinstance(value, InstanceValue):
        return value.ref.path.rsplit(".", 1)[-1]
    return None


def _may_be_none(value: Value) -> bool:
    values = value.values if isinstance(value, Options) else (value,)
    return any(isinstance(v, Literal) and v.type == "NoneType" for v in values) or any(
        isinstance(v, Container) and v.kind == "awaitable" and v.items and _may_be_none(v.items[0]) for v in values
    )
