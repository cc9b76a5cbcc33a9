"""Does the consumer's override still accept what the base class method is called with?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from auditor.api import FunctionApi, Parameter
from auditor.binding import CallShape, bind, drop_first, render
from auditor.canonical import passes_keyword
from auditor.checks._kinds import override_of_another_kind, override_span
from auditor.checks._override_replies import override_of_another_reply
from auditor.findings import use_finding
from auditor.model import Confidence, Finding, Fix, Repair, Signature, Span, Use
from auditor.sides import Side
from auditor.world.classes import ClassRef
from auditor.world.values import ClassValue, FunctionValue

KINDS = ("class", "patch")
_NOT_CALLED_BY_THE_BASE = frozenset({"__init__", "__new__", "__init_subclass__", "__class_getitem__"})


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a finding for each override that fitted the old base method and does not fit the new one."""
    if use.kind == "class":
        was, now = old.value(use.term), new.value(use.term)
        if isinstance(was, ClassValue) and isinstance(now, ClassValue):
            for name, definitions in now.ref.api.members.items():
                mine = definitions[-1]
                if isinstance(mine, FunctionApi) and name not in _NOT_CALLED_BY_THE_BASE:
                    other = override_of_another_kind(use, new, was.ref, now.ref, mine)
                    if other is not None:
                        yield other
                        continue
                    signatures = list(_override(use, new, was.ref, now.ref, mine))
                    yield from signatures
                    reply = None if signatures else override_of_another_reply(use, new, was.ref, now.ref, mine)
                    if reply is not None:
                        yield reply
    else:
        yield from _monkey_patch(use, old, new)


class _Replaced(msgspec.Struct, frozen=True):
    """A method, or a function of a module, that the consumer puts its own in place of."""

    function: FunctionApi
    module: str
    owner: str
    """Dotted path of the class or module it belongs to."""
    owner_name: str
    """How people call that."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What callers pass."""
        return _bound(self.function)

    def signature(self, name: str) -> Signature:
        """Its signature under the name of what replaces it."""
        return Signature(render(f"{self.owner_name}.{name}", self.parameters), self.module, self.function.line)


def _override(use: Use, new: Side, was: ClassRef, now: ClassRef, mine: FunctionApi) -> Iterator[Finding]:
    before, after = _base_method(was, mine.name), _base_method(now, mine.name)
    if before is None:
        return
    span = override_span(use, mine.name)
    if after is not None:
        yield from _compare(use, new, mine, before, after, span)
    elif (
        all(cls.own(mine.name) is None for cls in list(now.classes())[1:])
        and set(now.externals()) <= set(was.externals()) - {""}
        and new.provider_of(before.owner)
        and new.world.class_(before.owner) is not None
    ):
        finding = use_finding(
            "invalid-method-override",
            "warning",
            use,
            new,
            f"{before.owner}.{mine.name}",
            f"`{mine.name}` overrides nothing any more: `{before.owner}` no longer has it, so nothing calls it",
            span=span,
            label="overrides nothing",
            confidence="medium",
            unfixed="what calls the class instead cannot be told from the sources",
        )
        if finding is not None:
            yield finding


def _base_method(ref: ClassRef, name: str) -> _Replaced | None:
    """The method of this name in the nearest base class, if what stands there is a method."""
    for cls in list(ref.classes())[1:]:
        own = cls.own(name)
        if isinstance(own, FunctionApi) and not own.is_property:
            return _Replaced(own, cls.module, cls.path, cls.qualname)
        if own is not None:
            return None
    return None


def _monkey_patch(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """`module.f = mine` replaces a function: it has to take what the function took."""
    was, now = old.value(use.term), new.value(use.term)
    mine = new.value(use.value) if use.value is not None else None
    if isinstance(was, FunctionValue) and isinstance(now, FunctionValue) and isinstance(mine, FunctionValue):
        yield from _compare(use, new, mine.api, _replaced(was), _replaced(now), use.name_span or use.span)


def _replaced(value: FunctionValue) -> _Replaced:
    if value.owner is not None:
        return _Replaced(value.api, value.owner.module, value.owner.path, value.owner.qualname)
    return _Replaced(value.api, value.module, value.module, value.module.rsplit(".", 1)[-1])


def _compare(
    use: Use, new: Side, mine: FunctionApi, before: _Replaced, after: _Replaced, span: Span
) -> Iterator[Finding]:
    """Compare what the replaced function was called with to what it is called with, as far as mine can take it."""
    own = _bound(mine)
    if not _accepts_required(own, before.parameters):
        return  # already different before
    known = {p.name for p in before.parameters}
    gained = [
        p
        for p in after.parameters
        if p.name not in known and p.kind not in ("var-positional", "var-keyword") and not _takes(own, p)
    ]
    required = not _accepts_required(own, after.parameters)
    if not gained and not required:
        return
    calls = {passes_keyword(new, mine.name, p.name, after.owner, after.module) for p in gained}
    passed: Confidence | None = "high" if "high" in calls else "medium" if "medium" in calls else None
    names = ", ".join(f"`{p.name}`" for p in gained)
    if required:
        words = f"the base method is called with other arguments now: `{render(mine.name, after.parameters)}`"
    elif passed:
        words = f"`{after.owner_name}.{mine.name}` is called with {names} now, which this override does not take"
    else:
        words = f"`{after.owner_name}.{mine.name}` takes {names} now, which this override does not"
    finding = use_finding(
        "invalid-method-override",
        "error" if required or passed else "warning",
        use,
        new,
        f"{after.owner}.{mine.name}",
        words,
        span=span,
        argument=gained[0].name if gained else None,
        label="does not take what the base takes",
        confidence="high" if required else passed or "medium",
        old_signature=before.signature(mine.name),
        new_signature=after.signature(mine.name),
        fix=_fix(span, gained, required=required),
        unfixed="the override has to be rewritten for the new arguments" if required else None,
    )
    if finding is not None:
        yield finding


def _fix(span: Span, gained: list[Parameter], *, required: bool) -> Fix | None:
    if required or not gained:
        return None
    repairs = tuple(
        Repair("add-parameter", span, {"name": p.name, "default": p.default if p.default is not None else "None"})
        for p in gained
    )
    return Fix(repairs, "safe", "accepts what the base accepts and goes on ignoring it")


def _bound(function: FunctionApi) -> tuple[Parameter, ...]:
    return function.parameters if function.is_static else drop_first(function.parameters)


def _accepts_required(own: tuple[Parameter, ...], theirs: tuple[Parameter, ...]) -> bool:
    """Whether a call with all of the base's required arguments reaches the override, by position or by name."""
    if theirs and all(p.kind.startswith("var-") for p in theirs):
        return True  # a base that takes everything says nothing about what it is called with
    required = [p for p in theirs if p.default is None and p.kind not in ("var-positional", "var-keyword")]
    positional = [p for p in required if p.kind != "keyword-only"]
    names = tuple(p.name for p in required if p.kind == "keyword-only")
    by_position = bind(CallShape(len(positional), names), own)
    by_name = bind(CallShape(0, (*(p.name for p in positional), *names)), own)
    # what the base merely stopped to require may well be passed as before
    relaxed = {p.name for p in theirs if p.default is not None}
    return any(
        all(e.kind == "missing-argument" and e.argument in relaxed for e in binding.errors)
        for binding in (by_position, by_name)
    )


def _takes(own: tuple[Parameter, ...], parameter: Parameter) -> bool:
    if any(p.kind == "var-keyword" for p in own) and parameter.kind != "positional-only":
        return True
    if any(p.kind == "var-positional" for p in own) and parameter.kind != "keyword-only":
        return True
    return any(p.name == parameter.name for p in own)
