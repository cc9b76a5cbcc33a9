"""Which terms of a file may lead to a provider or to the consumer itself, and what its imports call them."""

from __future__ import annotations

import builtins
from typing import Any

from auditor.terms import Import, Member, Name, Term, roots

BUILTINS = frozenset(dir(builtins))


class Relevance:
    """What matters in one file.

    Args:
        module: Dotted name of the file's module.
        interesting: Top-level import names worth recording.
        imports: Global name -> the paths that imports bind to it.
    """

    def __init__(self, module: str, interesting: frozenset[str], imports: dict[str, list[str]]) -> None:
        self.module = module
        self.interesting = interesting
        self.imports = imports
        self.foreign = (BUILTINS - imports.keys()) | {
            name for name, paths in imports.items() if all(p and p.split(".", 1)[0] not in interesting for p in paths)
        }

    def of(self, term: Term) -> bool:
        """Whether a use of this is worth recording."""
        return any(map(self._is_ours, roots(term)))

    def of_path(self, path: str) -> bool:
        """Whether a dotted path is."""
        return path.partition(".")[0] in self.interesting

    def _is_ours(self, start: Term) -> bool:
        if isinstance(start, Import):
            return self.of_path(start.path)
        return isinstance(start, Name) and start.module == self.module and start.name not in self.foreign

    def paths(self, term: Term) -> list[str]:
        """The dotted paths that imports give to what a term names."""
        start: Any = term
        names: list[str] = []
        while isinstance(start, Member):
            names.append(start.name)
            start = start.of
        if isinstance(start, Import):
            found = [start.path]
        elif isinstance(start, Name) and start.module == self.module:
            found = list(dict.fromkeys(self.imports.get(start.name, ())))
        else:
            return []
        return [".".join((path, *reversed(names))) for path in found] if names else found
