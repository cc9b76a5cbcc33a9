"""What the constructor reader needs to know of a class, and what it says about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol, TypeAlias, TypeGuard, runtime_checkable

import msgspec

from auditor.api import AttributeApi, ClassApi, FunctionApi, Parameter
from auditor.terms import Term

ConstructorKind: TypeAlias = Literal[
    "init",
    "new",
    "metaclass-call",
    "dataclass",
    "pydantic",
    "attrs",
    "msgspec",
    "namedtuple",
    "typeddict",
    "enum",
    "exception",
    "object",
]


class ExternalBase(Protocol):
    """A base class outside the snapshot, by dotted path; "" where even that is unknown."""

    @property
    def path(self) -> str: ...


class ClassView(Protocol):
    """A class of a snapshot with the means to look around from it."""

    api: ClassApi
    module: str
    path: str

    def mro(self) -> Sequence[ClassView | ExternalBase]:
        """Itself and its bases in C3 order."""
        ...

    def canonical(self, term: Term) -> str | None:
        """The dotted path that a term stands for, through aliases and re-exports."""
        ...

    def function(self, path: str) -> FunctionApi | None:
        """The function defined at a dotted path of the snapshot."""
        ...

    def class_(self, path: str) -> ClassView | None:
        """The class defined at a dotted path of the snapshot."""
        ...


@runtime_checkable
class ConstantView(Protocol):
    """A view that can also look up constants; without it a default that names one stays that name."""

    def constant(self, term: Term) -> str | None:
        """The literal that a module-level name is bound to, as source text; None where it is no plain literal."""
        ...


class Constructor(msgspec.Struct, frozen=True):
    """The signature with which a class is called."""

    parameters: tuple[Parameter, ...]
    """Without `self`."""
    function: FunctionApi | None
    """The `__init__`, `__new__` or `__call__` behind it, where somebody wrote one in this snapshot."""
    owner: ClassView
    """The class that brings the constructor: itself or one of its bases (or the metaclass)."""
    kind: ConstructorKind
    complete: bool = True
    """False where a base outside the snapshot may add fields: further arguments are then accepted."""


def is_view(entry: ClassView | ExternalBase) -> TypeGuard[ClassView]:
    """Whether an entry of a resolution order is a class of the snapshot."""
    return hasattr(entry, "api")


def views(entries: Sequence[ClassView | ExternalBase]) -> Iterator[ClassView]:
    """The entries that are classes of the snapshot."""
    return (entry for entry in entries if is_view(entry))


def externals(view: ClassView) -> list[str]:
    """Paths of the bases outside the snapshot, builtins without their module."""
    return [entry.path.removeprefix("builtins.") for entry in view.mro() if not is_view(entry)]


def own_function(view: ClassView, name: str) -> FunctionApi | None:
    """The function of that name in the class body; the last alternative."""
    found = [d for d in view.api.members.get(name, ()) if isinstance(d, FunctionApi)]
    return found[-1] if found else None


def own_attributes(view: ClassView) -> Iterator[AttributeApi]:
    """Attributes of the class body in order; where annotation and value stand apart, joined."""
    for name in view.api.members:
        attribute = own_attribute(view, name)
        if attribute is not None:
            yield attribute


def own_attribute(view: ClassView, name: str) -> AttributeApi | None:
    """One attribute of the class body; where annotation and value stand apart, joined."""
    found = [d for d in view.api.members.get(name, ()) if isinstance(d, AttributeApi) and not d.in_init]
    if len(found) < 2:
        return found[0] if found else None
    annotated = next((d for d in reversed(found) if d.annotation is not None), found[-1])
    valued = next((d for d in reversed(found) if d.value is not None), annotated)
    if annotated is valued:
        return annotated
    return AttributeApi(name, annotated.line, annotated.annotation, annotated.type, valued.value, valued.term)
