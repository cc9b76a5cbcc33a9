"""What a file of the consumer calls things: its imports, its constants, and whether it tests versions or abilities."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from auditor.guarding.releases import Style
from auditor.model import Use
from auditor.portions import portion
from auditor.terms import Guard, Import


class FileNames:
    """The names of one file.

    Args:
        source: Its text.
        uses: What it uses.
    """

    def __init__(self, source: str, uses: Sequence[Use]) -> None:
        self.source = source
        self.uses = uses
        self._given: dict[str, str] = {}
        """Constants that are added: name -> expression."""

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.source)

    @cached_property
    def constants(self) -> dict[str, str]:
        """Expression -> the name that the module gives it, where it does so once."""
        found: dict[str, str] = {}
        bound = Counter(n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        for statement in self.tree.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                (target,) = statement.targets
                if isinstance(target, ast.Name) and bound[target.id] == 1:
                    found.setdefault(ast.dump(statement.value), target.id)
        return found

    def imported(self, path: str) -> str | None:
        """The name under which the module has what stands at a dotted path."""
        for use in self.uses:
            if use.kind == "import" and not use.scope and isinstance(use.term, Import) and use.alias:
                if use.term.path == path:
                    return use.alias
                if path.startswith(f"{use.term.path}.") and use.alias != use.term.path.partition(".")[0]:
                    return use.alias + path[len(use.term.path) :]
        return None

    def is_global(self, name: str) -> bool:
        """Whether a name is bound at the top of the module, and nowhere else."""
        top = any(use.kind == "import" and use.alias == name and not use.scope for use in self.uses)
        return top and not any(use.kind == "import" and use.alias == name and use.scope for use in self.uses)

    def constant(self, expression: str, wanted: Sequence[str]) -> tuple[str, bool]:
        """The name of the constant that holds an expression, and whether it is a new one.

        Args:
            expression: Its value.
            wanted: What to call it, the best name first.
        """
        known = self.constants.get(ast.dump(ast.parse(expression, mode="eval").body))
        if known is not None:
            return known, False
        for name in (*wanted, *(f"{wanted[-1]}_{n}" for n in range(2, 100))):
            if self._given.get(name, expression) == expression and not self.mentions(name):
                self._given[name] = expression
                return name, True
        raise AssertionError("no name is left")

    def fresh(self, name: str) -> str:
        """A name that the file does not use."""
        candidates = (name, *(f"{name}_{n}" for n in range(2, 100)))
        found = next(c for c in candidates if c not in self._given and not self.mentions(c))
        self._given[found] = found
        return found

    def mentions(self, name: str) -> bool:
        """Whether a name stands anywhere in the file."""
        return re.search(rf"\b{re.escape(name)}\b", self.source) is not None


def style_of(uses: Iterable[Use], packages: Iterable[str]) -> Style:
    """How the consumer itself tells releases of some packages apart, where it does; by abilities where it does not."""
    mine = set(packages)
    counts: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for use in uses:
        for guard in use.guards:
            if (use.span.path, guard.text) not in seen:
                seen.add((use.span.path, guard.text))
                counts[_kind(guard, mine)] += 1
    return "version" if counts["version"] > counts["capability"] else "capability"


def _kind(guard: Guard, packages: set[str]) -> str:
    if guard.kind in ("all", "any"):
        return next((kind for part in guard.parts if (kind := _kind(part, packages))), "")
    if guard.kind == "version":
        return "version" if portion(guard.package, packages) is not None else ""
    if guard.kind in ("hasattr", "parameter", "importable", "import-fallback"):
        return "capability"
    return ""
