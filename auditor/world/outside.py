"""What calls of functions outside the world return, as far as the standard library's own rules say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from auditor.terms import Call, Constant
from auditor.world import externals as known
from auditor.world.values import (
    TYPE_VARIABLE,
    ClassValue,
    Container,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Literal,
    PartialValue,
    UnknownValue,
    Value,
    options,
)

if TYPE_CHECKING:
    from auditor.world.world import World

_Rule: TypeAlias = "Callable[[World, Sequence[Value], Call], Value | None]"
"""Positional arguments and the call -> its result; None where the rule says nothing of such arguments."""


def result(world: World, path: str, term: Call) -> Value:
    """The value that calling the outside function or class `path` returns."""
    arguments = [world.evaluate(a) for a in term.positional]
    if (rule := _RULES.get(path)) is not None and (found := rule(world, arguments, term)) is not None:
        return found
    if path.rsplit(".", 1)[-1][:1].isupper():
        return ExternalInstance(path)
    return UnknownValue(f"result of {path}")


def _first(_: World, arguments: Sequence[Value], __: Call) -> Value:
    return arguments[0] if arguments else UnknownValue("no argument")


def _cast(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    return world.instantiate(arguments[0]) if len(arguments) == 2 else None


def _partial(world: World, arguments: Sequence[Value], term: Call) -> Value:
    return PartialValue(_first(world, arguments, term), len(arguments) - 1, tuple(k for k, _ in term.keywords))


def _gathering(kind: str, position: int) -> _Rule:
    """A container of the elements of one of the arguments."""

    def rule(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
        return Container(kind, (world.element(arguments[position]),)) if arguments else None

    return rule


def _element(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    return world.element(arguments[0]) if arguments else None


def _enumerate(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    if not arguments:
        return None
    pair = Container("tuple", (ExternalInstance("builtins.int"), world.element(arguments[0])))
    return Container("iterator", (pair,))


def _zip(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    if not arguments:
        return None
    return Container("iterator", (Container("tuple", tuple(world.element(a) for a in arguments)),))


def _chain(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    return Container("iterator", (options([world.element(a) for a in arguments]),)) if arguments else None


def _chain_of_all(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    return Container("iterator", (world.element(world.element(arguments[0])),)) if arguments else None


def _getattr(world: World, arguments: Sequence[Value], term: Call) -> Value | None:
    name = term.positional[1] if len(term.positional) >= 2 else None
    if not isinstance(name, Constant) or name.type != "str":
        return None
    found = world.member(arguments[0], name.text[1:-1])
    return found if len(arguments) == 2 else UnknownValue("getattr with a default")


def _type(_: World, arguments: Sequence[Value], __: Call) -> Value | None:
    if len(arguments) != 1:
        return None
    of = arguments[0]
    return ClassValue(of.ref) if isinstance(of, InstanceValue) else UnknownValue("type of an unknown value")


def _import_module(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    name = arguments[0] if arguments else None
    return world.resolve(name.text[1:-1]) if isinstance(name, Literal) else None


def _method_type(_: World, arguments: Sequence[Value], __: Call) -> Value | None:
    function = arguments[0] if arguments else None
    if not isinstance(function, FunctionValue):
        return None
    return FunctionValue(
        function.api, function.module, function.path, function.owner, bound=True, receiver=function.receiver
    )


def _run(world: World, arguments: Sequence[Value], _: Call) -> Value | None:
    return world.awaited(arguments[0]) if arguments else None


def _type_variable(_: World, __: Sequence[Value], ___: Call) -> Value:
    return TYPE_VARIABLE


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(known.SAME_AS_ARGUMENT, _first),
    **{path: _gathering(kind, 0) for path, kind in known.CONTAINER_OF_ARGUMENT.items()},
    **dict.fromkeys(known.ELEMENT_OF_ARGUMENT, _element),
    **dict.fromkeys(("typing.cast", "typing_extensions.cast"), _cast),
    **dict.fromkeys(("functools.partial", "functools.partialmethod"), _partial),
    **dict.fromkeys(("asyncio.run", "asyncio.get_event_loop.run_until_complete"), _run),
    **dict.fromkeys(("asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield"), _first),
    **dict.fromkeys(("typing.TypeVar", "typing_extensions.TypeVar"), _type_variable),
    "builtins.filter": _gathering("iterator", -1),
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "itertools.zip_longest": _zip,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of_all,
    "builtins.getattr": _getattr,
    "builtins.type": _type,
    "importlib.import_module": _import_module,
    "types.MethodType": _method_type,
}
