"""What names stand for where an expression is read: those of its scope, over those of the scopes around it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from auditor.terms import Guard, Name, Term

Conditions: TypeAlias = "Callable[[ast.expr, Environment, bool], tuple[Guard, ...]]"
"""Says what surely holds where a test is true (or false, with True in the end)."""


class Environment:
    """The local names of a function, class body or comprehension, over those of the scopes around it.

    Args:
        module: Dotted name of the module, in whose global scope unbound names are looked up.
        outer: The enclosing environment, if any.
        class_path: Qualified name of the class whose method this is (what `super()` refers to).
        conditions: Reads what surely holds where a test is true, or false.
    """

    __slots__ = ("class_path", "conditions", "module", "names", "outer")

    def __init__(
        self,
        module: str,
        outer: Environment | None = None,
        class_path: str | None = None,
        conditions: Conditions | None = None,
    ) -> None:
        self.module = module
        self.conditions: Conditions | None = conditions or (outer.conditions if outer else None)
        self.outer = outer
        self.class_path: str | None = class_path if class_path is not None else (outer.class_path if outer else None)
        self.names: dict[str, Term] = {}

    def get(self, name: str) -> Term:
        """The term that `name` stands for: a local binding, else the global name."""
        found = self.names.get(name)
        if found is not None:
            return found
        return self.outer.get(name) if self.outer is not None else Name(self.module, name)

    def is_local(self, name: str) -> bool:
        """Whether a local scope binds `name`."""
        return name in self.names or (self.outer is not None and self.outer.is_local(name))

    def child(self) -> Environment:
        """A scope inside this one."""
        return Environment(self.module, self)
