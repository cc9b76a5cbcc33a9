"""The arguments of a call as a shape, and the argument that stands for a parameter."""

from __future__ import annotations

from collections.abc import Callable

from auditor.binding import CallShape
from auditor.model import Argument, Use
from auditor.terms import Mapping, Sequence, Term
from auditor.world.values import Keys, UnknownValue, Value


def _unread(_: Term) -> Value:
    return UnknownValue("no release is asked")


def shape_of(arguments: tuple[Argument, ...], evaluate: Callable[[Term], Value] = _unread) -> CallShape:
    """Arguments as a call shape; `evaluate` may know the keys of a `**kw` that a function returned."""
    positional = after_star = 0
    star = double_star = False
    keywords: list[str] = []
    for argument in arguments:
        if argument.star == "*":
            length = _length(argument.term)
            if length is None or star:
                star = True
            else:
                positional += length
        elif argument.star == "**":
            keys, is_open = _keys(argument.term, evaluate)
            keywords += keys
            double_star |= is_open
        elif argument.name is not None:
            keywords.append(argument.name)
        else:
            positional += 1
            after_star += star
    return CallShape(positional, tuple(dict.fromkeys(keywords)), star, double_star, after_star=after_star)


def _length(term: Term) -> int | None:
    """How many arguments `*term` stands for."""
    return len(term.items) if isinstance(term, Sequence) and term.type in ("tuple", "list") else None


def _keys(term: Term, evaluate: Callable[[Term], Value]) -> tuple[list[str], bool]:
    """The keywords that `**term` stands for, and whether there may be more."""
    known = term if isinstance(term, Mapping) else evaluate(term)
    if isinstance(known, Mapping | Keys):
        return [key for key, _ in known.items], known.open
    return [], True


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
