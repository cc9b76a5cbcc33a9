"""Does the consumer's override still accept what the base class method is called with?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.api import FunctionApi, Parameter
from auditor.binding import CallShape, bind, drop_first, render
from auditor.canonical import passes_keyword
from auditor.findings import use_finding
from auditor.model import Finding, Fix, Repair, Signature, Span, Use
from auditor.sides import Side
from auditor.world.classes import ClassRef
from auditor.world.values import ClassValue, FunctionValue

_NOT_CALLED_BY_THE_BASE = frozenset({"__init__", "__new__", "__init_subclass__", "__class_getitem__"})


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a finding for each override that fitted the old base method and does not fit the new one."""
    if use.kind == "class":
        was, now = old.value(use.term), new.value(use.term)
        if isinstance(was, ClassValue) and isinstance(now, ClassValue):
            for name, definitions in now.ref.api.members.items():
                mine = definitions[-1]
                if isinstance(mine, FunctionApi) and name not in _NOT_CALLED_BY_THE_BASE:
                    yield from _override(use, old, new, was.ref, now.ref, mine)
    elif use.kind == "patch" and use.value is not None:
        yield from _monkey_patch(use, old, new)


def _override(use: Use, old: Side, new: Side, was: ClassRef, now: ClassRef, mine: FunctionApi) -> Iterator[Finding]:
    before, after = _base_method(was, mine.name), _base_method(now, mine.name)
    if before is None:
        return
    span = next((a.span for a in use.arguments if a.name == mine.name), use.name_span or use.span)
    if after is None:
        if not now.externals() and new.provider_of(before[0].path) and _has_counterpart(before[0], new):
            finding = use_finding(
                "invalid-method-override",
                "warning",
                use,
                new,
                f"{before[0].path}.{mine.name}",
                f"`{mine.name}` overrides nothing any more: `{before[0].path}` no longer has it, so nothing calls it",
                span=span,
                label="overrides nothing",
                confidence="medium",
                unfixed="what calls the class instead cannot be told from the sources",
            )
            if finding is not None:
                yield finding
        return
    yield from compare(use, old, new, mine, before, after, span)


def _has_counterpart(ref: ClassRef, new: Side) -> bool:
    return new.world.class_(ref.path) is not None


def _base_method(ref: ClassRef, name: str) -> tuple[ClassRef, FunctionApi] | None:
    for cls in list(ref.classes())[1:]:
        own = cls.own(name)
        if own is not None:
            return (cls, own) if isinstance(own, FunctionApi) and not own.is_property else None
    return None


def compare(
    use: Use,
    old: Side,
    new: Side,
    mine: FunctionApi,
    before: tuple[ClassRef, FunctionApi],
    after: tuple[ClassRef, FunctionApi],
    span: Span,
) -> Iterator[Finding]:
    """Compare what the base was called with to what it is called with, as far as the override can take it."""
    theirs_before, theirs_after = _bound(before[1]), _bound(after[1])
    own = _bound(mine)
    if not _accepts_required(own, theirs_before):
        return  # already different before
    symbol = f"{after[0].path}.{mine.name}"
    gained = [p for p in theirs_after if not _takes(own, p) and p.name not in {q.name for q in theirs_before}]
    gained = [p for p in gained if p.kind not in ("var-positional", "var-keyword")]
    required = not _accepts_required(own, theirs_after)
    if not gained and not required:
        return
    passed = [p for p in gained if passes_keyword(new, mine.name, p.name, after[0].module)]
    severity = "error" if required or passed else "warning"
    names = ", ".join(f"`{p.name}`" for p in gained)
    if required:
        words = f"the base method is called with other arguments now: `{render(mine.name, theirs_after)}`"
    elif passed:
        words = f"`{after[0].qualname}.{mine.name}` is called with {names} now, which this override does not take"
    else:
        words = f"`{after[0].qualname}.{mine.name}` takes {names} now, which this override does not"
    finding = use_finding(
        "invalid-method-override",
        severity,  # type: ignore[arg-type]
        use,
        new,
        symbol,
        words,
        span=span,
        argument=gained[0].name if gained else None,
        label="does not take what the base takes",
        confidence="high" if severity == "error" else "medium",
        old_signature=Signature(
            render(f"{before[0].qualname}.{mine.name}", theirs_before), before[0].module, before[1].line
        ),
        new_signature=Signature(
            render(f"{after[0].qualname}.{mine.name}", theirs_after), after[0].module, after[1].line
        ),
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
    required = [p for p in theirs if p.default is None and p.kind not in ("var-positional", "var-keyword")]
    positional = [p for p in required if p.kind != "keyword-only"]
    names = tuple(p.name for p in required if p.kind == "keyword-only")
    by_position = bind(CallShape(len(positional), names), own)
    by_name = bind(CallShape(0, (*(p.name for p in positional), *names)), own)
    return by_position.fits or by_name.fits


def _takes(own: tuple[Parameter, ...], parameter: Parameter) -> bool:
    if any(p.kind == "var-keyword" for p in own) and parameter.kind != "positional-only":
        return True
    if any(p.kind == "var-positional" for p in own) and parameter.kind != "keyword-only":
        return True
    return any(p.name == parameter.name for p in own)


def _monkey_patch(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """`module.f = mine` replaces a function: it has to take what the function took."""
    was, now = old.value(use.term), new.value(use.term)
    assert use.value is not None
    mine = new.value(use.value)
    if not (isinstance(was, FunctionValue) and isinstance(now, FunctionValue) and isinstance(mine, FunctionValue)):
        return
    if now.owner is None or was.owner is None:
        owner = ClassRefLike(now.module)
    else:
        owner = now.owner
    yield from compare(
        use, old, new, mine.api, (was.owner or owner, was.api), (owner, now.api), use.name_span or use.span
    )  # type: ignore[arg-type]


class ClassRefLike:
    """A module in the place of a class, for functions that belong to none."""

    def __init__(self, module: str) -> None:
        self.path = module
        self.module = module
        self.qualname = module.rsplit(".", 1)[-1]
