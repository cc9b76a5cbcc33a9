"""Binds a call to a signature, with what decorators excuse and what `**kwargs` passes on to others that refuse it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from auditor.api import Decorator, Forward, FunctionApi, Parameter
from auditor.binding import BindError, Binding, CallShape, bind, bind_overloads, drop_first
from auditor.provider.snapshot import Snapshot
from auditor.terms import Member
from auditor.world.calls import Callee, callee
from auditor.world.values import ClassValue, FunctionValue, InstanceValue, SuperValue, Value, alternatives
from auditor.world.world import World

_MAX_HOPS = 5
"""How many functions a keyword is followed through."""
_SHIFTING = ("positional", "keyword_only", "kwonly")
"""What decorators that deal with positional arguments have in their names."""


class Fit(msgspec.Struct, frozen=True):
    """How a call binds to a signature."""

    binding: Binding
    errors: tuple[BindError, ...]
    """Those that nothing excuses."""
    overloads: tuple[FunctionApi, ...] = ()
    """The overloads that accept the call, where there are any: the first says what is returned."""
    by_overload: bool = False
    """The parameters are an overload's, too: there is no implementation to bind against."""
    refusers: tuple[tuple[str, Callee], ...] = ()
    """Keywords that `**kwargs` passes on, and who refuses them."""


def fit(world: World, shape: CallShape, found: Callee) -> Fit:
    """Who lands where, and the errors that nothing excuses."""
    function = found.function
    binding = bind(shape, found.parameters)
    overloads: tuple[FunctionApi, ...] = ()
    by_overload = False
    if function is not None and function.overloads:
        signatures = [_trimmed(found, each.parameters) for each in function.overloads]
        accepting, chosen = bind_overloads(shape, signatures)
        overloads = tuple(function.overloads[index] for index in accepting)
        by_overload = _is_uninformative(function)
        binding = chosen if by_overload else binding
    # a keyword that is passed only sometimes is one that nobody takes, if nobody does
    sure = [e for e in binding.errors if not (e.sometimes and e.kind == "multiple-values")]
    errors = tuple(e for e in sure if not _excused(world, e, function))
    refusers = tuple(_refusers(world, binding, found))
    refused = (BindError("unknown-argument", name, _refusal(name, by, found)) for name, by in refusers)
    return Fit(binding, (*errors, *refused), overloads, by_overload, refusers)


def _refusal(name: str, by: Callee, found: Callee) -> str:
    if by.path == found.path:
        return f"raises where `{name}` is left in its keywords"
    return f"passes `{name}` on to `{_last(by.path)}`, which has no such parameter"


def _last(path: str) -> str:
    return path.removesuffix(".__init__").rsplit(".", 1)[-1]


def _is_uninformative(function: FunctionApi) -> bool:
    """A stub has overloads only; an implementation of `*args, **kwargs` says nothing."""
    if any(each.parameters == function.parameters and each.line == function.line for each in function.overloads):
        return True
    kinds = {p.kind for p in function.parameters if p.name not in ("self", "cls")}
    return kinds <= {"var-positional", "var-keyword"}


def _trimmed(found: Callee, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The parameters of an overload without the one that is already filled."""
    value = found.value
    bound = isinstance(value, ClassValue | InstanceValue) or (isinstance(value, FunctionValue) and value.bound)
    return drop_first(parameters) if bound else parameters


def _excused(world: World, error: BindError, function: FunctionApi | None) -> bool:
    """A decorator that still takes the old name (as `deprecate_kwarg` does), fills an argument, or shifts them."""
    name = str(error.argument)
    for decorator in function.decorators if function is not None else ():
        text = decorator.text
        quoted = f"'{name}'" in text or f'"{name}"' in text
        match error.kind:
            case "unknown-argument":
                excused = quoted or f"{name}=" in text or _deals_with(world, decorator, name)
            case "missing-argument":
                excused = quoted
            case "too-many-positional-arguments":
                excused = any(word in text.lower() for word in _SHIFTING)
            case _:
                excused = False
        if excused:
            return True
    return False


def _deals_with(world: World, decorator: Decorator, name: str) -> bool:
    """Whether the module that defines a decorator names a keyword in quotes: it takes that out of the call."""
    value = world.evaluate(decorator.function)
    if not isinstance(value, FunctionValue) or not isinstance(tree := world.tree(value.module), Snapshot):
        return False
    return tree.matches([value.module], name, rf"['\"]{re.escape(name)}['\"]")


def _refusers(world: World, binding: Binding, found: Callee) -> Iterator[tuple[str, Callee]]:
    """Keywords swallowed by `**kwargs` that every callee they are passed on to refuses, and the last callee."""
    for key in binding.swallowed:
        if key[0] == "keyword" and takes(world, found, key[1]) is False:
            yield key[1], _refuser(world, found, key[1])


def _refuser(world: World, found: Callee, name: str) -> Callee:
    for _ in range(_MAX_HOPS):
        inner = next((c for c in _passed_to(world, found) if takes(world, c, name) is False), None)
        if inner is None:
            break
        found = inner
    return found


def receivers(world: World, found: Callee, hops: int = 0) -> Iterator[Callee]:
    """The callables that the keywords of a call may come to, through the `**kwargs` of one after the other."""
    for inner in _passed_to(world, found) if hops < _MAX_HOPS else ():
        yield inner
        yield from receivers(world, inner, hops + 1)


def _passed_to(world: World, found: Callee) -> Iterator[Callee]:
    """The callables to which a function passes its `**kwargs` on."""
    for forward in found.function.forwards if found.function is not None else ():
        if forward.passes_kwargs:
            target = _target(world, found, forward)
            yield from (c for v in alternatives(target) if (c := callee(world, v)) is not None)


def _target(world: World, found: Callee, forward: Forward) -> Value:
    """What a method calls: what `self` and `super()` lead to depends on the class of the object, not on its own."""
    term, value = forward.function, found.value
    receiver = value.ref if isinstance(value, ClassValue | InstanceValue) else getattr(value, "receiver", None)
    if receiver is None or not isinstance(term, Member):
        return world.evaluate(term)
    of = world.evaluate(term.of)
    if isinstance(of, SuperValue):
        of = SuperValue(of.ref, receiver)
    elif isinstance(of, InstanceValue) and of.ref in receiver.mro():
        of = InstanceValue(receiver)
    return world.member(of, term.name)


def takes(world: World, found: Callee, name: str, hops: int = 0) -> bool | None:
    """Whether a callable accepts a keyword: as a parameter, or by its `**kwargs`; None where that cannot be told."""
    if any(p.name == name and p.kind in ("positional-or-keyword", "keyword-only") for p in found.parameters):
        return True
    if not any(p.kind == "var-keyword" for p in found.parameters):
        return False
    function = found.function
    if function is None:
        return None
    if name in function.kwargs_keys:
        return True
    verdicts: list[bool | None] = []
    for forward in function.forwards if hops <= _MAX_HOPS else ():
        if not forward.passes_kwargs:
            continue
        if name in forward.keywords:
            return False
        target = _target(world, found, forward)
        inner = next((c for v in alternatives(target) if (c := callee(world, v)) is not None), None)
        verdicts.append(takes(world, inner, name, hops + 1) if inner is not None else None)
    if any(v is True for v in verdicts):
        return True
    return False if (verdicts or function.refuses_rest) and all(v is False for v in verdicts) else None
