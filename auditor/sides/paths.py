"""What can be said of values and access paths in general: whether a name is there, and which; what leads to it."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.terms import Call, Term
from auditor.world.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    Missing,
    ModuleValue,
    Options,
    PartialValue,
    UnknownValue,
    Value,
)


def steps(term: Term) -> Iterator[Term]:
    """The prefixes of an access path, from the inside out, itself included."""
    chain: list[Term] = [term]
    while (inner := _inner(chain[-1])) is not None:
        chain.append(inner)
    return reversed(chain)


def _inner(term: Term) -> Term | None:
    if isinstance(term, Call):
        return term.function
    inner: Term | None = getattr(term, "of", None)
    return inner


def exists(value: Value) -> bool:
    """Whether a value's name is known to be there, even if what it is cannot be told."""
    return not isinstance(value, Missing) and not (isinstance(value, UnknownValue) and not value.path)


def path_of(value: Value) -> str | None:
    """The dotted path of what a value is, if it is one thing with a name."""
    match value:
        case ModuleValue(name):
            return name
        case ClassValue(ref) | InstanceValue(ref):
            return ref.path
        case FunctionValue(path=path):
            return path
        case PartialValue(inner):
            return path_of(inner)
        case Options(values):
            return next((p for v in values if (p := path_of(v)) is not None), None)
        case Missing():
            return value.path
        case UnknownValue(path=path):
            return path or None
        case _:
            return None
