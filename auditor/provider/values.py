"""The values that reading lazy tables can meet besides strings, numbers, lists and dicts."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple


class Ref(NamedTuple):
    """A module, or a member of one, by its absolute path."""

    path: str


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()


class Globals:
    """`globals()`, `vars()`, or the module object itself out of `sys.modules`."""


class Function(NamedTuple):
    """A `lambda`, as tables of lazily evaluated settings hold them."""

    node: ast.Lambda


class Structure:
    """What transformers' `define_import_structure` gives: modules found on disk, plus what the code adds."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.extra: dict[str, Any] = {}


class Missing(Exception):  # noqa: N818 - a signal inside this module, not an error for users
    """A look-up that would raise `KeyError`, `AttributeError` or the like."""
