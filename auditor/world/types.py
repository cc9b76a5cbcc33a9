"""Types and containers: what an annotation makes of a value, and what indexing, iterating, awaiting, entering give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.api import AttributeApi
from auditor.world import externals as known
from auditor.world.values import (
    NONE,
    Alias,
    ClassValue,
    Container,
    External,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Keys,
    Literal,
    Missing,
    Options,
    UnknownValue,
    Value,
    alternatives,
    options,
)

if TYPE_CHECKING:
    from auditor.world.world import World


def instantiate(world: World, type_: Value) -> Value:
    """The value that an annotation evaluating to `type_` stands for."""
    match type_:
        case ClassValue(ref, arguments):
            return InstanceValue(ref, arguments)
        case Options(values):
            return options([world.instantiate(v) for v in values])
        case External(path):
            return _plain(path)
        case Alias(path, arguments):
            return _generic(world, path, arguments)
        case Literal(type="NoneType"):
            return type_
        case Literal(type="TypeVar") | Container() | InstanceValue():
            return UnknownValue("not a type")
        case Missing() | UnknownValue("re-export that cannot be followed"):
            return UnknownValue("annotation names something missing")
        case _:
            return UnknownValue("annotation cannot be read")


def _plain(path: str) -> Value:
    """The instance of an outside type without arguments."""
    last = path.rsplit(".", 1)[-1]
    if path.startswith(known.TYPE_MODULES):
        if last in ("Any", "object", "Self", "Callable"):
            return UnknownValue(f"annotated {last}")
        if last in known.SEQUENCE_TYPES | known.MAPPING_TYPES or last in ("tuple", "Tuple"):
            return UnknownValue(f"elements of {last} are not annotated")
    return ExternalInstance(path)


def _generic(world: World, path: str, arguments: tuple[Value, ...]) -> Value:
    """The instance of a subscripted type."""
    last = path.rsplit(".", 1)[-1]
    if not path.startswith(known.TYPE_MODULES) and last not in known.TRANSPARENT_TYPES:
        return ExternalInstance(path)
    items = tuple(world.instantiate(a) for a in arguments)
    if last in ("tuple", "Tuple"):
        return _tuple(arguments, items)
    if last == "Literal":
        return options(list(arguments))
    if not items:
        return ExternalInstance(path)
    if last == "Optional":
        return options([items[0], NONE])
    if last == "Union":
        return options(list(items))
    if last in known.TRANSPARENT_TYPES:
        return items[0]
    if last in ("type", "Type"):
        return arguments[0]
    if last in known.MAPPING_TYPES:
        return Container("dict", items) if len(items) == 2 else ExternalInstance(path)
    for names, kind, position in _HOLDING_ONE:
        if last in names:
            return Container(kind, (items[position],))
    return ExternalInstance(path)


_HOLDING_ONE = (
    (known.SEQUENCE_TYPES, "list", 0),
    (known.ASYNC_TYPES, "iterator", 0),
    (known.AWAITABLE_TYPES, "awaitable", -1),
    (known.CONTEXT_TYPES, "context", 0),
    (known.ASYNC_CONTEXT_TYPES, "async-context", 0),
    (frozenset({"Callable"}), "callable", -1),
)
"""Types that hold values of one type: their names, the kind of container, which of their arguments says it."""


def _tuple(arguments: tuple[Value, ...], items: tuple[Value, ...]) -> Value:
    """`tuple[A, B]`, or `tuple[A, ...]`, which is as good as a list."""
    if len(arguments) == 2 and isinstance(arguments[1], Literal) and arguments[1].type == "ellipsis":
        return Container("list", items[:1])
    return Container("tuple", items)


def subscript(world: World, of: Value, index: tuple[Value, ...]) -> Value:
    """`of[index]`, for types and for values."""
    match of:
        case ClassValue(ref):
            return ClassValue(ref, index)
        case External(path):
            return Alias(path, index)
        case Alias(path):
            return of
        case Options():
            return options([subscript(world, v, index) for v in alternatives(of)])
        case Container("dict", items) if len(items) == 2:
            return items[1]
        case Container("tuple", items):
            position = _position(index)
            if position is not None and -len(items) <= position < len(items):
                return items[position]
            return UnknownValue("index into a tuple")
        case Container("list" | "sequence" | "generator", items) if items:
            return items[0]
        case Keys(items):
            wanted = index[0].text.strip("'\"") if index and isinstance(index[0], Literal) else None
            return next((v for k, v in items if k == wanted), UnknownValue("key of a dict"))
        case InstanceValue():
            return _result_of(world, of, "__getitem__")
        case UnknownValue(reason):
            return UnknownValue(reason)
        case _:
            return UnknownValue("index into an unknown value")


def _position(index: tuple[Value, ...]) -> int | None:
    if len(index) == 1 and isinstance(index[0], Literal) and index[0].type == "int":
        return int(index[0].text, 0)
    return None


def element(world: World, of: Value) -> Value:
    """One element of iterating over `of`."""
    match of:
        case Options():
            return options([element(world, v) for v in alternatives(of)])
        case Container("dict", items) if items:
            return items[0]
        case Container("tuple", items):
            return options(list(items)) if items else UnknownValue("empty tuple")
        case Container("list" | "sequence" | "set" | "iterator" | "generator", items) if items:
            return items[0]
        case InstanceValue():
            for name in ("__iter__", "__aiter__"):
                iterator = _result_of(world, of, name)
                if isinstance(iterator, Container):
                    return element(world, iterator)
            for name in ("__next__", "__anext__", "__getitem__"):
                found = _result_of(world, of, name)
                if not isinstance(found, UnknownValue):
                    return found
            return UnknownValue("element of an object")
        case UnknownValue(reason):
            return UnknownValue(reason)
        case _:
            return UnknownValue("element of an unknown value")


def unpacked(world: World, of: Value, index: int, size: int) -> Value:
    """Position `index` of unpacking `of` into `size` names."""
    match of:
        case Options():
            return options([unpacked(world, v, index, size) for v in alternatives(of)])
        case Container("tuple", items):
            return items[index] if len(items) == size else UnknownValue("tuple of another length")
        case InstanceValue(ref) if any(c.path == "typing.NamedTuple" for c in ref.mro()):
            fields = [d[-1] for d in ref.api.members.values() if isinstance(d[-1], AttributeApi) and d[-1].annotation]
            return world.attribute(fields[index], ref.path) if len(fields) == size else UnknownValue("named tuple")
        case _:
            return element(world, of)


def awaited(world: World, of: Value) -> Value:
    """`await of`"""
    match of:
        case Container("awaitable", items) if items:
            return items[0]
        case Options():
            return options([awaited(world, v) for v in alternatives(of)])
        case InstanceValue():
            inner = _result_of(world, of, "__await__")
            return inner if not isinstance(inner, Container) else UnknownValue("awaitable object")
        case UnknownValue(reason):
            return UnknownValue(reason)
        case _:
            return UnknownValue("await of a value that is not awaitable")


def entered(world: World, of: Value) -> Value:
    """The value bound by `with of as x`."""
    match of:
        case Container("context" | "async-context" | "awaitable", items) if items:
            return items[0]
        case Options():
            return options([entered(world, v) for v in alternatives(of)])
        case InstanceValue(ref):
            for name in ("__enter__", "__aenter__"):
                if ref.find(name):
                    found = _result_of(world, of, name)
                    if isinstance(found, Container) and found.kind == "awaitable":
                        found = found.items[0]
                    return of if isinstance(found, UnknownValue) else found
            return of
        case UnknownValue(reason):
            return UnknownValue(reason)
        case _:
            return UnknownValue("context of an unknown value")


def _result_of(world: World, of: InstanceValue, name: str) -> Value:
    """What a method of an object returns."""
    method = world.member(of, name)
    return world.returned(method) if isinstance(method, FunctionValue) else UnknownValue("no such method")
