"""Decides which class of a resolution order brings the constructor, and asks the reader of its family for it."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.api import AttributeApi, FunctionApi, Parameter
from auditor.binding import drop_first
from auditor.provider.constructors import attrs, dataclass, facts, msgspec, pydantic, records, syntax
from auditor.provider.constructors.view import (
    ClassView,
    Constructor,
    ConstructorKind,
    externals,
    is_view,
    own_attributes,
    own_function,
    views,
)


def constructor(cls: ClassView) -> Constructor | None:
    """The signature with which a class is called; None where a base outside the snapshot may decide it."""
    try:
        return _by_metaclass(cls) or _by_family(cls) or _by_order(cls)
    except RecursionError:
        return None  # sources nested for the purpose


def _by_metaclass(cls: ClassView) -> Constructor | None:
    """A metaclass whose `__call__` takes something of its own."""
    for holder in views(cls.mro()):
        if holder.api.metaclass is None:
            continue
        metaclass = holder.class_(holder.canonical(holder.api.metaclass) or "")
        for level in views(metaclass.mro()) if metaclass is not None else ():
            written = own_function(level, "__call__")
            if written is not None:
                found = _written(written, level, "metaclass-call")
                return None if _takes_anything(found.parameters) else found
        return None
    return None


def _by_family(cls: ClassView) -> Constructor | None:
    """Families whose metaclass ignores what the class itself defines."""
    if records.is_typed_dict(cls):
        return records.typed_dict(cls)
    if any(path in facts.ENUM for path in externals(cls)):
        members = [a for a in own_attributes(cls) if a.value is not None and not a.name.startswith("_")]
        rest = "" if members else ", names=None, *, module=None, qualname=None, type=None, start=1, boundary=None"
        return Constructor(syntax.signature(f"value{rest}"), None, cls, "enum")
    return msgspec.build(cls) if msgspec.is_struct(cls) else None


def _by_order(cls: ClassView) -> Constructor | None:
    """The nearest `__init__` and `__new__`, written or generated; Python runs both."""
    init: Constructor | None = None
    new: Constructor | None = None
    for entry in cls.mro():
        if is_view(entry):
            if init is None:
                if _is_assigned(entry, "__init__"):
                    init = _assigned(entry, "__init__")
                    if init is None:
                        return None
                else:
                    init = _generated(entry) or _own(cls, entry)
            if new is None:
                new = records.named_tuple(entry)
                if new is None and (written := own_function(entry, "__new__")) is not None:
                    new = _written(written, entry, "new")
            if new is not None and new.kind == "namedtuple":
                break
            continue
        path = facts.ALIASES.get(entry.path, entry.path.removeprefix("builtins."))
        if facts.is_neutral(path) or path in facts.TRANSFORMED_BASES:
            continue
        return _settled(init, new) or _external(cls, path)
    return _settled(init, new) or Constructor((), None, cls, "object")


def _settled(init: Constructor | None, new: Constructor | None) -> Constructor | None:
    """Of both methods the one that says what is accepted."""
    if init is None or new is None:
        return init or new
    return new if _takes_anything(init.parameters) and not _takes_anything(new.parameters) else init


def _own(cls: ClassView, entry: ClassView) -> Constructor | None:
    """The `__init__` that a class writes."""
    written = own_function(entry, "__init__")
    if written is None:
        return None
    if any(p.kind == "var-keyword" for p in written.parameters) and pydantic.is_model(entry):
        return pydantic.build(cls, written, entry)
    return _written(written, entry, "init")


def _generated(entry: ClassView) -> Constructor | None:
    """The `__init__` that a decorator or base class generates for this very class."""
    made = attrs.style_of(entry)
    if made is not None:
        return attrs.build(entry, made) if made.init else None
    style = dataclass.style_of(entry)
    if style is None or not style.init:
        return None
    if own_function(entry, "__init__") is not None and not style.overwrites:
        return None
    return dataclass.build(entry, style)


def _is_assigned(entry: ClassView, name: str) -> bool:
    definitions = entry.api.members.get(name, ())
    return bool(definitions) and isinstance(definitions[-1], AttributeApi) and definitions[-1].value is not None


def _assigned(entry: ClassView, name: str) -> Constructor | None:
    """The function behind `__init__ = other`."""
    definition = entry.api.members[name][-1]
    assert isinstance(definition, AttributeApi)
    path = entry.canonical(definition.term) if definition.term is not None else None
    function = entry.function(path) if path is not None else None
    return None if function is None else _written(function, entry, "init")


def _external(cls: ClassView, path: str) -> Constructor | None:
    """What a base outside the snapshot brings."""
    if path in facts.PYDANTIC_MODEL:
        return pydantic.build(cls)
    if path in facts.SIGNATURES:
        return Constructor(syntax.signature(facts.SIGNATURES[path]), None, cls, "init")
    if facts.is_exception(path):
        return Constructor(syntax.signature(facts.EXCEPTIONS.get(path, "*args")), None, cls, "exception")
    return None


def _written(function: FunctionApi, owner: ClassView, kind: ConstructorKind) -> Constructor:
    return Constructor(drop_first(function.parameters), function, owner, kind)


def _takes_anything(parameters: Sequence[Parameter]) -> bool:
    return {p.kind for p in parameters} == {"var-positional", "var-keyword"}
