"""Attribute access: `of.name` for modules, classes, instances, `super()` and containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from auditor.api import AttributeApi, Definition, FunctionApi
from auditor.terms import Call, Instance, Member, Name
from auditor.world import generics
from auditor.world.classes import ClassRef
from auditor.world.values import (
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
    ModuleValue,
    Options,
    PartialValue,
    SuperValue,
    UnknownValue,
    Value,
    options,
)

if TYPE_CHECKING:
    from auditor.world.world import World

_OBJECT = frozenset(dir(object)) | {
    "__dict__",
    "__module__",
    "__annotations__",
    "__slots__",
    "__weakref__",
    "__wrapped__",
}
_CLASS = frozenset(dir(type)) | {"__members__", "__dataclass_fields__", "__fields__", "__pydantic_fields__"}


def member(world: World, of: Value, name: str) -> Value:
    """The value of `of.name`; `Missing` only where nothing can provide the name."""
    match of:
        case ModuleValue(module):
            return world.global_name(module, name, strict=True)
        case ClassValue(ref):
            return _class_member(world, ref, name)
        case InstanceValue(ref):
            return generics.told(world, _instance_member(world, ref, name), of)
        case SuperValue(ref, receiver):
            return _super_member(world, ref, receiver or ref, name)
        case External(path):
            return External(f"{path}.{name}")
        case Options(values):
            known = [v for v in values if not (isinstance(v, Literal) and v.type == "NoneType")]
            return options([world.member(v, name) for v in known] or [UnknownValue("attribute of None")])
        case FunctionValue() | PartialValue():
            return UnknownValue("attribute of a function")
        case Container(kind, items):
            return _container_member(kind, items, name)
        case Keys(items, is_open):
            held = options([value for _, value in items]) if items and not is_open else UnknownValue("value of a dict")
            return _container_member("dict", (ExternalInstance("builtins.str"), held), name)
        case ExternalInstance() | Alias() | Literal():
            return UnknownValue("attribute of an outside type")
        case Missing():
            return UnknownValue("attribute of a missing name")
        case UnknownValue(reason):
            return UnknownValue(reason)


def _class_member(world: World, ref: ClassRef, name: str) -> Value:
    if (found := ref.find(name)) is not None:
        owner, definition = found
        return bind(world, owner, definition, ref, instance=False)
    if name in _OBJECT or name in _CLASS:
        return UnknownValue("attribute of every class", f"{ref.path}.{name}")
    metaclass = world.evaluate(ref.api.metaclass) if ref.api.metaclass is not None else None
    for cls in ref.classes():
        if metaclass is None and cls.api.metaclass is not None:
            metaclass = world.evaluate(cls.api.metaclass)
    if isinstance(metaclass, ClassValue):
        if (found := metaclass.ref.find(name)) is not None:
            return bind(world, found[0], found[1], ref, instance=True)
        if metaclass.ref.find("__getattr__"):
            return UnknownValue("metaclass __getattr__")
    if (declared := _in_stub(world, ref, name, instance=False)) is not None:
        return declared
    externals = ref.externals()
    if isinstance(metaclass, External):
        externals.append(metaclass.path)
    return Missing(ref.path, name, "member of class", certain=not externals)


def _instance_member(world: World, ref: ClassRef, name: str) -> Value:
    if (found := ref.find(name)) is not None:
        return bind(world, found[0], found[1], ref, instance=True)
    if name == "__class__":
        return ClassValue(ref)
    if name in _OBJECT:
        return UnknownValue("attribute of every object", f"{ref.path}.{name}")
    if (getter := ref.find("__getattr__")) is not None:
        return _served(world, getter[0], getter[1], ref, name)
    if ref.find("__getattribute__"):
        return UnknownValue("class __getattr__")
    if any(_is_dynamic(cls) for cls in ref.classes()):
        return UnknownValue("attributes set dynamically")
    if (declared := _in_stub(world, ref, name, instance=True)) is not None:
        return declared
    externals = ref.externals()
    if "" in externals:
        return UnknownValue("a base class cannot be read")
    return Missing(ref.path, name, "member of instance", certain=not externals)


def _served(world: World, owner: ClassRef, definition: Definition, receiver: ClassRef, name: str) -> Value:
    """What a class `__getattr__` gives: a member of an object it passes everything on to, or what it always returns."""
    unknown = UnknownValue("class __getattr__")
    if not isinstance(definition, FunctionApi):
        return unknown
    match definition.result:
        case Call(Name(name="getattr"), (Member() as wrapped, _), ()):
            inner = world.evaluate(wrapped)
            if inner == InstanceValue(receiver) or isinstance(inner, UnknownValue):
                return unknown
            found = world.member(inner, name)
            return unknown if isinstance(found, UnknownValue) else found
        case _:
            served = world.returned(bind(world, owner, definition, receiver, instance=True))
    return served if isinstance(served, InstanceValue) else unknown


def _in_stub(world: World, ref: ClassRef, name: str, *, instance: bool) -> Value | None:
    """A member that only the stub beside a class's module declares: its source sets it in ways that cannot be read."""
    for cls in ref.classes():
        declared = world.in_stub(cls)
        if declared is not None and (definition := declared.own(name)) is not None:
            return bind(world, declared, definition, ref, instance=instance)
    return None


def _is_dynamic(ref: ClassRef) -> bool:
    """Whether a method sets attributes under names that only run time knows."""
    return "*" in ref.api.instance


def _super_member(world: World, ref: ClassRef, receiver: ClassRef, name: str) -> Value:
    """What comes after `ref` in the order of the receiver: with several bases that may be a class it does not know."""
    order = receiver.mro()
    place = next((i for i, c in enumerate(order) if isinstance(c, ClassRef) and c.path == ref.path), None)
    rest = order[place + 1 :] if place is not None else ref.mro()[1:]
    known = [c for c in rest if isinstance(c, ClassRef)]
    for cls in known:
        if (definition := cls.own(name)) is not None:
            return bind(world, cls, definition, receiver, instance=True)
    outside = [c.path for c in rest if not isinstance(c, ClassRef)]
    if name in _OBJECT:
        return UnknownValue("method of an outside base") if outside else External(f"builtins.object.{name}")
    if "" in outside:
        return UnknownValue("a base class cannot be read")
    owner = known[0] if known else ref
    return Missing(owner.path, name, "member of instance", certain=not ref.externals())


def bind(world: World, owner: ClassRef, definition: Definition, receiver: ClassRef, *, instance: bool) -> Value:
    """What a definition found on a class gives when looked up on `receiver` (an instance or the class itself)."""
    if isinstance(definition, FunctionApi):
        path = f"{owner.path}.{definition.name}"
        bound = not definition.is_static and (instance or definition.is_classmethod)
        method = FunctionValue(definition, owner.module, path, owner, bound=bound, receiver=receiver)
        if definition.is_property and instance:
            result = world.returned(method)
            return UnknownValue(result.reason, path) if isinstance(result, UnknownValue) else result
        return method
    if isinstance(definition, AttributeApi):
        if not instance and _is_enum(owner) and definition.value is not None:
            return InstanceValue(receiver)
        path = f"{owner.path}.{definition.name}"
        value = world.attribute(definition, path)
        is_alias = not definition.in_init and definition.annotation is None  # what is annotated may be a field
        if instance and is_alias and isinstance(value, FunctionValue) and not value.api.is_static:
            return msgspec.structs.replace(value, bound=True, receiver=receiver)  # `get = _unimplemented`
        return _through_descriptor(world, value, definition, path)
    return world.define(owner.module, definition, owner.qualname)


def _through_descriptor(world: World, value: Value, definition: AttributeApi, path: str) -> Value:
    """What a descriptor gives: what the attribute is annotated as, else what its `__get__` returns."""
    if not isinstance(value, InstanceValue) or value.ref.find("__get__") is None:
        return value
    if definition.type is not None:
        declared = world.evaluate(Instance(definition.type))
        if not isinstance(declared, UnknownValue) and declared != value:
            return declared
    getter = world.member(value, "__get__")
    result = world.returned(getter) if isinstance(getter, FunctionValue) else UnknownValue("descriptor")
    return UnknownValue("value of a descriptor", path) if isinstance(result, UnknownValue) else result


def _is_enum(ref: ClassRef) -> bool:
    return any(path.startswith("enum.") for path in ref.externals())


def _container_member(kind: str, items: tuple[Value, ...], name: str) -> Value:
    if kind == "dict" and len(items) == 2:
        produced = {"values": "iterator", "keys": "iterator", "items": "iterator"}
        if name in ("get", "pop", "setdefault"):
            return Container("callable", (items[1],))
        if name in produced:
            each: Value = {"values": items[1], "keys": items[0], "items": Container("tuple", items)}[name]
            return Container("callable", (Container("iterator", (each,)),))
    if kind in ("list", "sequence", "set", "iterator") and items:
        if name in ("pop", "popleft", "__next__"):
            return Container("callable", items)
        if name == "copy":
            return Container("callable", (Container(kind, items),))
    if kind == "awaitable" and name == "result":
        return Container("callable", items)
    return UnknownValue(f"method of {kind}")
