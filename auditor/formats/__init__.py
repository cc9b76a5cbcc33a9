"""How a report is told: one module per format, each with `render(report, options) -> str`, found by its file name."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

import msgspec

from auditor.model import Report


class RenderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a format may take into account besides the report itself."""

    color: bool = False
    width: int = 100
    """Columns available to text; source lines and signatures are fitted into it."""
    verbose: bool = False
    """Also show suppressed and baselined findings, and each problem."""
    statistics: bool = False
    """Show counts per rule instead of findings, in the formats that have such a view."""
    version: str = ""
    """This tool's version, for formats that name their producer."""


Renderer: TypeAlias = Callable[[Report, RenderOptions], str]


def names() -> tuple[str, ...]:
    """All formats, by file name; a leading underscore marks what formats share."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


def renderer(name: str) -> Renderer:
    """The format called `name`."""
    module = import_module(f"{__name__}.{name}")
    render: Renderer = module.render
    return render
