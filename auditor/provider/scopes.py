"""The local names of a provider's function, read into terms only when something asks for them."""

from __future__ import annotations

import ast
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from auditor.reading import Environment, bind_target, read
from auditor.terms import (
    UNKNOWN,
    Constant,
    Element,
    Entered,
    Import,
    Member,
    Name,
    Term,
    Unknown,
    Unpacked,
    choice,
    slimmed,
)

Origin: TypeAlias = Literal["value", "each", "async each", "enter", "async enter"]

MAX_NODES = 60
"""Size beyond which the term of a local is dropped: locals built from locals would grow without end."""

_MAX_SOURCES = 4


class Source(NamedTuple):
    """Where a local gets its value: the assignment target, the expression, and how the value is taken from it."""

    target: ast.expr
    value: ast.expr | None
    origin: Origin


class LocalScope(Environment):
    """A function's locals over the global scope: `pending` holds what has not been asked for yet."""

    __slots__ = ("pending",)

    def __init__(self, module: str, outer: Environment | None = None, class_path: str | None = None) -> None:
        super().__init__(module, outer, class_path)
        self.pending: dict[str, list[Source | Term]] = {}

    def get(self, name: str) -> Term:
        """The term of a local, else of the global of that name."""
        sources = self.pending.pop(name, None)
        if sources is None:
            return super().get(name)
        given = self.names.get(name)
        self.names[name] = UNKNOWN if given is None else given
        options = [] if given is None else [given]
        options += [
            bounded(self._read(name, source)) if isinstance(source, Source) else source
            for source in sources[:_MAX_SOURCES]
        ]
        found = self.names[name] = options[0] if len(options) == 1 else bounded(choice(options))
        return found

    def is_local(self, name: str) -> bool:
        """Whether the function, or one around it, binds `name`."""
        return name in self.pending or super().is_local(name)

    def assign(self, name: str, source: Source | Term) -> None:
        """Note one more value that `name` may have."""
        self.pending.setdefault(name, []).append(source)

    def _read(self, name: str, source: Source) -> Term:
        value = read_source(source, self)
        if isinstance(source.target, ast.Name):
            return value
        parts = Environment(self.module)
        bind_target(source.target, value, parts)
        return parts.names.get(name, UNKNOWN)


def read_source(source: Source, env: Environment) -> Term:
    """The term of the value that an assignment, loop or `with` hands to its target."""
    if source.value is None:
        return UNKNOWN
    value = read(source.value, env)
    if source.origin == "value":
        return value
    if source.origin in ("each", "async each"):
        return Element(value, source.origin == "async each")
    return Entered(value, source.origin == "async enter")


def target_names(target: ast.expr) -> list[str]:
    """The plain names that an assignment target binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    found: list[str] = []
    waiting: list[ast.expr] = [target]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.Tuple | ast.List):
            waiting.extend(reversed(node.elts))
        elif isinstance(node, ast.Starred):
            waiting.append(node.value)
    return found


def imported(node: ast.Import | ast.ImportFrom, package: str) -> list[tuple[str, str]]:
    """The (bound name, absolute path) pairs of an import statement in `package`; the name is `*` for a wildcard."""
    if isinstance(node, ast.Import):
        return [(a.asname or a.name.split(".")[0], a.name if a.asname else a.name.split(".")[0]) for a in node.names]
    base = absolute(node.module or "", node.level, package)
    return [(a.asname or a.name, base if a.name == "*" else f"{base}.{a.name}" if base else a.name) for a in node.names]


def absolute(path: str, level: int, package: str) -> str:
    """The absolute form of `path` after `level` dots, as seen from a module in `package`."""
    if level == 0:
        return path
    base = package.split(".")
    kept = base[: max(len(base) - level + 1, 0)]
    return ".".join([*kept, path] if path else kept)


def import_term(path: str) -> Term:
    """The term for a name that an import statement inside a function binds."""
    return Import(path)


def class_term(module: str, qualified: str) -> Term:
    """The term for the class `qualified` (dotted when nested) of `module`."""
    first, *rest = qualified.split(".")
    term: Term = Name(module, first)
    for part in rest:
        term = Member(term, part)
    return term


def fits(term: Term, limit: int = MAX_NODES) -> bool:
    """Whether a term has at most `limit` nodes."""
    if term.__class__ in _LEAVES:
        return True
    waiting: list[Any] = [term]
    count = 0
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind is tuple:
            waiting += node
        elif kind is not str:
            count += 1
            if count > limit:
                return False
            if kind not in _LEAVES:
                waiting += [getattr(node, field) for field in _PARTS.get(kind, ())]
    return True


_LEAVES: frozenset[type[Any]] = frozenset({Unknown, Import, Name, Constant})
_PARTS: dict[type[Any], tuple[str, ...]] = {
    kind: tuple([f for f in kind.__struct_fields__ if f not in ("name", "is_async", "size", "type", "open")])
    for kind in get_args(Term)
}
_PARTS[Unpacked] = ("of",)


def bounded(term: Term, limit: int = MAX_NODES) -> Term:
    """`term`; where it is too large to keep without what calls are passed, and where that is too large, an unknown."""
    if fits(term, limit):
        return term
    slim = slimmed(term)
    return slim if fits(slim, limit) else Unknown("too large")
