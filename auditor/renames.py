"""Finds the new name of something that disappeared: declared by the provider, or likely by name, place and shape."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

import msgspec

from auditor.api import FunctionApi, Parameter
from auditor.sides import CallOutcome


class Rename(msgspec.Struct, frozen=True):
    """A successor: its name, whether the provider itself declares it, and the evidence in a sentence."""

    new: str
    certain: bool
    reason: str
    guessed: bool = False
    """Only its place speaks for it."""
    opposite: bool = False
    """Its name says the opposite of the old one: the value cannot simply go there."""

    @property
    def doubtful(self) -> bool:
        """Whether it is no more than a proposal."""
        return self.guessed or self.opposite


def told(rename: Rename) -> str:
    """The rename as the end of a sentence."""
    if rename.opposite:
        return f"`{rename.new}` may have taken its place"
    return f"it may be `{rename.new}` now" if rename.guessed else f"renamed to `{rename.new}`"


def renamed_parameter(name: str, before: CallOutcome, after: CallOutcome) -> Rename | None:
    """The parameter that took the place of `name`, if the evidence is good."""
    if before.callee is None or after.callee is None:
        return None
    old = {p.name: p for p in before.callee.parameters}
    new = [p for p in after.callee.parameters if p.kind in ("positional-or-keyword", "keyword-only")]
    for function in (after.callee.function, before.callee.function):
        declared = declared_alias(function, name)
        if declared and any(p.name == declared for p in new):
            return Rename(declared, True, f"the provider maps `{name}` to `{declared}` itself")
    added = [p for p in new if p.name not in old]
    if name not in old or not added:
        return None
    passed = set(before.binding.landing.values()) if before.binding else set()
    candidates = [p for p in added if p.name not in passed]
    scored = sorted(((_score(old[name], p, before, after), p.name) for p in candidates), reverse=True)
    if not scored:
        return None
    if scored[0][0] < 0.62 or (len(scored) > 1 and scored[0][0] - scored[1][0] < 0.08):
        return _in_its_place(old[name], candidates, before.callee.parameters, after.callee.parameters)
    if _opposite(name, scored[0][1]):
        return Rename(scored[0][1], False, "it is new, with a name that says the opposite", opposite=True)
    return Rename(scored[0][1], False, f"`{scored[0][1]}` is new, in a similar place, with a similar name or type")


def _in_its_place(
    was: Parameter, candidates: Sequence[Parameter], before: Sequence[Parameter], after: Sequence[Parameter]
) -> Rename | None:
    """The new parameter that stands exactly where the vanished one stood, and is as optional as it was."""
    now = next((p for p in candidates if _neighbours(p, after) == _neighbours(was, before)), None)
    if (
        now is None
        or now.default != was.default
        or (was.annotation or now.annotation) != (now.annotation or was.annotation)
    ):
        return None
    what = "the same default" if was.default is not None else "no default either"
    if _opposite(was.name, now.name):
        return Rename(now.name, False, f"it stands where `{was.name}` stood", opposite=True)
    return Rename(now.name, False, f"`{now.name}` stands where `{was.name}` stood, with {what}", guessed=True)


def _neighbours(parameter: Parameter, among: Sequence[Parameter]) -> tuple[str, str]:
    names = ["(", *(p.name for p in among), ")"]
    place = names.index(parameter.name)
    return names[place - 1], names[place + 1]


def _score(was: Parameter, now: Parameter, before: CallOutcome, after: CallOutcome) -> float:
    assert before.callee is not None
    assert after.callee is not None
    score = 0.6 * likeness(was.name, now.name)
    if was.annotation and was.annotation == now.annotation:
        score += 0.2
    if was.default is not None and was.default == now.default:
        score += 0.1
    positions = [p.name for p in before.callee.parameters], [p.name for p in after.callee.parameters]
    if positions[0].index(was.name) == positions[1].index(now.name):
        score += 0.2
    return score


def likeness(a: str, b: str) -> float:
    """How alike two identifiers are, 0 to 1: shared words count more than shared letters."""
    words_a, words_b = set(re.split(r"_+", a.lower().strip("_"))), set(re.split(r"_+", b.lower().strip("_")))
    shared = len(words_a & words_b) / max(1, len(words_a | words_b))
    return max(shared, SequenceMatcher(None, a.lower(), b.lower()).ratio() * 0.95)


def _opposite(a: str, b: str) -> bool:
    """`disable_x` and `enable_x` are not the same switch."""
    negative = ("disable", "no", "without", "skip", "exclude", "not")
    return (a.partition("_")[0] in negative) != (b.partition("_")[0] in negative)


def declared_alias(function: FunctionApi | None, name: str) -> str | None:
    """The successor that a decorator declares: `@renamed(old="new")`, `@deprecate_kwarg("old", "new")`."""
    if function is None:
        return None
    for decorator in function.decorators:
        text = decorator.text
        if match := re.search(rf"\b{re.escape(name)}\s*=\s*['\"](\w+)['\"]", text):
            return match[1]
        if match := re.search(rf"['\"]{re.escape(name)}['\"]\s*[,:]\s*(?:new_\w+\s*=\s*)?['\"](\w+)['\"]", text):
            return match[1]
    return None


def renamed_member(name: str, was: list[str], now: list[str]) -> str | None:
    """Among the members that are new, the one whose name is most like the vanished one's."""
    added = [n for n in now if n not in was and not n.startswith("__")]
    scored = sorted(((likeness(name, n), n) for n in added), reverse=True)
    if not scored or scored[0][0] < 0.6 or _opposite(name, scored[0][1]):
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < 0.05:
        return None
    return scored[0][1]
