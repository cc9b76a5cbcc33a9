"""Does an argument that still fits land on another parameter than before?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from auditor.findings import call_finding
from auditor.model import Finding, Fix, Repair, Use
from auditor.provider.constructors import IGNORED
from auditor.renames import Rename, declared_alias, likeness, renamed_parameter, told
from auditor.sides import CallOutcome, Side, argument_at, argument_named

KINDS = ("call",)
_Kind: TypeAlias = Literal["moved", "shifted", "replaced", "renamed", "passed-on", "ignored"]

_ALIKE = 0.6
"""From here on a name is taken for the successor of another."""


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a warning for the first argument of a call that means something else now."""
    before, after = old.call(use), new.call(use)
    if before.status != "fits" or after.callee is None or before.callee is None:
        return
    if before.binding is None or after.binding is None or before.by_overload or after.by_overload:
        return
    if any(e.kind == "too-many-positional-arguments" for e in after.errors):
        return  # the call fails before anything lands anywhere
    for key, was in before.binding.landing.items():
        now = after.binding.landing.get(key)
        if now is None or now == was or was.startswith("*"):
            continue
        kind = _moved(key, was, now, before, after, new)
        if kind is None:
            continue
        rename = renamed_parameter(was, before, after) if kind == "ignored" else None
        if rename is not None and any(e.argument == rename.new for e in after.errors):
            continue  # what is missing under the new name is the finding
        dropped = kind == "ignored" and _is_dropped(now, after)
        argument = argument_at(use, key[1]) if isinstance(key[1], int) else argument_named(use, key[1])
        callee = after.callee.path.rsplit(".", 1)[-1]
        message, label = _words(kind, key, was, now, callee)
        if dropped:
            message, label = f"`{callee}` has no field `{was}` any more and silently drops what is passed", "dropped"
        renaming = _renaming(use, was, rename) if rename is not None else None
        finding = call_finding(
            "parameter-moved",
            "info" if kind == "renamed" or (kind == "ignored" and not dropped and rename is None) else "warning",
            use,
            old,
            new,
            f"{message}; {told(rename)}" if rename is not None else message,
            span=argument.span if argument else None,
            argument=was,
            label=label,
            confidence=None if kind in ("moved", "shifted") else "medium",
            fix=_fix(use, before, after) if kind == "moved" else renaming,
            unfixed=None
            if kind == "moved" or renaming
            else "what the argument should mean now is the caller's to decide",
        )
        if finding is not None:
            yield finding
            return


def _is_dropped(now: str, after: CallOutcome) -> bool:
    """Whether the `**` parameter is that of a pydantic model which keeps nothing but its fields."""
    found = after.callee
    return found is not None and found.kind == "pydantic" and found.function is None and now.lstrip("*") == IGNORED


def _renaming(use: Use, was: str, rename: Rename) -> Fix | None:
    if rename.opposite or all(a.name != was for a in use.arguments):
        return None
    repair = Repair("rename-argument", use.span, {"name": was, "new_name": rename.new})
    return Fix((repair,), "safe" if rename.certain else "unsafe", rename.reason)


def _moved(
    key: tuple[str, object], was: str, now: str, before: CallOutcome, after: CallOutcome, new: Side
) -> _Kind | None:
    assert before.callee is not None
    assert after.callee is not None
    if now.startswith("*"):
        declared = [p for p in after.callee.parameters if not p.kind.startswith("var-")]
        written = after.callee.function.parameters if after.callee.function is not None else ()
        if key[0] == "positional" and any(p.name == was and p.kind == "keyword-only" for p in written):
            return "moved"
        if key[0] == "positional" or not declared or new.takes(after.callee, str(key[1])) is True:
            return None  # a wrapper that takes everything says nothing about what becomes of it
        if any(e.argument == key[1] for e in after.errors):
            return None  # that it is refused is the finding
        return "passed-on" if new.leaves(after.callee) else "ignored"
    if declared_alias(after.callee.function, was) == now or _plain(was) == _plain(now):
        return None
    names_now = [p.name for p in after.callee.parameters]
    names_before = [p.name for p in before.callee.parameters]
    if was in names_now:
        return "moved"
    if now in names_before:
        return "shifted"
    elsewhere = [likeness(was, name) for name in names_now if name not in names_before and name != now]
    if max(elsewhere, default=0.0) >= max(_ALIKE, likeness(was, now)):
        return "shifted"  # its own successor stands in another place
    return "renamed" if _in_place(was, now, names_before, names_now) or _is_same(was, now) else "replaced"


def _plain(name: str) -> str:
    """A name without its style: `initChars` and `init_chars` are the same."""
    return name.replace("_", "").lower()


def _is_same(was: str, now: str) -> bool:
    """Whether a name only got shorter or longer: `auth_handler` and `auth`."""
    before, after = set(was.strip("_").split("_")), set(now.strip("_").split("_"))
    return before <= after or after <= before or likeness(was, now) >= _ALIKE


def _in_place(was: str, now: str, before: list[str], after: list[str]) -> bool:
    """A slot that only changed its name: what stands around it is the same."""
    i, j = before.index(was), after.index(now)
    around = (before[i - 1 : i], before[i + 1 : i + 2]), (after[j - 1 : j], after[j + 1 : j + 2])
    return len(before) == len(after) or around[0] == around[1]


def _words(kind: _Kind, key: tuple[str, object], was: str, now: str, callee: str) -> tuple[str, str]:
    shown = f"argument {int(str(key[1])) + 1}" if key[0] == "positional" else f"`{key[1]}`"
    slots = f"`{was}` before, `{now}` now"
    match kind:
        case "passed-on":
            return (
                f"`{callee}` has no parameter `{was}` any more; {shown} is passed on with `{now}`",
                f"lands in `{now}`",
            )
        case "ignored":
            return f"`{callee}` has no parameter `{was}` any more; {shown} disappears into `{now}`", f"lands in `{now}`"
        case "replaced":
            return f"{shown} of `{callee}` was `{was}`, which is gone; it now lands on `{now}`", slots
        case "renamed":
            return f"{shown} of `{callee}` is called `{now}` now, it was `{was}`", slots
        case "moved" | "shifted":
            return f"{shown} of `{callee}` lands on `{now}` now, it was `{was}`", slots


def _fix(use: Use, before: CallOutcome, after: CallOutcome) -> Fix | None:
    """Name the arguments from the first that moved on, where the new signature takes all of these names."""
    assert before.binding is not None
    assert after.callee is not None
    takes = {p.name for p in after.callee.parameters if p.kind in ("positional-or-keyword", "keyword-only")}
    repairs = []
    moved = False
    for index in range(sum(1 for a in use.arguments if a.name is None and not a.star)):
        was = before.binding.landing.get(("positional", index))
        now = after.binding.landing.get(("positional", index)) if after.binding else None
        moved |= was != now
        if not moved:
            continue
        if was is None or was not in takes:
            return None
        repairs.append(Repair("to-keyword", use.span, {"position": index, "name": was}))
    if not repairs or any(a.star == "*" for a in use.arguments):
        return None
    return Fix(tuple(repairs), "safe", "each value goes to the parameter it went to before, by name")
