"""What a term can turn out to be in a given world: modules, classes, functions, instances, containers, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from auditor.api import FunctionApi
    from auditor.terms import Guard
    from auditor.world.classes import ClassRef


class ModuleValue(msgspec.Struct, frozen=True):
    """A module of one of the world's trees."""

    name: str


class ClassValue(msgspec.Struct, frozen=True, eq=False):
    """A class object, perhaps with the arguments of its type variables, which are no part of its identity."""

    ref: ClassRef
    arguments: tuple[Value, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassValue) and other.ref == self.ref

    def __hash__(self) -> int:
        return hash(("class", self.ref))


class InstanceValue(msgspec.Struct, frozen=True, eq=False):
    """An instance of a class of the world, perhaps with the arguments of its type variables, as for a class."""

    ref: ClassRef
    arguments: tuple[Value, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InstanceValue) and other.ref == self.ref

    def __hash__(self) -> int:
        return hash(("instance", self.ref))


class FunctionValue(msgspec.Struct, frozen=True):
    """A function or method; `bound` when its first parameter is already filled."""

    api: FunctionApi
    module: str
    path: str
    owner: ClassRef | None = None
    bound: bool = False
    receiver: ClassRef | None = None
    """The class it was looked up on (what `Self` means)."""
    arguments: tuple[Value, ...] = ()
    """The arguments of that class's type variables."""


class External(msgspec.Struct, frozen=True):
    """A module, class, function or constant outside the world, by dotted path; `builtins.x` included."""

    path: str


class ExternalInstance(msgspec.Struct, frozen=True):
    """An instance of a class outside the world."""

    path: str


class Alias(msgspec.Struct, frozen=True):
    """A subscripted type such as `list[Request]` or `Union[A, B]`, not yet an instance."""

    path: str
    arguments: tuple[Value, ...]


class Container(msgspec.Struct, frozen=True):
    """A value that holds others: `list`, `tuple`, `dict`, `iterator`, `context`, `awaitable`, `callable`, ..."""

    kind: str
    items: tuple[Value, ...]


class PartialValue(msgspec.Struct, frozen=True):
    """A callable with some arguments filled."""

    function: Value
    positional: int
    keywords: tuple[str, ...]


class SuperValue(msgspec.Struct, frozen=True):
    """`super()`: the classes after `ref` in the resolution order of the receiver."""

    ref: ClassRef
    receiver: ClassRef | None = None
    """The class of the object, where it is known to be another than `ref`."""


class Literal(msgspec.Struct, frozen=True):
    """A constant, by type name and source text."""

    type: str
    text: str


class Keys(msgspec.Struct, frozen=True):
    """A dict whose string keys are known."""

    items: tuple[tuple[str, Value], ...]
    open: bool
    conditions: tuple[tuple[str, tuple[Guard, ...]], ...] = ()
    """Keys that are there only sometimes, as in `terms.Mapping`."""


class Options(msgspec.Struct, frozen=True):
    """One of several values."""

    values: tuple[Value, ...]


class Missing(msgspec.Struct, frozen=True):
    """Something that does not exist: `name` on `owner` (dotted path of the module or class).

    `certain` is False where a base class outside the world might still provide it.
    """

    owner: str
    name: str
    kind: str
    """`module`, `member of module`, `member of class` or `member of instance`."""
    certain: bool = True

    @property
    def path(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


class UnknownValue(msgspec.Struct, frozen=True):
    """A value that reading cannot tell; `exists` when the name itself is known to be there."""

    reason: str
    path: str = ""
    """The dotted path that exists but whose value is not known, if that much is known."""


Value: TypeAlias = (
    ModuleValue
    | ClassValue
    | InstanceValue
    | FunctionValue
    | External
    | ExternalInstance
    | Alias
    | Container
    | PartialValue
    | SuperValue
    | Literal
    | Keys
    | Options
    | Missing
    | UnknownValue
)

CYCLIC = "cyclic import"
"""The reason given for a name that is asked for while it is being looked up."""

NONE = Literal("NoneType", "None")
TYPE_VARIABLE = Literal("TypeVar", "")


def options(values: list[Value]) -> Value:
    """Join alternatives: flat, without repetition; existing ones win over missing, known ones over unknown."""
    flat: dict[Value, None] = {}
    for value in values:
        if isinstance(value, Options):
            flat.update(dict.fromkeys(value.values))
        else:
            flat[value] = None
    present = [v for v in flat if not isinstance(v, Missing)]
    if not present:
        return next(iter(flat)) if flat else UnknownValue("no alternative")
    return present[0] if len(present) == 1 else Options(tuple(present))


def alternatives(value: Value) -> tuple[Value, ...]:
    """The single values that `value` may be, `None` left out unless it is the only one."""
    if not isinstance(value, Options):
        return (value,)
    return tuple(v for v in value.values if v != NONE) or value.values
