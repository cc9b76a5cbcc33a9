"""Did the default of an argument that the call leaves out become another value?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditor.findings import call_finding
from auditor.model import Finding, Fix, Repair, Use
from auditor.sides import Side

KINDS = ("call",)
_SHOWN = 60


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield one information per call that names every omitted argument whose default changed."""
    before, after = old.call(use), new.call(use)
    if before.status != "fits" or before.binding is None or after.binding is None or after.callee is None:
        return
    if before.by_overload or after.by_overload:
        return
    new_omitted = {p.name: p for p in after.binding.omitted}
    changed = [
        (parameter.name, str(parameter.default), str(new_omitted[parameter.name].default))
        for parameter in before.binding.omitted
        if parameter.name in new_omitted and _differs(parameter.default, new_omitted[parameter.name].default)
    ]
    if not changed:
        return
    callee = after.callee.path.rsplit(".", 1)[-1]
    shown = ", ".join(f"`{name}` {_short(was)} -> {_short(now)}" for name, was, now in changed)
    plural = "defaults" if len(changed) > 1 else "default"
    fix = _fix(use, changed)
    finding = call_finding(
        "default-changed",
        "info",
        use,
        old,
        new,
        f"omitted {plural} of `{callee}` changed: {shown}",
        argument=changed[0][0] if len(changed) == 1 else ", ".join(name for name, _, _ in changed),
        label=f"{plural} changed",
        fix=fix,
        unfixed=None if fix else "the old default is not a plain value that could be written here",
    )
    if finding is not None:
        yield finding


def _differs(was: str | None, now: str | None) -> bool:
    return was is not None and now is not None and _normal(was) != _normal(now) and not _same_number(was, now)


def _same_number(was: str, now: str) -> bool:
    """`5` and `5.0` mean the same to any code that does not ask for the type; `1` and `True` need not."""
    try:
        values = [ast.literal_eval(text) for text in (was, now)]
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return all(type(value) in (int, float) for value in values) and bool(values[0] == values[1])


def _normal(default: str) -> str:
    text = default.replace(" ", "").replace('"', "'")
    return {"list()": "[]", "dict()": "{}", "tuple()": "()", "...": "..."}.get(text, text)


def _short(value: str) -> str:
    return value if len(value) <= _SHOWN else value[: _SHOWN - 3] + "..."


def _fix(use: Use, changed: list[tuple[str, str, str]]) -> Fix | None:
    """Write the old value where it is a literal."""
    repairs = [
        Repair("add-argument", use.span, {"name": name, "value": was}) for name, was, _ in changed if _is_literal(was)
    ]
    if len(repairs) != len(changed):
        return None
    return Fix(
        tuple(repairs),
        "display-only",
        "restores what the call meant before; whether that is wanted, only its author knows",
    )


def _is_literal(value: str) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return value not in ("...", "Ellipsis")
