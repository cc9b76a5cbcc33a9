"""The consumer's files as they stand between two rounds of pruning."""

from __future__ import annotations

import re
from collections.abc import Mapping

from auditor.consumer.source import Sources
from auditor.patches import proofs
from auditor.prune.scopes import FileScopes

_IMPORT = re.compile(rb"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\r?\n)*)", re.MULTILINE)
_NAME = re.compile(rb"\w+")


class ConsumerFiles:
    """Files by path, parsed when they are asked for.

    Args:
        sources: Says which module each file is.
        contents: Their contents.
    """

    def __init__(self, sources: Sources, contents: Mapping[str, bytes]) -> None:
        self.contents = dict(contents)
        self._paths = sources.modules
        self._modules = {path: module for module, path in sources.modules.items()}
        self._scopes: dict[str, FileScopes | None] = {}
        self._stored: dict[str, bool] = {}
        self._imports: dict[str, frozenset[tuple[str, str]]] = {}

    def scopes(self, path: str) -> FileScopes | None:
        """The scopes of a file; None where it cannot be parsed."""
        if path not in self._scopes:
            tree = proofs.tree(self.contents[path])
            package = path.rsplit("/", 1)[-1] == "__init__.py"
            self._scopes[path] = FileScopes(tree, self._modules[path], is_package=package) if tree else None
        return self._scopes[path]

    def replace(self, path: str, content: bytes) -> None:
        """A file gets another content."""
        self.contents[path] = content
        self._scopes.pop(path, None)
        self._imports.pop(path, None)

    def home(self, path: str) -> tuple[FileScopes, str] | None:
        """The file that defines a global of the consumer by its dotted path, and the name there."""
        module, _, name = path.rpartition(".")
        file = self._paths.get(module)
        scopes = self.scopes(file) if file is not None else None
        return (scopes, name) if scopes is not None else None

    def is_stored(self, name: str) -> bool:
        """Whether code anywhere assigns to an attribute of this name."""
        if name not in self._stored:
            pattern = re.compile(rf"\.{re.escape(name)}\s*=(?!=)|['\"]{re.escape(name)}['\"]".encode())
            self._stored[name] = any(pattern.search(content) for content in self.contents.values())
        return self._stored[name]

    def is_used(self, path: str, name: str, *, as_attribute: bool) -> bool:
        """Whether another file imports a global from this one, or (as far as names tell) reads it as an attribute."""
        tail = self._modules[path].rpartition(".")[2]
        others = [other for other in self.contents if other != path]
        if any((tail, name) in self._imported(other) or ("", name) in self._imported(other) for other in others):
            return True
        attribute = re.compile(rf"\.{re.escape(name)}\b".encode())
        return as_attribute and any(attribute.search(self.contents[other]) for other in others)

    def _imported(self, path: str) -> frozenset[tuple[str, str]]:
        """What a file imports: the last name of the module ("" for the package itself), and the name."""
        if path not in self._imports:
            self._imports[path] = frozenset(
                (match[1].decode("ascii", "replace").rpartition(".")[2], name.decode("ascii", "replace"))
                for match in _IMPORT.finditer(self.contents[path])
                for name in _NAME.findall(match[2])
            )
        return self._imports[path]
