"""How a table is told: one module per format, each with `table(table, options)` and `fits(fits, options)` -> str."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType


def names() -> tuple[str, ...]:
    """All formats, by file name; a leading underscore marks what formats share."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


def teller(name: str) -> ModuleType:
    """The format called `name`."""
    return import_module(f"{__name__}.{name}")
