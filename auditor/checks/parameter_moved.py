"""Does an argument that still fits land on another parameter than before?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding
from auditor.model import Confidence, Finding, Fix, Repair, Use
from auditor.sides import CallOutcome, Side, argument_at, argument_named


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a warning for the first argument of a call that means something else now."""
    if use.kind != "call":
        return
    before, after = old.call(use), new.call(use)
    if before.status != "fits" or after.callee is None or before.callee is None:
        return
    if before.binding is None or after.binding is None:
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
        argument = argument_at(use, key[1]) if isinstance(key[1], int) else argument_named(use, key[1])
        callee = after.callee.path.rsplit(".", 1)[-1]
        message, label, confidence = _words(kind, key, was, now, callee)
        finding = call_finding(
            "parameter-moved",
            "warning",
            use,
            old,
            new,
            message,
            span=argument.span if argument else None,
            argument=was,
            label=label,
            confidence=confidence,
            fix=_fix(use, before, after) if kind == "moved" else None,
            unfixed=None if kind == "moved" else "what the argument should mean now is the caller's to decide",
        )
        if finding is not None:
            yield finding
            return


def _moved(
    key: tuple[str, object], was: str, now: str, before: CallOutcome, after: CallOutcome, new: Side
) -> str | None:
    assert before.callee is not None
    assert after.callee is not None
    names_now = {p.name for p in after.callee.parameters}
    names_before = {p.name for p in before.callee.parameters}
    if now.startswith("*"):
        if key[0] == "keyword" and new.takes(after.callee, str(key[1])) is True:
            return None
        return "swallowed"
    if was in names_now:
        return "moved"
    if now in names_before:
        return "shifted"
    return None if _same_slot(was, now, before, after) else "replaced"


def _same_slot(was: str, now: str, before: CallOutcome, after: CallOutcome) -> bool:
    """A slot that only changed its name: same annotation or default, or a name that says the same."""
    assert before.callee is not None
    assert after.callee is not None
    a = next((p for p in before.callee.parameters if p.name == was), None)
    b = next((p for p in after.callee.parameters if p.name == now), None)
    if a is None or b is None:
        return False
    from auditor.renames import likeness

    if a.kind == "positional-only" or b.kind == "positional-only" or was.strip("_") == now.strip("_"):
        return True
    if len(before.callee.parameters) == len(after.callee.parameters) and a.default == b.default:
        return True
    return likeness(was, now) >= 0.6 or (
        a.annotation is not None and a.annotation == b.annotation and a.default == b.default
    )


def _words(kind: str, key: tuple[str, object], was: str, now: str, callee: str) -> tuple[str, str, Confidence]:
    shown = f"argument {int(str(key[1])) + 1}" if key[0] == "positional" else f"`{key[1]}`"
    if kind == "swallowed":
        return (
            f"`{callee}` has no parameter `{was}` any more; {shown} disappears into `{now}`",
            f"lands in `{now}`",
            "medium",
        )
    if kind == "replaced":
        return (
            f"{shown} of `{callee}` was `{was}`, which is gone; it now lands on `{now}`",
            f"`{was}` before, `{now}` now",
            "medium",
        )
    return f"{shown} of `{callee}` lands on `{now}` now, it was `{was}`", f"`{was}` before, `{now}` now", "high"


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
