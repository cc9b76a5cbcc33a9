"""What to audit against what, and how: the arguments of an audit."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

import msgspec

from auditor.model import Report

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Receives a stage, what is done of it, and how much there is (None where unknown)."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that are wanted; `*` stands for any characters."""

    select: tuple[str, ...] = ()
    """Only these; all where none is named."""
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Files, and the rules that are not wanted there."""

    def wants(self, rule: str, path: str) -> bool:
        """Whether the findings of a rule in a file are asked for."""
        if self.select and not _any(self.select, rule):
            return False
        ignored = (rules for glob, rules in self.per_file_ignores if fnmatchcase(path, glob))
        return not any(_any(rules, rule) for rules in (self.ignore, *ignored))


def _any(patterns: tuple[str, ...], rule: str) -> bool:
    return any(fnmatchcase(rule, pattern) for pattern in patterns)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of an audit, as the command line and the Python API give them."""

    consumers: tuple[str, ...]
    """A distribution (`speculators`, `speculators==0.3.0`), a folder, or any number of paths."""
    against: tuple[str, ...]
    """The provider releases to run on."""
    from_: tuple[str, ...] = ()
    """The provider releases that the consumer was written for; by default what its metadata declares."""
    index_url: str | None = None
    cache_dir: Path | None = None
    offline: bool = False
    rules: tuple[Path, ...] = ()
    selection: Selection = Selection()
    """A rule that is not wanted does not take the place of what the checks say either."""
    patch_dir: Path | None = None
    """Where patch folders are written; None writes nothing."""
    exclude: tuple[str, ...] = ()
    repaired: bool = False
    """Of a range: whether findings are wanted with their fixes, for some of which more of each release is read."""
    second_opinion: str | None = None
    """A type checker to ask as well: `ty` or `pyrefly`."""
    on_progress: Progress | None = None
    triage: Callable[[Report], Report] | None = None
    """Leaves out findings that nobody asked for and marks accepted ones, before patches are made of the rest."""

    def progress(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """Tell whoever listens how far the audit is."""
        if self.on_progress is not None:
            self.on_progress(stage, done, total)
