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
        self._heirs: tuple[dict[str, list[ClassRef]], int] | None = None
        self._made: tuple[set[str], int] | None = None

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
            self._heirs = self.world.apart(self._found)
        heirs, basis = self._heirs
        self.world.basis |= basis
        return heirs.get(ref.path, [])

    def _found(self) -> dict[str, list[ClassRef]]:
        heirs: dict[str, list[ClassRef]] = {}
        for cls in self._classes():
            for base in list(cls.classes())[1:]:
                heirs.setdefault(base.path, []).append(cls)
        return heirs

    def _called(self) -> set[str]:
        if self._made is None:
            self._made = self.world.apart(self._of_calls)
        made, basis = self._made
        self.world.basis |= basis
        return made

    def _of_calls(self) -> set[str]:
        analyses = (module.analysis for module in self._modules() if module.analysis is not None)
        calls = (use for analysis in analyses for use in analysis.uses if use.kind == "call")
        values = (value for use in calls for value in alternatives(self.world.evaluate(use.term)))
        return {value.ref.path for value in values if isinstance(value, ClassValue)}

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
