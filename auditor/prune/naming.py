"""Finds what names of the consumer stand for: the dotted path of an import, or the one place that gives the value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from auditor.prune.scopes import Binding, FileScopes

_MAX_DEPTH = 40


class UnknownError(Exception):
    """A value that cannot be computed."""


class Files(Protocol):
    """The consumer's files, as far as conditions lead into them."""

    def home(self, path: str) -> tuple[FileScopes, str] | None:
        """The file that defines a global of the consumer by its dotted path, and the name there."""

    def is_stored(self, name: str) -> bool:
        """Whether code anywhere assigns to an attribute of this name."""


Definition = tuple[FileScopes, Binding]
"""The place that gives a name its value."""


class Names:
    """What names stand for.

    Args:
        files: The consumer's files.
        tried: Tells of a `try` around imports whether its body runs through, or fails at once.
    """

    def __init__(self, files: Files, tried: Callable[[ast.Try, FileScopes], bool | None]) -> None:
        self._files = files
        self._tried = tried
        self._depth = 0

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One more step of a recursion that definitions of each other could keep up for ever."""
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise UnknownError
            yield
        finally:
            self._depth -= 1

    def path(self, node: ast.expr, file: FileScopes) -> str | None:
        """The dotted path that an expression names, through imports and aliases."""
        match node:
            case ast.Name(id=name):
                scope = file.of[id(node)].find(name)
                if scope is None:
                    return f"builtins.{name}"
                binding = self._chosen(scope.bindings[name], file)
                if binding is None:
                    return None
                if binding.path:
                    return binding.path
                if isinstance(binding.value, ast.Name | ast.Attribute):
                    with self.deeper():
                        return self.path(binding.value, file)
                return f"{file.module}.{name}" if scope is file.top else None
            case ast.Attribute(value=value, attr=attr):
                of = self.path(value, file)
                return f"{of}.{attr}" if of is not None else None
            case _:
                return None

    def definition(self, node: ast.expr, file: FileScopes) -> Definition | None:
        """The one place where a name of the consumer gets its value, here or in another file."""
        scope = file.of[id(node)].find(node.id) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Name) and scope is not None:
            binding = self._chosen(scope.bindings[node.id], file)
            if binding is None or (scope is file.top and self._files.is_stored(node.id)):
                return None
            if not binding.path:
                return file, binding
        path = self.path(node, file)
        for _ in range(3):  # through modules that import a name only to pass it on
            home = self._files.home(path) if path is not None else None
            if home is None or self._files.is_stored(home[1]):
                return None
            there, name = home
            binding = self._chosen(there.top.bindings.get(name, []), there)
            if binding is None:
                return None
            if not binding.path:
                return there, binding
            path = binding.path
        return None

    def either(self, node: ast.Name, file: FileScopes) -> tuple[ast.expr, ast.expr] | None:
        """The two values of a name that the two branches of one `if` give it."""
        scope = file.of[id(node)].find(node.id)
        match scope.bindings[node.id] if scope is not None else []:
            case [Binding(node=one, value=ast.expr() as yes), Binding(node=other, value=ast.expr() as no)]:
                around = file.parents.get(id(one))
                if not isinstance(around, ast.If) or file.parents.get(id(other)) is not around:
                    return None
                return (yes, no) if one in around.body and other in around.orelse else None
            case _:
                return None

    def _chosen(self, bindings: Sequence[Binding], file: FileScopes) -> Binding | None:
        """The one binding of a name; of two in the parts of one `try`, the one in the part that runs."""
        if len(bindings) == 1:
            return bindings[0]
        around = [file.parents.get(id(binding.node)) for binding in bindings]
        if len(bindings) != 2 or not isinstance(around[1], ast.ExceptHandler):
            return None
        outer = file.parents.get(id(around[1]))
        if not isinstance(outer, ast.Try) or around[0] is not outer or bindings[0].node not in outer.body:
            return None
        with self.deeper():
            ran = self._tried(outer, file)
        return None if ran is None else bindings[0 if ran else 1]
