"""What a rule may ask of a release: each item has one key, so that evidence reads like a list of facts."""

from __future__ import annotations

from typing import Annotated

import msgspec


class _Item(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """Base of the parts of evidence."""


class OfParameter(_Item, frozen=True, kw_only=True):
    """A parameter of a callable."""

    of: str
    name: str


class OfDefault(_Item, frozen=True, kw_only=True):
    """The default of a parameter, as source text: equal to one, or different from one."""

    of: str
    name: str
    equals: str | bool | int | None = None
    differs: str | bool | int | None = None


class OfText(_Item, frozen=True, kw_only=True):
    """Text that something written at a function contains."""

    of: str
    contains: str


class OfMember(_Item, frozen=True, kw_only=True):
    """A method or attribute of a class, its bases included."""

    of: str
    name: str


class Evidence(_Item, frozen=True, kw_only=True):
    """One fact; exactly one key. What reading cannot tell is no evidence, neither plain nor under `not`."""

    exists: str | None = None
    """A dotted path exists: module, symbol, method or attribute."""
    missing: str | None = None
    """A dotted path does not exist."""
    module: str | None = None
    """A module exists; answered without reading any."""
    parameter: OfParameter | None = None
    """A callable takes this parameter by name."""
    member: OfMember | None = None
    """A class has this method or attribute."""
    default: OfDefault | None = None
    """The default of a parameter is, or is not, this text."""
    raises: OfText | None = None
    """A function's body raises or asserts something whose text or condition contains this."""
    returns: OfText | None = None
    """The return annotation contains this."""
    documents: OfText | None = None
    """What the docstring says of the returned value contains this."""
    reply_depends_on: OfParameter | None = None
    """The shape of the reply depends on this parameter, by the code or by the docstring."""
    is_async: str | None = None
    """A function is a coroutine function."""
    any_of: Annotated[tuple[Evidence, ...], msgspec.Meta(min_length=1)] | None = None
    not_: Evidence | None = msgspec.field(name="not", default=None)

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not None for name in self.__struct_fields__) != 1:
            raise ValueError("an item of evidence has exactly one key")
