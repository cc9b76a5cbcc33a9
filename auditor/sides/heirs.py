"""The consumer's own classes on one side: who inherits from them, and which are ever made into objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from auditor.api import ClassApi, Definition
from auditor.consumer.analysis import ConsumerModule
from auditor.world.classes import ClassRef
from auditor.world.trees import Tree
from auditor.world.values import ClassValue, alternatives
from auditor.world.world import World


@runtime_checkable
class Analysed(Tree, Protocol):
    """A tree of modules that come with the uses in them."""

    def loaded(self) -> Iterable[ConsumerModule]:
        """The modules read so far."""


class Heirs:
    """Who inherits from what in the consumer; found out when first asked.

    Args:
        world: The world that resolves the bases.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._heirs: dict[str, list[ClassRef]] | None = None
        self._made: set[str] | None = None

    def leave_open(self, ref: ClassRef) -> list[ClassRef]:
        """The classes that stand for `ref` wherever it is used: its last heirs, where it is no object itself.

        Empty for a class that nothing inherits from, and for one that is called somewhere.
        """
        heirs = self._of(ref)
        if not heirs or ref.path in self._called():
            return []
        return [heir for heir in heirs if not self._of(heir) or heir.path in self._called()]

    def _of(self, ref: ClassRef) -> list[ClassRef]:
        if self._heirs is None:
            self._heirs = {}
            for cls in self._classes():
                for base in list(cls.classes())[1:]:
                    self._heirs.setdefault(base.path, []).append(cls)
        return self._heirs.get(ref.path, [])

    def _called(self) -> set[str]:
        if self._made is None:
            calls = (
                use
                for module in self._modules()
                if module.analysis is not None
                for use in module.analysis.uses
                if use.kind == "call"
            )
            values = (value for use in calls for value in alternatives(self.world.evaluate(use.term)))
            self._made = {value.ref.path for value in values if isinstance(value, ClassValue)}
        return self._made

    def _modules(self) -> list[ConsumerModule]:
        return [module for tree in self.world.trees if isinstance(tree, Analysed) for module in tree.loaded()]

    def _classes(self) -> Iterator[ClassRef]:
        for module in self._modules():
            for definitions in module.api.names.values():
                yield from self._inside(definitions, module.api.name, "")

    def _inside(self, definitions: Iterable[Definition], module: str, prefix: str) -> Iterator[ClassRef]:
        for definition in definitions:
            if isinstance(definition, ClassApi):
                qualname = f"{prefix}{definition.name}"
                yield self.world.class_ref(definition, module, qualname)
                for members in definition.members.values():
                    yield from self._inside(members, module, f"{qualname}.")
