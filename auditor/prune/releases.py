"""The releases of a range as guards ask them: their versions, and what is there to be imported, read and called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import msgspec

from auditor.api import ParameterKind
from auditor.sides import Side, first_missing, may_be_compiled
from auditor.terms import Import, Member
from auditor.world.calls import callee
from auditor.world.values import ClassValue, FunctionValue, Missing, ModuleValue, UnknownValue, Value, alternatives


class Claim(msgspec.Struct, frozen=True):
    """What is said of a provider: the range, and whether the consumer cannot be installed without it."""

    provider: str
    text: str
    """`vllm>=0.16,<0.24`"""
    required: bool


class Asked:
    """One release of a provider.

    Args:
        version: As published.
        spec: What opens it.
        packages: The provider's top-level import names.
        side: Opens the release when something but its version is asked for.
    """

    def __init__(self, version: str, spec: str, packages: tuple[str, ...], side: Callable[[], Side]) -> None:
        self.version = version
        self.spec = spec
        self.packages = packages
        self._open = side

    @cached_property
    def side(self) -> Side:
        """The release itself."""
        return self._open()

    def owns(self, path: str) -> bool:
        """Whether a dotted path leads into the provider."""
        return path.partition(".")[0] in self.packages

    def attribute(self, path: str, name: str) -> bool | None:
        """Whether a module or class has an attribute; None where that depends on more than the release."""
        of = self._value(path)
        found = self.side.value(Member(Import(path), name))
        there: bool | None
        if isinstance(of, ClassValue):
            there = isinstance(found, FunctionValue | ClassValue) or None
        elif isinstance(of, ModuleValue):
            there = None if isinstance(found, ModuleValue) else self._is_there(found)
        else:
            return None
        return self._gone(found) if isinstance(found, Missing) else there

    def imported(self, module: str, name: str | None) -> bool | None:
        """Whether `import module`, or `from module import name`, succeeds."""
        if not self.side.world.has_module(module):
            value = self._value(module)
            return self._gone(value) if isinstance(value, Missing) else None
        return True if name is None else self._is_there(self._value(f"{module}.{name}"))

    def parameter(self, path: str, name: str) -> ParameterKind | bool | None:
        """The kind of a parameter that a function's or class's signature names, False where it has none such."""
        value = self._value(path)
        found = callee(self.side.world, value) if isinstance(value, FunctionValue | ClassValue) else None
        if found is None:
            return None
        return next((p.kind for p in found.parameters if p.name == name), False)

    def _value(self, path: str) -> Value:
        return self.side.value(Import(path))

    def _is_there(self, value: Value) -> bool | None:
        found = {self._exists(each) for each in alternatives(value)}
        return found.pop() if len(found) == 1 else None

    def _exists(self, value: Value) -> bool | None:
        if isinstance(value, Missing):
            return self._gone(value)
        return None if isinstance(value, UnknownValue) and not value.path else True

    def _gone(self, value: Missing) -> bool | None:
        """That something is surely not there: what has no source may still be compiled."""
        world = self.side.world
        return None if not value.certain or may_be_compiled(world, *first_missing(world, value.path)) else False
