"""Did a callable become a coroutine function, or stop being one?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding
from auditor.model import Finding, Fix, Repair, Use
from auditor.sides import Side
from auditor.world.values import Container, UnknownValue, Value


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error where an `await` is now wrong, or where it is now missing."""
    if use.kind != "call":
        return
    before, after = old.call(use), new.call(use)
    if before.callee is None or after.callee is None or before.callee.function is None or after.callee.function is None:
        return
    was = _is_awaitable(old.result(use), before.callee.function.is_async)
    now = _is_awaitable(new.result(use), after.callee.function.is_async)
    if was is None or now is None or was == now:
        return
    awaited = any(u.how == "await" for u in use.usages)
    handed_on = any(u.how in ("argument", "return") for u in use.usages)
    callee = after.callee.path.rsplit(".", 1)[-1]
    if was and awaited:
        fix = Fix((Repair("remove-await", use.span, {}),), "unsafe", "the call returns its value directly now")
        words = f"`{callee}` is no longer a coroutine function; awaiting its result fails"
        finding = call_finding("async-changed", "error", use, old, new, words, label="not awaitable any more", fix=fix)
    elif now and not awaited and not handed_on:
        words = f"`{callee}` is a coroutine function now; without `await` it does not run"
        finding = call_finding(
            "async-changed", "error", use, old, new, words, label="needs `await`",
            unfixed="the enclosing function may have to become a coroutine function as well",
        )  # fmt: skip
    else:
        return
    if finding is not None:
        yield finding


def _is_awaitable(result: Value, is_async: bool) -> bool | None:
    if is_async:
        return True
    if isinstance(result, Container):
        return result.kind == "awaitable"
    return None if isinstance(result, UnknownValue) and "annotated" not in result.reason else False
