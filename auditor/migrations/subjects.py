"""What a use is about: whether it is the symbol that a rule names, and what its arguments are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from auditor.model import Argument, Use
from auditor.rulepack.schema import ArgumentTest, ArgumentTests, Names
from auditor.sides import CallOutcome, Side, path_of
from auditor.terms import Import
from auditor.world.values import (
    ClassValue,
    External,
    FunctionValue,
    InstanceValue,
    Missing,
    UnknownValue,
    Value,
    alternatives,
)


def paths(names: Names) -> tuple[str, ...]:
    """One name or several, as several."""
    return (names,) if isinstance(names, str) else names


def last_names(names: Names) -> set[str]:
    """The last components, by which uses are looked up."""
    return {name.rsplit(".", 1)[-1] for name in paths(names)}


def names_of(use: Use, old: Side, new: Side) -> set[str]:
    """The last names by which a use may be called: as written, as imported, and as either release defines it."""
    found = {use.text.rsplit(".", 1)[-1].rsplit(" ", 1)[-1]}
    if isinstance(use.term, Import):
        found.update(use.term.path.split("."))
    sides = (old, new) if new.concerns(use) else ()
    if not sides and (path := path_of(new.value(use.term))) is not None:
        found.add(path.rsplit(".", 1)[-1])  # the same on either side
    for side in sides:
        callee = side.call(use).callee if use.kind == "call" else None
        for path in (path_of(side.value(use.term)), callee.path if callee is not None else None):
            if path is not None:
                found.add(path.rsplit(".", 1)[-1])
    return found


def is_about(use: Use, names: Names, old: Side, new: Side, *, untyped: bool = False) -> bool:
    """Whether a use is of one of the symbols: directly, through an alias or a subclass, on either side."""
    last = use.text.rsplit(".", 1)[-1]
    values = [(side, side.value(use.term)) for side in (old, new)]
    if use.kind == "call":  # an object that is called means the method that then runs
        values += [(side, c.value) for side in (old, new) if (c := side.call(use).callee) is not None]
    for name in paths(names):
        if name.startswith("*.") and name[2:] == last:
            return True
        if any(_is(value, name, side) for side, value in values):
            return True
        if untyped and name.rsplit(".", 1)[-1] == last and all(is_unknown(value) for _, value in values):
            return True
    return False


def is_unknown(value: Value) -> bool:
    """Whether reading cannot tell what this is."""
    return isinstance(value, UnknownValue) and not value.path


def _is(value: Value, path: str, side: Side) -> bool:
    owner_path, _, name = path.rpartition(".")
    for one in alternatives(value):
        if path_of(one) == path and not isinstance(one, InstanceValue):
            return True
        match one:
            case ClassValue(ref):
                target = side.world.resolve(path)
                if isinstance(target, ClassValue) and any(c.path == target.ref.path for c in ref.classes()):
                    return True
            case FunctionValue(api=api, owner=owner, receiver=receiver):
                target = side.world.resolve(path)
                if isinstance(target, FunctionValue) and target.path == one.path:
                    return True
                cls = receiver or owner
                if cls is not None and api.name == name and _inherits(one, owner_path, side):
                    return True
            case Missing(owner=owner_name, name=missing) if missing == name and owner_name:
                holder, wanted = side.world.resolve(owner_name), side.world.resolve(owner_path)
                if isinstance(holder, ClassValue) and isinstance(wanted, ClassValue):
                    return any(c.path == wanted.ref.path for c in holder.ref.classes())
            case External(outside):
                if outside == path:
                    return True
            case _:
                continue
    return False


def _inherits(value: FunctionValue, owner_path: str, side: Side) -> bool:
    cls = value.receiver or value.owner
    wanted = side.world.resolve(owner_path)
    return cls is not None and isinstance(wanted, ClassValue) and any(c.path == wanted.ref.path for c in cls.classes())


def arguments(use: Use, old: Side, new: Side, positions: Iterable[str] = ()) -> dict[str, Argument]:
    """The call's arguments by the name of the parameter each lands on."""
    outcome = _read(use, old, new)
    names = list(positions)
    found: dict[str, Argument] = {}
    position = 0
    for argument in use.arguments:
        if argument.star:
            continue
        if argument.name is not None:
            found[argument.name] = argument
            continue
        landed = outcome.binding.landing.get(("positional", position)) if outcome and outcome.binding else None
        if landed is None and outcome is None and position < len(names):
            landed = names[position]
        if landed is not None and not landed.startswith("*"):
            found[landed] = argument
        position += 1
    return found


def _read(use: Use, old: Side, new: Side) -> CallOutcome | None:
    """The call on the side that it fits, the old one first, which knows names that the new one no longer has."""
    outcomes = [o for o in (old.call(use), new.call(use)) if o.binding is not None]
    return next((o for o in outcomes if o.status == "fits"), outcomes[0] if outcomes else None)


def opaque(use: Use) -> bool:
    """Whether the call passes arguments that cannot be seen: `*args`, or a `**kwargs` of unknown keys."""
    return any(a.star for a in use.arguments)


def passes(found: Mapping[str, Argument], tests: ArgumentTests) -> bool:
    """Whether the arguments are what a rule asks for."""
    return all(name in found and _fits(found[name].text, test) for name, test in tests.items())


def _fits(text: str, test: str | bool | int | ArgumentTest | None) -> bool:
    if test is None:
        return True
    if not isinstance(test, ArgumentTest):
        return _plain(text) == _plain(str(test))
    if test.equals is not None and _plain(text) != _plain(str(test.equals)):
        return False
    if test.differs is not None and _plain(text) == _plain(str(test.differs)):
        return False
    return test.matches is None or re.fullmatch(test.matches, text) is not None


def _plain(text: str) -> str:
    return text.replace(" ", "").replace('"', "'")
