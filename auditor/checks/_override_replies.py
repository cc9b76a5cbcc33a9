"""Overrides that reply as the base used to reply: nothing where it returns something now, a tuple of another length."""

from __future__ import annotations

from auditor.api import FunctionApi
from auditor.checks._kinds import inherited, override_span
from auditor.checks._shapes import lengths
from auditor.findings import use_finding
from auditor.model import Finding, Use
from auditor.sides import Side
from auditor.world.calls import returned
from auditor.world.classes import ClassRef
from auditor.world.values import Container, FunctionValue, Literal, Options, UnknownValue, Value


def override_of_another_reply(use: Use, new: Side, was: ClassRef, now: ClassRef, mine: FunctionApi) -> Finding | None:
    """A finding where the base's annotation promises another reply than before, and the override gives the old one."""
    before, after = inherited(was, mine.name), inherited(now, mine.name)
    if before is None or after is None or None in (before[1].returns, after[1].returns):
        return None
    replies = [_reply(*method) for method in (before, after, (now, mine))]
    if _is_nothing(replies[0]) and _is_something(replies[1]) and _gives_nothing(mine, replies[2]):
        words = f"returns `{after[1].returns}` now, and this override returns nothing"
    else:
        sizes = [lengths(ref.world, reply) for ref, reply in zip((was, now, now), replies, strict=True)]
        if any(len(each) != 1 for each in sizes) or sizes[0] == sizes[1] or sizes[2] != sizes[0]:
            return None
        words = f"returns {sizes[1].pop()} values now, and this override returns {sizes[2].pop()}"
    owner = after[0]
    return use_finding(
        "invalid-method-override",
        "warning",
        use,
        new,
        f"{owner.path}.{mine.name}",
        f"`{owner.qualname}.{mine.name}` {words}",
        span=override_span(use, mine.name),
        label="replies as the base used to",
        confidence="medium",
        unfixed="what the override should return only its author knows",
    )


def _reply(owner: ClassRef, function: FunctionApi) -> Value:
    """What callers get, where they await it if need be."""
    value = returned(owner.world, FunctionValue(function, owner.module, f"{owner.path}.{function.name}", owner))
    return value.items[0] if isinstance(value, Container) and value.kind == "awaitable" and value.items else value


def _is_nothing(reply: Value) -> bool:
    return isinstance(reply, Literal) and reply.type == "NoneType"


def _is_something(reply: Value) -> bool:
    """Whether `None` is no reply: an annotation names what is returned, and knows no alternative."""
    if isinstance(reply, UnknownValue):
        return reply.path != ""
    values = reply.values if isinstance(reply, Options) else (reply,)
    return not any(_is_nothing(v) for v in values)


def _gives_nothing(mine: FunctionApi, reply: Value) -> bool:
    if mine.returns is not None:
        return _is_nothing(reply)
    return not (mine.returned or mine.is_generator or mine.is_stub_body or mine.decorators)
