"""The checks, one question per file; whatever module of this folder has a `check` (or `check_file`) is one.

A module with a `check` says in `KINDS` which kinds of uses it looks at. One that looks at modules which nothing imports
can say which in `foreseen`, so that they are read in one batch with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from auditor.consumer.analysis import FileAnalysis
from auditor.model import Finding, Use, UseKind
from auditor.sides import Side

Check = Callable[[Use, Side, Side], Iterator[Finding]]
"""`check(use, old, new)`"""


FileCheck = Callable[[FileAnalysis, Side, Side], Iterator[Finding]]
"""`check_file(analysis, old, new)`, for questions that one use cannot answer"""

Foresight = Callable[[FileAnalysis, Side, Side], Iterator[str]]
"""`foreseen(analysis, old, new)`: modules that the check of this file will most likely look at, on both sides"""


@cache
def _modules() -> tuple[ModuleType, ...]:
    names = (found.name for found in iter_modules(__path__) if not found.name.startswith("_"))
    return tuple(import_module(f"{__name__}.{name}") for name in names)


@cache
def checks_of(kind: UseKind) -> tuple[Check, ...]:
    """Every check that looks at uses of a kind, by file name."""
    return tuple(module.check for module in _modules() if hasattr(module, "check") and kind in module.KINDS)


@cache
def all_file_checks() -> tuple[FileCheck, ...]:
    """Every check of a whole file, by file name."""
    return tuple(module.check_file for module in _modules() if hasattr(module, "check_file"))


@cache
def all_foresights() -> tuple[Foresight, ...]:
    """What every check that foresees anything does, by file name."""
    return tuple(module.foreseen for module in _modules() if hasattr(module, "foreseen"))
