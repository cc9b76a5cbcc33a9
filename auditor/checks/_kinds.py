"""Overrides that are of another kind than what they override: method and property, coroutine function and plain one."""

from __future__ import annotations

from auditor.api import FunctionApi
from auditor.findings import use_finding
from auditor.model import Finding, Span, Use
from auditor.sides import Side
from auditor.world.calls import returned
from auditor.world.classes import ClassRef
from auditor.world.values import Container, FunctionValue, UnknownValue


def override_span(use: Use, name: str) -> Span:
    """Where the consumer's class defines a method."""
    return next((a.span for a in use.arguments if a.name == name), use.name_span or use.span)


def override_of_another_kind(use: Use, new: Side, was: ClassRef, now: ClassRef, mine: FunctionApi) -> Finding | None:
    """A finding where the override was of the kind of the base's member, and that became another."""
    before, after = inherited(was, mine.name), inherited(now, mine.name)
    if before is None or after is None:
        return None
    owner, function = before
    owner_now, function_now = after
    name = f"{owner_now.qualname}.{mine.name}"
    if function.is_property != function_now.is_property:
        if mine.is_property != function.is_property or function_now.has("setter", "deleter"):
            return None
        words = f"`{name}` is a {_kind(function_now)} now, and this override is a {_kind(mine)}"
    elif not function.is_property:
        kinds = [_awaited(*each) for each in (before, after, (now, mine))]
        if None in kinds or kinds[0] == kinds[1] or kinds[2] != kinds[0]:
            return None
        words = (
            f"`{name}` is a coroutine function now and is awaited, which this override is not made for"
            if kinds[1]
            else f"`{name}` is no longer a coroutine function, so nothing awaits this override"
        )
    else:
        return None
    return use_finding(
        "invalid-method-override",
        "error",
        use,
        new,
        f"{owner.path}.{mine.name}",
        words,
        span=override_span(use, mine.name),
        label=f"a {_kind(function_now)} in the base now",
        confidence="medium",
        unfixed="the override has to become what the base's member is",
    )


def inherited(ref: ClassRef, name: str) -> tuple[ClassRef, FunctionApi] | None:
    """The method or property that a method of this class overrides, with the class that has it."""
    for cls in list(ref.classes())[1:]:
        own = cls.own(name)
        if own is not None:
            return (cls, own) if isinstance(own, FunctionApi) else None
    return None


def _awaited(owner: ClassRef, function: FunctionApi) -> bool | None:
    """Whether callers await what a method returns; None where that cannot be told."""
    if function.is_async:
        return None if function.is_generator or "Async" in (function.returns or "") else True
    if function.decorators and not function.has("abstractmethod", "override", "final", "classmethod", "staticmethod"):
        return None
    result = returned(owner.world, FunctionValue(function, owner.module, f"{owner.path}.{function.name}", owner))
    if isinstance(result, Container):
        return result.kind == "awaitable" or None
    if function.returns is None and isinstance(result, UnknownValue) and not function.is_stub_body:
        return None if function.returned else False
    return False


def _kind(function: FunctionApi) -> str:
    if function.is_property:
        return "property"
    return "coroutine function" if function.is_async else "method"
