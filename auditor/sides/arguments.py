"""The arguments of a call as a shape, and the argument that stands for a parameter."""

from __future__ import annotations

from collections.abc import Callable

from auditor.api import AttributeApi
from auditor.binding import CallShape
from auditor.model import Argument, Use
from auditor.terms import Guard, Mapping, Sequence, Term
from auditor.world.values import InstanceValue, Keys, UnknownValue, Value


def _unread(_: Term) -> Value:
    return UnknownValue("no release is asked")


def _untold(_: Guard) -> bool | None:
    return None


def shape_of(
    arguments: tuple[Argument, ...],
    evaluate: Callable[[Term], Value] = _unread,
    holds: Callable[[Guard], bool | None] = _untold,
) -> CallShape:
    """Arguments as a call shape.

    Args:
        arguments: What is passed.
        evaluate: May know the keys of a `**kw` that a function returned.
        holds: Says of the conditions under which a key was put into `**kw` whether they are true.
    """
    positional = after_star = 0
    star = double_star = False
    keywords: list[str] = []
    optional: set[str] = set()
    for argument in arguments:
        if argument.star == "*":
            length = _length(argument.term)
            if length is None or star:
                star = True
            else:
                positional += length
        elif argument.star == "**":
            keys, unsure, is_open = _keys(argument.term, evaluate, holds)
            keywords += keys
            optional |= unsure
            double_star |= is_open
        elif argument.name is not None:
            keywords.append(argument.name)
        else:
            positional += 1
            after_star += star
    certain = [k for k in keywords if k not in optional]
    return CallShape(
        positional,
        tuple(dict.fromkeys(keywords)),
        star,
        double_star,
        frozenset(optional.difference(certain)),
        after_star=after_star,
    )


def _length(term: Term) -> int | None:
    """How many arguments `*term` stands for."""
    return len(term.items) if isinstance(term, Sequence) and term.type in ("tuple", "list") else None


def _keys(
    term: Term, evaluate: Callable[[Term], Value], holds: Callable[[Guard], bool | None]
) -> tuple[list[str], set[str], bool]:
    """The keywords that `**term` stands for, those of them that may be left out, and whether there may be more."""
    known = term if isinstance(term, Mapping) else _typed(evaluate(term))
    if not isinstance(known, Mapping | Keys):
        return [], set(), True
    keys = [key for key, _ in known.items]
    unsure: set[str] = set()
    for key, guards in known.conditions:
        verdicts = [holds(guard) for guard in guards]
        asked = any(g.kind == "parameter" and g.name == key and not g.negated for g in guards)
        if False in verdicts or (asked and None in verdicts):
            keys.remove(key)
        elif None in verdicts or not verdicts:
            unsure.add(key)
    return keys, unsure, known.open


def _typed(value: Value) -> Value:
    """A `TypedDict` as the dict that it is; keys that may be left out are there only sometimes."""
    if not isinstance(value, InstanceValue) or all(base.path != "typing.TypedDict" for base in value.ref.mro()):
        return value
    items: dict[str, Value] = {}
    conditions: list[tuple[str, tuple[Guard, ...]]] = []
    for cls in value.ref.classes():
        for name, found in cls.api.members.items():
            if isinstance(field := found[-1], AttributeApi) and name not in items:
                items[name] = UnknownValue("value of a dict")
                if ("total", "False") in cls.api.keywords or "NotRequired" in (field.annotation or ""):
                    conditions.append((name, ()))
    return Keys(tuple(items.items()), False, tuple(conditions))


def argument_named(use: Use, name: str) -> Argument | None:
    """The argument that passes a keyword, be it plain or inside `**kw`."""
    plain = next((a for a in use.arguments if a.name == name), None)
    return plain or next((a for a in use.arguments if a.star == "**"), None)


def argument_at(use: Use, index: int) -> Argument | None:
    """The argument that stands at a position."""
    count = -1
    for argument in use.arguments:
        if argument.star == "*" and isinstance(argument.term, Sequence):
            count += len(argument.term.items)
        elif argument.star == "" and argument.name is None:
            count += 1
        if count >= index:
            return argument
    return None
