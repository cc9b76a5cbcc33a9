"""The repairs, one per file: the file's stem (with `-` for `_`) is the repair's name, and the folder is the registry.

A repair module opens with its duty and offers
  ACTS_ON   the node type its span must find (`cst.Module` for repairs that concern a whole file)
  Options   a strict msgspec.Struct of its options (str, int and bool only)
  fix       `fix(node, options) -> node | Around`; a node that already looks repaired comes back unchanged
and, where it needs them,
  anchor    `anchor(path, options) -> node | None`: which ancestor of the spanned node to act on; None: nothing to do
  follow    `follow(wrapper, node, options) -> {node: replacement}`: other places in the file that must follow
  DISCARDS  True when the text of the node is thrown away, so that no other repair may stand inside it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import libcst as cst
import msgspec
from libcst.metadata import MetadataWrapper

from auditor.errors import AuditError


class RepairError(AuditError):
    """A repair that cannot be made where it was asked for."""


@dataclass(frozen=True)
class Around:
    """A statement that got new neighbours."""

    node: cst.CSTNode
    before: tuple[cst.CSTNode, ...] = ()
    after: tuple[cst.CSTNode, ...] = ()


OptionValues: TypeAlias = Mapping[str, "str | int | bool"]


@dataclass(frozen=True)
class Fixer:
    """One repair module, as the codemod uses it."""

    name: str
    acts_on: type[cst.CSTNode] | tuple[type[cst.CSTNode], ...]
    options: type[msgspec.Struct]
    fix: Callable[[Any, Any], cst.CSTNode | Around]
    anchor: Callable[[Sequence[cst.CSTNode], Any], cst.CSTNode | None] | None
    follow: Callable[[MetadataWrapper, Any, Any], Mapping[cst.CSTNode, cst.CSTNode]] | None
    discards: bool

    def read(self, options: OptionValues) -> msgspec.Struct:
        """Check options against this repair's own; unknown, missing or ill-typed ones are an error."""
        try:
            return msgspec.convert(dict(options), self.options, strict=True)
        except msgspec.ValidationError as error:
            raise RepairError(f"Repair `{self.name}`: {error}") from error


@cache
def names() -> tuple[str, ...]:
    """The names of all repairs, sorted."""
    return tuple(sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


@cache
def load(name: str) -> Fixer:
    """The repair of that name."""
    if name not in names():
        raise RepairError(f"There is no repair called `{name}`", hint=f"Known ones are {', '.join(names())}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return Fixer(
        name=name,
        acts_on=module.ACTS_ON,
        options=module.Options,
        fix=module.fix,
        anchor=getattr(module, "anchor", None),
        follow=getattr(module, "follow", None),
        discards=getattr(module, "DISCARDS", False),
    )
