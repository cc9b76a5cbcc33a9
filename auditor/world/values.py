"""What a term can turn out to be in a given world: modules, classes, functions, instances, containers, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from auditor.api import FunctionApi
    from auditor.world.classes import ClassRef


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of one of the world's trees."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class object."""

    ref: ClassRef


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class of the world; `exact` when its constructor call was seen."""

    ref: ClassRef


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function or method; `bound` when its first parameter is already filled."""

    api: FunctionApi
    module: str
    path: str
    owner: ClassRef | None = None
    bound: bool = False
    receiver: ClassRef | None = None
    """The class it was looked up on (what `Self` means)."""


@dataclass(frozen=True, slots=True)
class External:
    """A module, class, function or constant outside the world, by dotted path; `builtins.x` included."""

    path: str


@dataclass(frozen=True, slots=True)
class ExternalInstance:
    """An instance of a class outside the world."""

    path: str


@dataclass(frozen=True, slots=True)
class Alias:
    """A subscripted type such as `list[Request]` or `Union[A, B]`, not yet an instance."""

    path: str
    arguments: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Container:
    """A value that holds others: `list`, `tuple`, `dict`, `iterator`, `context`, `awaitable`, `callable`."""

    kind: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class PartialValue:
    """A callable with some arguments filled."""

    function: Value
    positional: int
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuperValue:
    """`super()`: the classes after `ref` in the resolution order of the receiver."""

    ref: ClassRef


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, by type name and source text."""

    type: str
    text: str


@dataclass(frozen=True, slots=True)
class Keys:
    """A dict whose string keys are known."""

    items: tuple[tuple[str, Value], ...]
    open: bool


@dataclass(frozen=True, slots=True)
class Options:
    """One of several values."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Missing:
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


@dataclass(frozen=True, slots=True)
class UnknownValue:
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

NONE = Literal("NoneType", "None")


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
