"""What the standard ways of asking for a version or a signature give, by dotted path, on one release."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import Version

VERSION_OF = frozenset({"importlib.metadata.version", "importlib_metadata.version"})
"""Functions that take a distribution's name and give its version."""
DISTRIBUTION = frozenset(
    {"importlib.metadata.distribution", "importlib_metadata.distribution", "pkg_resources.get_distribution"}
)
SIGNATURE = frozenset({"inspect.signature"})
ARGUMENTS = frozenset({"inspect.getfullargspec"})
FIELDS = frozenset({"dataclasses.fields", "attr.fields", "attrs.fields", "msgspec.structs.fields"})
FIELD_TABLES = frozenset({"__dataclass_fields__", "model_fields", "__fields__", "__struct_fields__", "__attrs_attrs__"})
FIND = frozenset({"importlib.util.find_spec"})


class Distribution(NamedTuple):
    """What is installed of a package."""

    version: str


class Found(NamedTuple):
    """A module spec, of which only its being there is known."""

    module: str


class Parameters(NamedTuple):
    """The parameters or fields of something, to be asked for names: which kinds, and whether others may be there."""

    path: str
    kinds: tuple[str, ...] = ()
    """Only parameters of these kinds; all where none is named."""
    more: bool = False
    """Whether the names that are not parameters may be there all the same."""


POSITIONAL = ("positional-only", "positional-or-keyword")


def loose(text: str) -> list[int | str]:
    """A version as `LooseVersion` compares it."""
    return [
        int(part) if part.isdigit() else part for part in re.split(r"(\d+|[a-z]+|\.)", text) if part not in ("", ".")
    ]


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{
        f"builtins.{f.__name__}": f for f in (int, float, str, bool, tuple, list, set, frozenset, len, sorted, any, all)
    },
    **{f"builtins.{f.__name__}": f for f in (min, max, dict, map, zip)},
    **{
        f"operator.{name}": getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne", "contains", "not_")
    },
    "packaging.version.Version": Version,
    "packaging.version.parse": Version,
    "pkg_resources.parse_version": Version,
    "packaging.specifiers.SpecifierSet": SpecifierSet,
    "distutils.version.LooseVersion": loose,
    "looseversion.LooseVersion": loose,
}
"""Functions that only compute, as Python itself or `packaging` has them."""

ATTRIBUTES: Mapping[type, frozenset[str]] = {
    Version: frozenset(
        {"major", "minor", "micro", "release", "base_version", "public", "is_prerelease", "is_devrelease"}
    ),
    Distribution: frozenset({"version"}),
}
METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset({"split", "rsplit", "startswith", "endswith", "strip", "lstrip", "rstrip", "partition", "lower"}),
    SpecifierSet: frozenset({"contains"}),
}
