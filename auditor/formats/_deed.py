"""Says in a few words what a fix does, from the names and options of its repairs."""

from __future__ import annotations

from auditor.model import Fix, Repair

_SHOWN = 3


def deed(fix: Fix) -> str:
    """`rename argument `a` to `b``, and then why; the reason alone where there are no repairs to name."""
    said = list(dict.fromkeys(_one(repair) for repair in fix.repairs))
    if not said:
        return fix.reason
    more = f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
    return f"{', '.join(said[:_SHOWN])}{more}: {fix.reason}"


def _one(repair: Repair) -> str:
    words = repair.repair.replace("-", " ")
    options = repair.options
    name = options.get("old") or options.get("name")
    new = options.get("new") or options.get("new_name") or options.get("to")
    value = options.get("value")
    if name and value is not None:
        return f"{words} `{name}={_short(value)}`"
    if name and new:
        return f"{words} `{name}` to `{new}`"
    target = name or new or options.get("text")
    return f"{words} `{_short(target)}`" if target else words


def _short(text: str | int | bool) -> str:
    """The first line of a text, and an ellipsis where there are more."""
    first, *more = str(text).strip().splitlines() or [""]
    return f"{first} ..." if more else first
