"""Does the call pass more positional arguments than the new signature takes?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding, swallowing
from auditor.model import Finding, Fix, Repair, Use
from auditor.sides import CallOutcome, Side, argument_at

KINDS = ("call",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield one error for the first positional argument without a place."""
    before, after = old.call(use), new.call(use)
    if after.status != "broken" or before.status != "fits" or after.callee is None:
        return
    error = next((e for e in after.errors if e.kind == "too-many-positional-arguments"), None)
    if error is None:
        return
    index = int(error.argument)
    argument = argument_at(use, index)
    callee = after.callee.path.rsplit(".", 1)[-1]
    fix, unfixed = _fix(use, before, after, index)
    finding = call_finding(
        "too-many-positional-arguments",
        "warning" if swallowing(use, "TypeError") else "error",
        use,
        old,
        new,
        f"`{callee}` {error.detail}",
        span=argument.span if argument else None,
        argument=_name(before, index),
        label="no positional parameter left",
        fix=fix,
        unfixed=unfixed,
    )
    if finding is not None:
        yield finding


def _name(outcome: CallOutcome, index: int) -> str | None:
    return outcome.binding.landing.get(("positional", index)) if outcome.binding else None


def _fix(use: Use, before: CallOutcome, after: CallOutcome, first: int) -> tuple[Fix | None, str | None]:
    """Keywords for what the new signature takes by keyword only, where every name is still there."""
    assert after.callee is not None
    keyword_only = {p.name for p in after.callee.parameters if p.kind == "keyword-only"}
    count = sum(1 for a in use.arguments if a.name is None and not a.star)
    names = [_name(before, index) for index in range(first, count)]
    kept = all(name in keyword_only for name in names)
    unmoved = all(_name(before, i) == _name(after, i) for i in range(first))
    if not (names and kept and unmoved):
        gone = next((n for n in names if n is not None and n not in keyword_only), None)
        reason = f"`{gone}` has no successor in the new signature" if gone else "the positions before it moved as well"
        return None, reason
    repairs = tuple(
        Repair("to-keyword", use.span, {"position": index, "name": str(name)})
        for index, name in zip(range(first, count), names, strict=True)
    )
    return Fix(repairs, "safe", "the same values go to the same parameters, by name"), None
