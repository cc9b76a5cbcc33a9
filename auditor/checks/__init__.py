"""The checks, one question per file; whatever module of this folder has a `check` is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from auditor.model import Finding, Use
from auditor.sides import Side

Check = Callable[[Use, Side, Side], Iterator[Finding]]
"""`check(use, old, new)`"""


@cache
def all_checks() -> tuple[Check, ...]:
    """Every check of this folder, by file name."""
    modules = (
        import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__) if not found.name.startswith("_")
    )
    return tuple(module.check for module in modules)
