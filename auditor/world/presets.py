"""Flags that environment variables decide: which of several definitions stands where none of them is set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from auditor.api import Definition, Reexport
from auditor.terms import Call, Constant, Decided, Import, Member, Name, Preset, Term
from auditor.world.values import ModuleValue

if TYPE_CHECKING:
    from auditor.world.world import World

_MAX_HOPS = 8


def preset(world: World, test: Term, hops: int = 0) -> Preset | None:
    """What a test comes to where no environment variable is set; None where something else decides it."""
    if hops > _MAX_HOPS:
        return None
    match test:
        case Preset():
            return test
        case Decided(condition, body, orelse):
            first = preset(world, condition, hops + 1)
            second = preset(world, body if first.holds else orelse, hops + 1) if first is not None else None
            if first is None or second is None:
                return None
            return Preset(second.holds, (*first.variables, *second.variables))
        case Call(function, positional):
            told = _of_name(world, function, "()", hops)
            passed = next((a.text[1:-1] for a in positional if isinstance(a, Constant) and a.type == "str"), "")
            return told and Preset(told.holds, tuple(variable or passed for variable in told.variables))
        case _:
            return _of_name(world, test, "", hops)


def _of_name(world: World, term: Term, suffix: str, hops: int) -> Preset | None:
    """What a module says of one of its own names."""
    match term:
        case Name(module, name):
            pass
        case Import(path):
            module, _, name = path.rpartition(".")
        case Member(of, name) if isinstance(owner := world.evaluate(of), ModuleValue):
            module = owner.name
        case _:
            return None
    api = world.module(module) if world.owns(module) else None
    if api is None:
        return None
    if (found := api.presets.get(name + suffix)) is not None:
        return found
    match api.names.get(name, ()):
        case (Reexport(path=path),):
            return _of_name(world, Import(path), suffix, hops + 1) if hops < _MAX_HOPS else None
        case _:
            return None


def likely(world: World, definitions: Iterable[Definition], tests: Iterable[Term | None]) -> list[Definition]:
    """The definitions that may stand where no environment variable is set, by the tests that they stand under."""
    kept: list[Definition] = []
    for definition, test in reversed(list(zip(definitions, tests, strict=True))):
        told = world.preset(test) if test is not None else None
        if told is None or told:
            kept.append(definition)
        if told:
            break
    return kept[::-1]
