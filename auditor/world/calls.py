"""Calls: what calling a value returns, and which signature stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from auditor.api import FunctionApi, Parameter
from auditor.binding import drop_first
from auditor.terms import Call, Constant, Decided, Instance, Member
from auditor.world import externals as known
from auditor.world import generics, outside
from auditor.world.values import (
    NONE,
    TYPE_VARIABLE,
    Alias,
    ClassValue,
    Container,
    External,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Keys,
    Missing,
    Options,
    PartialValue,
    UnknownValue,
    Value,
    alternatives,
    options,
)

if TYPE_CHECKING:
    from auditor.world.classes import ClassRef
    from auditor.world.world import World

_MAX_HOPS = 5
"""How many functions may stand for one another."""


def result(world: World, term: Call) -> Value:
    """The value that a call term returns."""
    if (taken := _taken(world, term)) is not None:
        return taken
    function = world.evaluate(term.function)
    if isinstance(function, External):
        return outside.result(world, function.path, term)
    if isinstance(function, FunctionValue) and (same := _same_as_argument(world, function, term)) is not None:
        return same
    return world.returned(function)


def _taken(world: World, term: Call) -> Value | None:
    """What `known.get("key")`, `.pop` and `.setdefault` take out of a dict whose keys are known."""
    match term:
        case Call(Member(of, "get" | "pop" | "setdefault"), (Constant(type="str", text=text), *_)):
            known = world.evaluate(of)
            return dict(known.items).get(text[1:-1]) if isinstance(known, Keys) else None
        case _:
            return None


def _same_as_argument(world: World, function: FunctionValue, term: Call) -> Value | None:
    """What `def same(x: T) -> T` returns for what it is passed."""
    result = function.api.result
    if not isinstance(result, Instance) or world.evaluate(result.of) != TYPE_VARIABLE:
        return None
    parameters = drop_first(function.api.parameters) if function.bound else function.api.parameters
    for index, parameter in enumerate(parameters):
        if parameter.type == result.of:
            given = dict(term.keywords).get(parameter.name)
            if given is None and index < len(term.positional):
                given = term.positional[index]
            found = world.evaluate(given) if given is not None else None
            return None if isinstance(found, UnknownValue) else found
    return None


def returned(world: World, function: Value) -> Value:
    """The value that calling `function` returns, whatever the arguments."""
    match function:
        case FunctionValue():
            return function_result(world, function)
        case ClassValue(ref):
            return InstanceValue(ref)
        case Options(values):
            return options([world.returned(v) for v in values if v != NONE])
        case PartialValue(inner):
            return world.returned(inner)
        case Container("callable", items) if items:
            return items[-1]
        case InstanceValue():
            method = called_method(world, function)
            return function_result(world, method) if method is not None else UnknownValue("call of an object")
        case UnknownValue(reason):
            return UnknownValue(reason)
        case External(path):
            return UnknownValue(f"result of {path}")
        case Alias(path):
            return ExternalInstance(path)
        case Missing():
            return UnknownValue("call of a missing name")
        case _:
            return UnknownValue("call of an unknown value")


def function_result(world: World, function: FunctionValue) -> Value:
    """What a function returns: its annotation where it has one (`Self` is the receiver), else its return statements."""
    api = function.api
    value: Value = UnknownValue("return type is not annotated")
    if (decided := _by_default(world, api)) is not None:
        value = decided
    elif api.result is not None:
        receiver = function.receiver if _is_self(api) else None
        value = InstanceValue(receiver) if receiver else world.evaluate(api.result)
        if function.arguments and isinstance(api.result, Instance) and function.owner:
            value = generics.substituted(world, api.result.of, function.owner, function.arguments) or value
    makes_its_own = api.returns is None and (api.is_classmethod or isinstance(api.result, Instance))
    if makes_its_own and function.receiver and function.owner and value == InstanceValue(function.owner):
        value = InstanceValue(function.receiver)  # `return self`, `return cls()`, written on the base
    if any(isinstance(v, PartialValue) and v.function == function for v in alternatives(value)):
        return UnknownValue("a decorator that may be called with or without arguments")
    if api.has(*known.CONTEXT_DECORATORS):
        kind = "async-context" if api.has("asynccontextmanager") else "context"
        return Container(kind, (world.element(value),))
    if api.is_async and not api.is_generator:
        return Container("awaitable", (value,))
    return value


def _is_self(api: FunctionApi) -> bool:
    """Whether a method returns its receiver: `-> Self`, or `def to(self: T) -> T`."""
    if api.returns is not None and api.returns.strip("'\"").rsplit(".", 1)[-1] == "Self":
        return True
    own = api.parameters[0].type if api.parameters and not api.is_static else None
    return own is not None and api.returns is not None and api.result == Instance(own)


def _by_default(world: World, api: FunctionApi) -> Value | None:
    """What a function returns where environment variables decide it, whatever its annotation says."""
    term = api.by_default
    while isinstance(term, Decided):
        held = world.preset(term.test)
        if held is None:
            return None
        term = term.body if held else term.orelse
    value = world.evaluate(term) if term is not None else None
    return None if isinstance(value, UnknownValue) else value


def called_method(world: World, value: InstanceValue) -> FunctionValue | None:
    """The method that runs when an instance is called: `__call__`, or what an outside base is known to call."""
    own = world.member(value, "__call__")
    if isinstance(own, FunctionValue):
        return own
    for base in value.ref.externals():
        if (name := known.CALLED_METHOD.get(base)) is not None:
            method = world.member(value, name)
            return method if isinstance(method, FunctionValue) else None
    return None


class Callee(msgspec.Struct, frozen=True):
    """A signature to bind against, and what stands behind it."""

    path: str
    """Dotted path of the function, or of the class whose constructor this is."""
    parameters: tuple[Parameter, ...]
    """Without `self` or `cls`, and without what a partial fills."""
    function: FunctionApi | None
    module: str
    line: int
    kind: str
    value: Value
    owner: str = ""
    """Dotted path of the class that has the constructor, or its first fields, where the class itself inherits them."""


def callee(world: World, value: Value, hops: int = 0) -> Callee | None:
    """The signature behind a callable value; None where reading cannot tell. `hops` counts who stood for whom."""
    match value:
        case FunctionValue(api=api, module=module, path=path, bound=bound):
            if api.is_property:
                return None
            parameters = drop_first(api.parameters) if bound else api.parameters
            if api.stands_for is not None and not api.decorators and hops < _MAX_HOPS:
                inner = callee(world, world.evaluate(api.stands_for), hops + 1)
                parameters = inner.parameters if inner is not None else parameters
            return Callee(path, tuple(parameters), api, module, api.line, "function", value)
        case ClassValue(ref):
            made = world.constructor(ref)
            if made is None:
                return None
            owner = made.owner
            line = made.function.line if made.function else owner.api.line
            brought = owner.path if owner.path != ref.path else "" if made.function else _fields_of(ref)
            return Callee(ref.path, made.parameters, made.function, owner.module, line, made.kind, value, brought)
        case InstanceValue():
            method = called_method(world, value)
            return callee(world, method) if method is not None else None
        case PartialValue(inner, positional, keywords):
            found = callee(world, inner)
            if found is None:
                return None
            rest = tuple(_filled(p) if p.name in keywords else p for p in found.parameters[positional:])
            return msgspec.structs.replace(found, parameters=rest, value=value)
        case _:
            return None


def _fields_of(ref: ClassRef) -> str:
    """The first base in another package: a constructor made of fields takes those of all bases."""
    package = ref.path.partition(".")[0]
    return next((base.path for base in ref.classes() if base.path.partition(".")[0] != package), "")


def _filled(parameter: Parameter) -> Parameter:
    """A parameter that a partial gives by keyword: it can be given again, and need not be."""
    return Parameter(parameter.name, "keyword-only", parameter.default or "...", parameter.annotation, parameter.type)
