"""The names that a module or class body binds, with all alternatives that conditions leave open."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from auditor.api import AttributeApi, Definition, FunctionApi
from auditor.provider.flags import TRUE, both
from auditor.terms import Term

Branch: TypeAlias = tuple[int, ...]
"""Where a statement stands among conditions: one number per conditional block around it, outermost first."""

TYPING_ONLY = -1
"""The branch of `if TYPE_CHECKING`: nothing at run time replaces what is defined there."""


class Namespace:
    """Collects definitions; one that always follows earlier ones replaces them."""

    def __init__(self) -> None:
        self.entries: dict[str, list[tuple[Branch, Definition]]] = {}
        self.instance: dict[str, list[AttributeApi]] = {}
        self.log: list[str] = []
        """Names in the order they were bound."""
        self._overloads: dict[str, list[FunctionApi]] = {}

    def add(self, name: str, definition: Definition, branch: Branch) -> None:
        """Bind `name` in `branch`, which replaces what was bound there or in branches inside it."""
        self.log.append(name)
        known = self.entries.get(name)
        if known is None:
            self.entries[name] = [(branch, definition)]
        else:
            size = len(branch)
            kept = [entry for entry in known if entry[0][:size] != branch or _is_typing(entry[0], branch)]
            self.entries[name] = [*kept[: _MAX_ALTERNATIVES - 1], (branch, definition)]

    def add_function(self, function: FunctionApi, branch: Branch) -> None:
        """Bind a function: overloads gather until their implementation, accessors leave their property in place."""
        name = function.name
        if function.has("overload"):
            self._overloads.setdefault(name, []).append(function)
            overloads = self._overloads[name]
            self.add(name, msgspec.structs.replace(overloads[0], overloads=tuple(overloads)), branch)
            return
        if function.decorators and name in self.entries and _is_accessor(function):
            self.entries[name].insert(-1, (branch, function))
            return
        if overloads := self._overloads.pop(name, []):
            function = msgspec.structs.replace(function, overloads=tuple(overloads))
        self.add(name, function, branch)

    def remove(self, name: str, branch: Branch) -> None:
        """`del name`"""
        kept = [entry for entry in self.entries.get(name, []) if entry[0][: len(branch)] != branch]
        if kept:
            self.entries[name] = kept
        else:
            self.entries.pop(name, None)

    def has(self, name: str) -> bool:
        """Whether `name` is bound so far."""
        return name in self.entries

    def settle(self, outer: Branch, branches: list[Branch], since: int) -> None:
        """After branches of which one always runs: what stood before them is gone where each of them binds it."""
        size = len(outer)
        for name in set(self.log[since:]):
            entries = self.entries.get(name, [])
            if len(entries) > len(branches) and all(any(e[0] == branch for e in entries) for branch in branches):
                self.entries[name] = [
                    e
                    for e in entries
                    if e[0][:size] != outer or e[0][: size + 1] in branches or _is_typing(e[0], outer)
                ]

    def assign_instance(self, attribute: AttributeApi) -> None:
        """Note one assignment on the instance; repetitions and more than a handful are dropped."""
        known = self.instance.setdefault(attribute.name, [])
        if len(known) < _MAX_ASSIGNED and all(
            k.term != attribute.term or (k.annotation is None and attribute.annotation is not None) for k in known
        ):
            known.append(attribute)

    def conditions(self, tests: Mapping[int, Term]) -> dict[str, tuple[Term | None, ...]]:
        """For names with alternatives: the test that each stands under, where flags decide between some of them."""
        found: dict[str, tuple[Term | None, ...]] = {}
        for name, entries in self.entries.items() if tests else ():
            if len(entries) > 1 and any(number in tests for branch, _ in entries for number in branch):
                found[name] = tuple(_test(branch, tests) for branch, _ in entries)
        return found

    def definitions(self) -> dict[str, tuple[Definition, ...]]:
        """All names with their alternatives in source order."""
        return {name: tuple([entry[1] for entry in entries]) for name, entries in self.entries.items()}


_MAX_ALTERNATIVES = 64
_MAX_ASSIGNED = 6


def _test(branch: Branch, tests: Mapping[int, Term]) -> Term | None:
    """The test under which a branch runs, as far as flags say it; None where something else has a say."""
    found: Term = TRUE
    for number in branch:
        if number not in tests:
            return None
        found = both(found, tests[number])
    return found


def _is_typing(branch: Branch, other: Branch) -> bool:
    """Whether `branch` is seen by type checkers only, and `other` is not."""
    return TYPING_ONLY in branch and TYPING_ONLY not in other


def _is_accessor(function: FunctionApi) -> bool:
    return any(d.text in (f"{function.name}.setter", f"{function.name}.deleter") for d in function.decorators)


def is_type_checking(test: ast.expr) -> bool:
    """`TYPE_CHECKING`, `typing.TYPE_CHECKING`"""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
