"""What each kind of term means: one step of the recursion, the parts of a term evaluated by the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.terms import (
    Awaited,
    Call,
    Choice,
    Constant,
    Decided,
    Element,
    Entered,
    Import,
    Instance,
    Mapping,
    Member,
    Name,
    Preset,
    Sequence,
    Subscript,
    Super,
    Term,
    Unknown,
    Unpacked,
)
from auditor.world import calls, types
from auditor.world.values import (
    ClassValue,
    Container,
    Keys,
    Literal,
    SuperValue,
    UnknownValue,
    Value,
    options,
)

if TYPE_CHECKING:
    from auditor.world.world import World


def meaning(world: World, term: Term) -> Value:
    """The value of a term in a world."""
    match term:
        case Import(path):
            return world.resolve(path)
        case Name(module, name):
            return world.global_name(module, name)
        case Member(of, name):
            return world.member(world.evaluate(of), name)
        case Call():
            return calls.result(world, term)
        case Instance(of):
            return world.instantiate(world.evaluate(of))
        case Choice(choices):
            return options([world.evaluate(option) for option in choices])
        case Decided(test, body, orelse):
            held = world.preset(test)
            chosen = [orelse] if held is False else [body] if held else [body, orelse]
            return options([world.evaluate(option) for option in chosen])
        case Preset():
            return Literal("bool", "")
        case Super(of):
            cls = world.evaluate(of)
            return SuperValue(cls.ref) if isinstance(cls, ClassValue) else UnknownValue("super() of unknown class")
        case Subscript() | Element() | Unpacked() | Awaited() | Entered():
            return _part(world, term)
        case Constant() | Sequence() | Mapping():
            return _display(world, term)
        case Unknown(reason):
            return UnknownValue(reason)


def _part(world: World, term: Subscript | Element | Unpacked | Awaited | Entered) -> Value:
    """What is taken out of another value."""
    of = world.evaluate(term.of)
    match term:
        case Subscript(index=index):
            return types.subscript(world, of, tuple(world.evaluate(i) for i in index))
        case Element():
            return world.element(of)
        case Unpacked(index=position, size=size):
            return types.unpacked(world, of, position, size)
        case Awaited():
            return world.awaited(of)
        case Entered():
            return types.entered(world, of)


def _display(world: World, term: Constant | Sequence | Mapping) -> Value:
    """What is written out in the source."""
    match term:
        case Constant(type_, text):
            return Literal(type_, text)
        case Sequence(type_, items):
            values = tuple(world.evaluate(item) for item in items)
            return Container(type_, values if type_ == "tuple" else (options(list(values)),) if values else ())
        case Mapping(items, is_open, conditions):
            return Keys(tuple((key, world.evaluate(value)) for key, value in items), is_open, conditions)
