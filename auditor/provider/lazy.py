"""Names that a module serves without binding them: `__getattr__`, lazy tables, `sys.modules` replacements."""

from __future__ import annotations

from typing import NamedTuple

from auditor.provider.blocks import BlockReader


class LazyNames(NamedTuple):
    """Lazily served names with their absolute paths, whether there may be more, and what comes along."""

    names: dict[str, str]
    is_open: bool = False
    exports: tuple[str, ...] | None = None
    wildcards: tuple[str, ...] = ()


def read_lazy(blocks: BlockReader, module: str, code: str) -> LazyNames:
    """Evaluate a module's lazy tables."""
    del module, code
    return LazyNames({}, "__getattr__" in blocks.namespace.entries)
