"""Whether a use concerns a provider at all: most of what a consumer does is a matter of its own modules."""

from __future__ import annotations

from auditor.model import Use
from auditor.sides.fitting import receivers
from auditor.sides.paths import steps
from auditor.world.basis import RELEASE
from auditor.world.calls import callee
from auditor.world.values import ClassValue, InstanceValue, Options, UnknownValue, Value, alternatives
from auditor.world.world import World


def concerns(world: World, use: Use) -> bool:
    """Whether a provider is asked for what a use means.

    That is a matter of the consumer: up to the first question to a provider every release leads the same way.
    """
    return any(basis & RELEASE for _, basis in (world.apart(ask, world, use) for ask in (_meaning, _bases, _receivers)))


def _meaning(world: World, use: Use) -> Value:
    return world.evaluate(use.term)


def _bases(world: World, use: Use) -> None:
    """Ask for the bases of the consumer's own class, and of the classes that an unknown value may have come from."""
    value = world.evaluate(use.term)
    owners = [value] if use.kind == "class" else []
    if any(isinstance(one, UnknownValue) for one in alternatives(value)):
        owners += [of for step in steps(use.term) if isinstance(of := world.evaluate(step), Options)]
    for owner in owners:
        for one in alternatives(owner):
            if isinstance(one, ClassValue | InstanceValue):
                one.ref.mro()


def _receivers(world: World, use: Use) -> None:
    """Ask who makes what is called, and who gets its keywords."""
    for value in alternatives(world.evaluate(use.term)) if use.kind == "call" else ():
        found = callee(world, value)
        for _ in receivers(world, found) if found is not None else ():
            pass
