"""Symbolic expressions: what an expression *is*, said without asking any provider release.

A consumer is read once and yields terms; each provider release then gives them a meaning (`auditor.world`). The same
terms describe a provider's own attributes and return values, so both sides are evaluated by one mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias, cast

import msgspec


class _Node(msgspec.Struct, frozen=True, array_like=True, tag_field="node", gc=False):
    """Base of all terms: immutable, hashable, cheap to store."""


class Unknown(_Node, frozen=True, tag="?"):
    """A value that static reading cannot name."""

    reason: str = "dynamic"


class Import(_Node, frozen=True, tag="import"):
    """The module, or the member of a module, that an import statement binds: `a.b.C`."""

    path: str


class Name(_Node, frozen=True, tag="name"):
    """A name looked up in the global scope of `module` (then among the builtins)."""

    module: str
    name: str


class Member(_Node, frozen=True, tag="member"):
    """`of.name`"""

    of: Term
    name: str


class Call(_Node, frozen=True, tag="call"):
    """The result of calling `function`; `keywords` and `positional` say which arguments were passed."""

    function: Term
    positional: tuple[Term, ...] = ()
    keywords: tuple[tuple[str, Term], ...] = ()


class Subscript(_Node, frozen=True, tag="item"):
    """`of[index]`, or a generic alias such as `list[Request]` when read as an annotation."""

    of: Term
    index: tuple[Term, ...] = ()


class Element(_Node, frozen=True, tag="each"):
    """One element of iterating over `of`; `is_async` for `async for`."""

    of: Term
    is_async: bool = False


class Unpacked(_Node, frozen=True, tag="unpacked"):
    """Position `index` of unpacking `of` into `size` targets."""

    of: Term
    index: int
    size: int


class Awaited(_Node, frozen=True, tag="await"):
    """`await of`"""

    of: Term


class Entered(_Node, frozen=True, tag="enter"):
    """The value bound by `with of as name`."""

    of: Term
    is_async: bool = False


class Instance(_Node, frozen=True, tag="instance"):
    """A value annotated with, or constructed from, the type expression `of`."""

    of: Term


class Super(_Node, frozen=True, tag="super"):
    """`super()` inside the class named by `of`."""

    of: Term


class Choice(_Node, frozen=True, tag="choice"):
    """One of several values: branches that meet, `a or b`, conditional definitions, unions."""

    options: tuple[Term, ...]


class Preset(_Node, frozen=True, tag="preset"):
    """A test of environment variables: what it comes to where none of them is set."""

    holds: bool
    variables: tuple[str, ...] = ()


class Decided(_Node, frozen=True, tag="if"):
    """`body` where `test` holds, else `orelse`, for tests that may come down to a `Preset`."""

    test: Term
    body: Term
    orelse: Term


class Constant(_Node, frozen=True, tag="const"):
    """A literal, as its Python type's name and source text (`"int"`, `"3"`)."""

    type: str
    text: str


class Sequence(_Node, frozen=True, tag="seq"):
    """A tuple, list or set display, or a comprehension (`type` says which; a comprehension has its one element)."""

    type: str
    items: tuple[Term, ...]


class Mapping(_Node, frozen=True, tag="map"):
    """A dict whose string keys are known; `open` when there may be more."""

    items: tuple[tuple[str, Term], ...]
    open: bool = False
    conditions: tuple[tuple[str, tuple[Guard, ...]], ...] = ()
    """Keys that are there only sometimes, each with what surely holds where it is there (nothing, if unreadable)."""
    rest: Term | None = None
    """What any further value is, if that is known."""


class Guard(msgspec.Struct, frozen=True, gc=False):
    """A condition in the consumer under which a use is reached.

    kinds: `version` (package, operator, version, perhaps a part of it), `import-fallback` (an alternative is imported
    instead), `swallowed` (the exception is caught and nothing takes its place), `alternative` (the exception is caught
    and something else is done instead, or `of` is set where it is lacking), `fails` (what `of` calls is refused),
    `hasattr` (of, name), `type-checking`, `parameter` (name is tested against the signature of `of`), `importable` (a
    module is found or not), `flag` (a name of another module, by its dotted path), `all` and `any` of some parts.
    """

    kind: Literal[
        "version",
        "import-fallback",
        "swallowed",
        "alternative",
        "fails",
        "hasattr",
        "type-checking",
        "parameter",
        "importable",
        "flag",
        "all",
        "any",
    ]
    text: str
    package: str = ""
    operator: str = ""
    """A comparison, `startswith`, or `in` for a version specifier or several versions."""
    version: str = ""
    name: str = ""
    of: Term | None = None
    negated: bool = False
    part: str = ""
    """Of a version: the number at an index (`0`), or so many of the first (`:2`)."""
    parts: tuple[Guard, ...] = ()


Term: TypeAlias = (
    Unknown
    | Import
    | Name
    | Member
    | Call
    | Subscript
    | Element
    | Unpacked
    | Awaited
    | Entered
    | Instance
    | Super
    | Choice
    | Preset
    | Decided
    | Constant
    | Sequence
    | Mapping
)

UNKNOWN = Unknown()
NONE = Constant("NoneType", "None")


def global_path(module: str, qualified: str) -> Term:
    """The term for a dotted name in the global scope of `module`, such as a nested class."""
    first, *rest = qualified.split(".")
    term: Term = Name(module, first)
    for part in rest:
        term = Member(term, part)
    return term


def choice(options: list[Term]) -> Term:
    """Join alternatives into one term, flat and without repetition."""
    flat: dict[Term, None] = {}
    for option in options:
        if isinstance(option, Choice):
            flat.update(dict.fromkeys(option.options))
        else:
            flat[option] = None
    if len(flat) == 1:
        return next(iter(flat))
    return Choice(tuple(flat)) if flat else UNKNOWN


def root(term: Term) -> Term:
    """The innermost term that `term` is built on: the import or name an access path starts from."""
    current: Any = term
    while True:
        kind = type(current)
        if kind in _WITH_OF or kind is Subscript:
            current = current.of
        elif kind is Call:
            current = current.function
        else:
            return cast("Term", current)


_Parts: TypeAlias = Callable[[Any], Iterable[Term]]
_WITH_OF: frozenset[type[Any]] = frozenset({Member, Element, Unpacked, Awaited, Entered, Instance, Super})
"""Terms that are made of one other, their `of`: most of an access path."""
_PARTS: dict[type[Any], _Parts] = {
    Subscript: lambda term: (term.of, *term.index),
    Call: lambda term: (term.function, *term.positional, *(value for _, value in term.keywords)),
    Choice: lambda term: term.options,
    Decided: lambda term: (term.test, term.body, term.orelse),
    Sequence: lambda term: term.items,
    Mapping: lambda term: [value for _, value in term.items],
}
"""What other terms are made of, by exact type: `isinstance` of many would double the time."""
_ORIGINS: dict[type[Any], _Parts] = {
    Subscript: lambda term: (*term.index, term.of),
    Call: lambda term: (*term.positional[:2], term.function),
    Choice: lambda term: term.options,
    Decided: lambda term: (term.body, term.orelse),
    Sequence: lambda term: term.items,
}


def roots(term: Term) -> Iterator[Term]:
    """Every import, name or unknown that an access path may start from.

    The result of a call may come from what was passed to it (`next(iter(x))`, `replace(x, ...)`), and an element of
    `list[X]` is an `X`, so the roots of arguments and indices count as well.
    """
    stack: list[Any] = [term]
    while stack:
        current = stack.pop()
        while type(current) in _WITH_OF:
            current = current.of
        origins = _ORIGINS.get(type(current))
        if origins is not None:
            stack.extend(origins(current))
        else:
            yield current


def slimmed(term: Term) -> Term:
    """The term without the values that calls are passed: what is called says most about the result."""
    match term:
        case Call(function, positional, keywords):
            return Call(slimmed(function), (UNKNOWN,) * len(positional), tuple((name, UNKNOWN) for name, _ in keywords))
        case Choice(options):
            return choice([slimmed(option) for option in options])
        case Member(of, name):
            return Member(slimmed(of), name)
        case _:
            return term


MAX_WEIGHT = 200
"""Nodes a remembered term may have: real access paths have a dozen, a loop of reassignments has no bound."""


def bounded(term: Term) -> Term:
    """The term itself, or an unknown where it has grown beyond what any real access path needs."""
    if _fits(term):
        return term
    slim = slimmed(term)
    return slim if _fits(slim) else Unknown("too many alternatives")


def _fits(term: Term) -> bool:
    left = MAX_WEIGHT
    stack: list[Any] = [term]
    while stack:
        current = stack.pop()
        while type(current) in _WITH_OF:
            current = current.of
            left -= 1
        left -= 1
        if left < 0:
            return False
        parts = _PARTS.get(type(current))
        if parts is not None:
            stack.extend(parts(current))
    return True
