"""What reading one consumer file yields: its API, its uses, and the terms that only a flow-sensitive walk knows."""

from __future__ import annotations

import msgspec

from auditor.api import ClassApi, ModuleApi
from auditor.consumer.flags import Flag
from auditor.model import Problem, Use
from auditor.terms import Term


class FileAnalysis(msgspec.Struct, frozen=True, gc=False):
    """One file of the consumer, read without any provider."""

    path: str
    module: str
    uses: tuple[Use, ...] = ()
    loose: tuple[Use, ...] = ()
    """Attribute accesses and calls on receivers whose type reading cannot tell."""
    results: dict[str, Term] = {}
    """Qualified function name -> the term it returns, following its local variables."""
    attributes: dict[str, dict[str, Term]] = {}
    """Qualified class name -> attribute set on `self` -> its term."""
    globals: dict[str, Term] = {}
    """Global name -> what functions assign to it."""
    local_classes: dict[str, ClassApi] = {}
    """Classes that functions define, by what they are called."""
    flags: dict[str, Flag] = {}
    """Global name, `name()` for a function, `Class.name` -> what surely holds where it is true, and where it is not."""
    imports: tuple[str, ...] = ()
    """Top-level names of everything the file imports, wherever in it."""
    problems: tuple[Problem, ...] = ()


class ConsumerModule(msgspec.Struct, frozen=True, gc=False):
    """The API of a consumer module together with its analysis."""

    api: ModuleApi
    analysis: FileAnalysis | None = None


class Job(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file to read."""

    name: str
    path: str
    source: bytes
