"""A consumer's file as rules see it, and a place in it that a rule matches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import msgspec

from auditor.consumer.analysis import FileAnalysis
from auditor.migrations.syntax import Syntax
from auditor.model import Argument, Span, Use


class File:
    """One file of the consumer: its uses, and its syntax once that is needed."""

    def __init__(self, analysis: FileAnalysis, parse: Callable[[str], Syntax | None]) -> None:
        self.analysis = analysis
        self._parse = parse

    @cached_property
    def syntax(self) -> Syntax | None:
        """None where it cannot be parsed."""
        return self._parse(self.analysis.path)

    def calls(self) -> Iterator[Use]:
        """All calls, those on receivers of unknown type included."""
        return (use for use in (*self.analysis.uses, *self.analysis.loose) if use.kind == "call")


class Found(msgspec.Struct):
    """A place that a rule matches."""

    use: Use
    file: File
    node: ast.AST
    bound: dict[str, Any] = msgspec.field(default_factory=dict)
    places: dict[str, tuple[Span, ...]] = msgspec.field(default_factory=dict)
    arguments: dict[str, Argument] = msgspec.field(default_factory=dict)
    at: Span | None = None
    """Where the finding points, if not at the use's own name."""


def node_of(use: Use, syntax: Syntax) -> ast.AST | None:
    """The syntax node of a use."""
    match use.kind:
        case "call":
            return syntax.find(use.span, ast.Call)
        case "attribute":
            return syntax.find(use.span, ast.Attribute, ast.Name)
        case "class":
            return syntax.find(use.span, ast.ClassDef)
        case "import":
            return syntax.find(use.span, ast.alias)
        case _:
            return None
