"""What a module serves without binding it, as it is found out: names, their paths, and whether there may be more."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, NamedTuple

from auditor.api import Reexport
from auditor.provider.blocks import BlockReader
from auditor.provider.evaluation import Evaluator
from auditor.provider.values import UNKNOWN, Ref, Structure
from auditor.terms import Preset

MAX_NAMES = 20_000
"""A module that serves more serves anything."""


class LazyNames(NamedTuple):
    """Lazily served names with their absolute paths, whether there may be more, and what comes along."""

    names: dict[str, str]
    is_open: bool = False
    exports: tuple[str, ...] | None = None
    wildcards: tuple[str, ...] = ()
    deprecated: dict[str, str] = {}
    """Names that are served with a deprecation warning, and what it says."""
    presets: dict[str, Preset] = {}
    """Names, `name()` for functions, that environment variables decide: what they are where none is set."""


class Offers:
    """Collects what one module serves.

    Args:
        blocks: The module.
        bound: The names that it binds: nobody is served what is there.
        evaluator: Says what is in a table.
    """

    def __init__(self, blocks: BlockReader, bound: Set[str], evaluator: Evaluator) -> None:
        self.blocks = blocks
        self.bound = bound
        self.evaluator = evaluator
        self.names: dict[str, str] = {}
        self.is_open = False
        self.exports: tuple[str, ...] | None = None
        self.wildcards: list[str] = []
        self.deprecated: dict[str, str] = {}
        self.presets: dict[str, Preset] = {}

    def result(self) -> LazyNames:
        """All of it."""
        return LazyNames(self.names, self.is_open, self.exports, tuple(self.wildcards), self.deprecated, self.presets)

    def preset(self, name: str, value: Any) -> None:
        """Note what a name is where the environment variables just asked for are not set."""
        truth = self.evaluator.truth(value)
        if self.evaluator.variables and truth is not None:
            self.presets[name] = Preset(truth, tuple(self.evaluator.variables))
        else:
            self.presets.pop(name, None)

    def bind(self, name: Any, value: Any) -> None:
        """`globals()[name] = value`; a name that is no string may be any."""
        if not isinstance(name, str):
            self.is_open = True
        elif name.isidentifier() and name not in self.bound:
            self.offer(name, value.path if isinstance(value, Ref) else "")

    def offer(self, name: str, path: str) -> None:
        """A name is served, and is what stands at `path` ("" where that is unknown)."""
        if len(self.names) < MAX_NAMES and name.isprintable() and path.isprintable():
            self.names[name] = path
        else:
            self.is_open = True

    def structure(self, structure: Structure) -> None:
        """Modules found on disk: what type checkers are shown is the list of them; a prefix names a subpackage."""
        self.table(structure.extra)
        known = len(self.names)
        for name, found in self.blocks.namespace.entries.items():
            for _, definition in found:
                if isinstance(definition, Reexport) and not definition.runtime:
                    self.names.setdefault(name, definition.path)
        shown = [f"{self.blocks.module}.{structure.prefix}"] if structure.prefix else self.blocks.typing_wildcards
        self.wildcards += shown
        self.is_open |= not shown and len(self.names) == known

    def table(self, table: dict[Any, Any]) -> None:
        """`{"submodule": ["Name", ...]}`; stand-ins for missing dependencies give way to the real thing."""
        for key, value in sorted(table.items(), key=lambda item: isinstance(item[0], str) and "dummy" in item[0]):
            if not isinstance(key, str):
                self.is_open = True
                continue
            is_dummy = "dummy" in key
            items = self.evaluator.items(value)
            if items is None or UNKNOWN in items:
                self.is_open |= not is_dummy
            for name in items or []:
                if isinstance(name, str) and not (is_dummy and name in self.names):
                    module = self.evaluator.absolute(f".{key.removeprefix('.')}", self.blocks.package)
                    self.offer(name, f"{module}.{name}")
