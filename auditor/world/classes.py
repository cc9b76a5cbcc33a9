"""Classes of a world: identity, resolution order, member lookup; what the constructor reader needs to know of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from auditor.api import AttributeApi, ClassApi, Definition, FunctionApi
from auditor.terms import Subscript, Term
from auditor.world.basis import OWN
from auditor.world.values import Literal

if TYPE_CHECKING:
    from auditor.world.world import World


_MAX_ANCESTRY = 60
"""Generations of bases; beyond them a base counts as unknown."""
_MAX_CLASSES = 1000
"""Classes to put into C3 order; more are taken depth first."""


class ExternalBase(msgspec.Struct, frozen=True):
    """A base class outside the world, by dotted path; "" where even that is unknown."""

    path: str


_Base: TypeAlias = "ClassRef | ExternalBase"


class ClassRef:
    """A class definition in one world, equal to itself by path.

    Args:
        api: The class as read.
        module: Dotted name of the module that defines it.
        qualname: Its name inside the module.
        world: The world that resolves its bases.
    """

    __slots__ = ("_basis", "_is_generic", "_mro", "api", "module", "path", "qualname", "world")

    def __init__(self, api: ClassApi, module: str, qualname: str, world: World) -> None:
        self.api = api
        self.module = module
        self.qualname = qualname
        self.path = f"{module}.{qualname}"
        self.world = world
        self._mro: tuple[ClassRef | ExternalBase, ...] | None = None
        self._basis = OWN
        self._is_generic: bool | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassRef) and other.path == self.path and other.api is self.api

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"ClassRef({self.path})"

    def mro(self) -> tuple[ClassRef | ExternalBase, ...]:
        """Itself and its bases in C3 order; where C3 has no answer, depth first without repetition."""
        return self._order(0)

    def _order(self, above: int) -> tuple[ClassRef | ExternalBase, ...]:
        if self._mro is None and above >= _MAX_ANCESTRY:
            return (self, ExternalBase(""))
        if self._mro is None:
            self._mro = (self,)  # a class that inherits from itself ends here
            self._mro, self._basis = order, _ = self.world.apart(self._linearised, above)
            return order
        self.world.basis |= self._basis
        return self._mro

    def _linearised(self, above: int) -> tuple[ClassRef | ExternalBase, ...]:
        # `class C(C)` inherits from what the name meant before, an import that the class itself replaced
        bases = [ExternalBase("") if base == self else base for base in map(self.world.base, self.api.bases)]
        orders: list[list[ClassRef | ExternalBase]] = [
            list(b._order(above + 1)) if isinstance(b, ClassRef) else [b] for b in bases
        ]
        if sum(map(len, orders)) > _MAX_CLASSES:  # nobody wrote that by hand
            return tuple(dict.fromkeys((self, *chain.from_iterable(orders))))
        return (self, *(base for base in _merged([*orders, list(bases)]) if base != self))

    @property
    def is_generic(self) -> bool:
        """Whether it inherits from a class whose type variables have arguments: `class Items(Box[Item])`."""
        if self._is_generic is None:
            self._is_generic = any(isinstance(base, Subscript) for cls in self.classes() for base in cls.api.bases)
        self.world.basis |= self._basis
        return self._is_generic

    def classes(self) -> Iterator[ClassRef]:
        """The classes of its resolution order that the world knows."""
        return (c for c in self.mro() if isinstance(c, ClassRef))

    def externals(self) -> list[str]:
        """Paths of the bases outside the world that might add members ("" for unknown ones)."""
        return [c.path for c in self.mro() if isinstance(c, ExternalBase) and c.path not in MEMBERLESS]

    def find(self, name: str) -> tuple[ClassRef, Definition] | None:
        """The first definition of `name` along the resolution order: class body, then attributes set on `self`."""
        if (found := self.own(name)) is not None:
            return self, found  # whatever its bases are
        for cls in self.mro()[1:]:
            if isinstance(cls, ClassRef) and (found := cls.own(name)) is not None:
                return cls, found
        return None

    def own(self, name: str) -> Definition | None:
        """The definition of `name` in this class itself."""
        alternatives = [
            d for d in self.api.members.get(name, ()) if not (isinstance(d, AttributeApi) and d.is_init_only)
        ]
        if alternatives:
            functions = [d for d in alternatives if isinstance(d, FunctionApi)]
            getters = [d for d in functions if not d.has("setter", "deleter")]
            return (getters or functions or alternatives)[-1]
        if attributes := self.api.instance.get(name):
            return best_attribute(attributes)
        return None

    def canonical(self, term: Term) -> str | None:
        """The dotted path that a term of its module stands for."""
        return self.world.canonical(term)

    def function(self, path: str) -> FunctionApi | None:
        """The function defined at a dotted path."""
        return self.world.function(path)

    def class_(self, path: str) -> ClassRef | None:
        """The class defined at a dotted path."""
        return self.world.class_(path)

    def constant(self, term: Term) -> str | None:
        """The literal that a name is bound to, as source text."""
        value = self.world.evaluate(term)
        return value.text if isinstance(value, Literal) else None


def _merged(orders: Sequence[Sequence[_Base]]) -> Iterator[_Base]:
    """The C3 merge: each time the first head that no order has further behind, or the first where there is none."""
    behind = Counter(chain.from_iterable(order[1:] for order in orders))
    places = {number: 0 for number, order in enumerate(orders) if order}
    taken: set[_Base] = set()
    while places:
        heads = [orders[number][place] for number, place in places.items()]
        head = next((head for head in heads if not behind[head]), heads[0])
        taken.add(head)
        yield head
        for number, order in enumerate(orders):
            while number in places and order[places[number]] in taken:
                places[number] += 1
                if places[number] == len(order):
                    del places[number]
                else:
                    behind[order[places[number]]] -= 1


MEMBERLESS = frozenset(
    {
        "builtins.object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Protocol",
        "typing_extensions.Generic",
        "typing.TypedDict",
    }
)
"""Outside bases that bring no members worth asking for."""


def best_attribute(attributes: Sequence[AttributeApi]) -> AttributeApi:
    """Of several assignments, the one that says most: annotated, else the first that is not `None`."""
    for attribute in attributes:
        if attribute.annotation is not None:
            return attribute
    for attribute in attributes:
        if attribute.value not in (None, "None"):
            return attribute
    return attributes[0]
