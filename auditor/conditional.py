"""Dicts whose keys are known: what is there only sometimes, how they meet after branches, what is taken out of them."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.terms import Constant, Guard, Mapping, Sequence, Term, bounded, choice


def sometimes(ends: list[tuple[Mapping, tuple[Guard, ...]]]) -> Mapping:
    """One of several dicts, each with what surely holds where it is the one: what is not in all is conditional."""
    values: dict[str, list[Term]] = {}
    for known, _ in ends:
        for key, value in known.items:
            values.setdefault(key, []).append(value)
    conditions: dict[str, tuple[Guard, ...]] = {}
    for key in values:
        having = [(dict(known.conditions).get(key), guards) for known, guards in ends if key in dict(known.items)]
        own = {condition for condition, _ in having}
        if len(having) == len(ends) and len(own) == 1:
            if (only := own.pop()) is not None:
                conditions[key] = only
        else:
            conditions[key] = one_of([(*guards, *(condition or ())) for condition, guards in having])
    return Mapping(
        tuple((key, bounded(choice(alternatives))) for key, alternatives in values.items()),
        any(known.open for known, _ in ends),
        tuple(conditions.items()),
        ends[0][0].rest if all(known.rest == ends[0][0].rest for known, _ in ends) else None,
    )


def one_of(alternatives: list[tuple[Guard, ...]]) -> tuple[Guard, ...]:
    """What surely holds where one of several conjunctions holds: nothing, where one of them says nothing."""
    if not all(alternatives):
        return ()
    if len(distinct := list(dict.fromkeys(alternatives))) == 1:
        return distinct[0]
    parts = tuple(guards[0] if len(guards) == 1 else Guard("all", "", parts=guards) for guards in distinct)
    return (Guard("any", " or ".join(p.text for p in parts), parts=parts),)


def merge(parts: Iterable[Term]) -> Mapping:
    """The dict made of `parts` in order, later keys winning; open where a part's keys are not known."""
    items: dict[str, Term] = {}
    conditions: dict[str, tuple[Guard, ...]] = {}
    is_open = False
    for part in parts:
        if not isinstance(part, Mapping):
            is_open = True
            continue
        is_open |= part.open
        conditional = dict(part.conditions)
        for key, value in part.items:
            there = key in items and key not in conditions
            if key not in conditional or there:
                conditions.pop(key, None)
            else:
                both = [conditions[key]] if key in conditions else []
                conditions[key] = one_of([*both, conditional[key]])
            items[key] = bounded(choice([items[key], value])) if key in items and key in conditional else value
    return Mapping(tuple(items.items()), is_open, tuple(conditions.items()))


def taken(of: Mapping, method: str, key: str | None) -> Term | None:
    """What `.get("key")`, `.pop("key")`, `.values()` and `.items()` give; None where the values are not known."""
    if method in ("get", "pop"):
        return dict(of.items).get(key, of.rest) if key is not None else of.rest
    held = of.rest
    if held is None and of.items and not of.open:
        held = bounded(choice([value for _, value in of.items]))
    if held is None:
        return None
    return Sequence("list", (held if method == "values" else Sequence("tuple", (Constant("str", ""), held)),))
