"""What a world needs of the module trees it consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from auditor.api import ModuleApi, Served


class Tree(Protocol):
    """Modules of one distribution, read on demand."""

    @property
    def packages(self) -> Sequence[str]:
        """Top-level import names."""

    def module(self, name: str) -> ModuleApi | None:
        """The API of a module, or None where there is no such module."""

    def stub(self, name: str) -> ModuleApi | None:
        """The API of the `.pyi` that stands beside a module, if any."""

    def served(self, module: str, name: str) -> Served | None:
        """What the `__getattr__` of a module gives for a name, helpers of other modules followed; None if unknown."""

    def has_module(self, name: str) -> bool:
        """Whether a module (or namespace package) of this name exists, without reading it."""

    def may_have(self, module: str, name: str, others: Sequence[str]) -> bool:
        """Whether a module may have a global name, without reading it; `others` will be asked for the same."""
