"""Calls: what calling a value returns, and which signature stands behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.api import FunctionApi, Parameter
from auditor.terms import Call, Constant
from auditor.world import externals as known
from auditor.world.members import member
from auditor.world.values import (
    Alias,
    ClassValue,
    Container,
    External,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Literal,
    Options,
    PartialValue,
    UnknownValue,
    Value,
    options,
)

if TYPE_CHECKING:
    from auditor.world.world import World


def result(world: World, term: Call) -> Value:
    """The value that a call term returns."""
    function = world.evaluate(term.function)
    if isinstance(function, External):
        return _external_result(world, function.path, term)
    return returned(world, function)


def returned(world: World, function: Value) -> Value:
    """The value that calling `function` returns, whatever the arguments."""
    match function:
        case FunctionValue():
            return function_result(world, function)
        case ClassValue(ref):
            return InstanceValue(ref)
        case Options(values):
            return options([returned(world, v) for v in values if not _is_none(v)])
        case PartialValue(inner):
            return returned(world, inner)
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
        case _:
            return UnknownValue("call of an unknown value")


def _is_none(value: Value) -> bool:
    return isinstance(value, Literal) and value.type == "NoneType"


def function_result(world: World, function: FunctionValue) -> Value:
    """What a function returns: its annotation where it has one (`Self` is the receiver), else its return statements."""
    api = function.api
    value: Value = UnknownValue("return type is not annotated")
    if api.result is not None:
        if api.returns is not None and api.returns.strip("'\"").rsplit(".", 1)[-1] == "Self" and function.receiver:
            value = InstanceValue(function.receiver)
        else:
            value = world.evaluate(api.result)
    if function.receiver and function.owner and isinstance(value, InstanceValue) and api.is_classmethod:
        # a factory written on the base makes what it was called on, unless it names another class
        if value.ref == function.owner and api.returns is None:
            value = InstanceValue(function.receiver)
    if api.has(*known.CONTEXT_DECORATORS):
        from auditor.world import types

        return Container("context", (types.element(world, value),))
    if api.is_async and not api.is_generator:
        return Container("awaitable", (value,))
    return value


def called_method(world: World, value: InstanceValue) -> FunctionValue | None:
    """The method that runs when an instance is called: `__call__`, or what an outside base is known to call."""
    own = member(world, value, "__call__")
    if isinstance(own, FunctionValue):
        return own
    for base in value.ref.externals():
        if (name := known.CALLED_METHOD.get(base)) is not None:
            method = member(world, value, name)
            return method if isinstance(method, FunctionValue) else None
    return None


def _external_result(world: World, path: str, term: Call) -> Value:
    last = path.rsplit(".", 1)[-1]
    arguments = [world.evaluate(a) for a in term.positional]
    first = arguments[0] if arguments else UnknownValue("no argument")
    if path in ("typing.cast", "typing_extensions.cast") and len(arguments) == 2:
        from auditor.world import types

        return types.instantiate(world, first)
    if path in known.SAME_AS_ARGUMENT:
        return first
    if path in ("functools.partial", "functools.partialmethod"):
        return PartialValue(first, len(arguments) - 1, tuple(k for k, _ in term.keywords))
    if path in known.CONTAINER_OF_ARGUMENT and arguments:
        from auditor.world import types

        return Container(
            known.CONTAINER_OF_ARGUMENT[path], (types.element(world, arguments[-1] if last in ("filter",) else first),)
        )
    if path in known.ELEMENT_OF_ARGUMENT and arguments:
        from auditor.world import types

        return types.element(world, first)
    if path == "builtins.enumerate" and arguments:
        from auditor.world import types

        return Container(
            "iterator", (Container("tuple", (ExternalInstance("builtins.int"), types.element(world, first))),)
        )
    if path == "builtins.zip" and arguments:
        from auditor.world import types

        return Container("iterator", (Container("tuple", tuple(types.element(world, a) for a in arguments)),))
    if path == "builtins.getattr" and len(term.positional) >= 2:
        name = term.positional[1]
        if isinstance(name, Constant) and name.type == "str":
            found = member(world, first, name.text[1:-1])
            return found if len(term.positional) == 2 else UnknownValue("getattr with a default")
    if path == "builtins.type" and len(arguments) == 1:
        return ClassValue(first.ref) if isinstance(first, InstanceValue) else UnknownValue("type of an unknown value")
    if path == "importlib.import_module" and isinstance(first, Literal):
        return world.resolve(first.text[1:-1])
    if path == "types.MethodType" and isinstance(first, FunctionValue):
        return FunctionValue(first.api, first.module, first.path, first.owner, bound=True, receiver=first.receiver)
    if path in ("asyncio.run", "asyncio.get_event_loop.run_until_complete") and arguments:
        from auditor.world import types

        return types.awaited(world, first)
    if path in ("asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield"):
        return first
    if path in ("typing.TypeVar", "typing_extensions.TypeVar"):
        return Literal("TypeVar", "")
    if last[:1].isupper():
        return ExternalInstance(path)
    return UnknownValue(f"result of {path}")


@dataclass(frozen=True, slots=True)
class Callee:
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


def callee(world: World, value: Value) -> Callee | None:
    """The signature behind a callable value; None where reading cannot tell."""
    match value:
        case FunctionValue(api=api, module=module, path=path, bound=bound):
            if api.is_property:
                return None
            from auditor.binding import drop_first

            parameters = drop_first(api.parameters) if bound else api.parameters
            return Callee(path, tuple(parameters), api, module, api.line, "function", value)
        case ClassValue(ref):
            from auditor.provider.constructors import constructor

            made = constructor(ref)
            if made is None:
                return None
            owner = made.owner
            line = made.function.line if made.function else owner.api.line
            return Callee(ref.path, made.parameters, made.function, owner.module, line, made.kind, value)
        case InstanceValue():
            method = called_method(world, value)
            return callee(world, method) if method is not None else None
        case PartialValue(inner, positional, keywords):
            found = callee(world, inner)
            if found is None:
                return None
            rest = tuple(
                p
                if p.name not in keywords
                else Parameter(p.name, "keyword-only", p.default or "...", p.annotation, p.type)
                for p in found.parameters[positional:]
            )
            return Callee(found.path, rest, found.function, found.module, found.line, found.kind, value)
        case _:
            return None
