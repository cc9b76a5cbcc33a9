"""Did a callable become a coroutine function, or stop being one?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from auditor.api import FunctionApi
from auditor.findings import call_finding
from auditor.model import Finding, Fix, Repair, Use
from auditor.sides import Side
from auditor.world.values import Container, InstanceValue, UnknownValue, Value

KINDS = ("call",)
_ASYNC = re.compile(r"\bAsync(?:Generator|Iterator|Iterable)\b")
_EAGER = re.compile(r"\b(?:Future|Task)\b")
_PLAIN = re.compile(r"(?:[\w.]+\.)?(?:[Ll]ist|[Tt]uple|[Dd]ict|[Ss]et|Iterator|Iterable|Generator|Sequence)\b")


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error where an `await` is now wrong, or where it is now missing."""
    before, after = old.call(use), new.call(use)
    if before.callee is None or after.callee is None or before.callee.function is None or after.callee.function is None:
        return
    iterated = _iterated(use, before.callee.function, after.callee.function)
    if iterated is not None:
        words, label = iterated
        words = f"`{after.callee.path.rsplit('.', 1)[-1]}` {words}"
        finding = call_finding(
            "async-changed", "error", use, old, new, words, label=label,
            unfixed="the enclosing function may have to become a coroutine function, or stop being one",
        )  # fmt: skip
        if finding is not None:
            yield finding
        return
    was = _offers_await(old.result(use)) or _awaitable(use, old, before.callee.function)
    now = _awaitable(use, new, after.callee.function)
    if was is None or now is None or was == now:
        return
    awaited = any(u.how == "await" for u in new.usages(use))
    handed_on = any(u.how in ("argument", "return") for u in new.usages(use))
    callee = after.callee.path.rsplit(".", 1)[-1]
    if was and awaited:
        fix = Fix((Repair("remove-await", use.span, {}),), "unsafe", "the call returns its value directly now")
        what = (
            "is no longer a coroutine function" if before.callee.function.is_async else "returns no awaitable any more"
        )
        words = f"`{callee}` {what}; awaiting its result fails"
        finding = call_finding("async-changed", "error", use, old, new, words, label="not awaitable any more", fix=fix)
    elif now and not awaited and not handed_on and not (_runs_anyway(after.callee.function) and _is_unused(use)):
        words = f"`{callee}` is a coroutine function now; without `await` it does not run"
        finding = call_finding(
            "async-changed", "error", use, old, new, words, label="needs `await`",
            unfixed="the enclosing function may have to become a coroutine function as well",
        )  # fmt: skip
    else:
        return
    if finding is not None:
        yield finding


def _iterated(use: Use, before: FunctionApi, after: FunctionApi) -> tuple[str, str] | None:
    """What is wrong with a `for` or `async for` directly over the call, if anything is now: words and a label."""
    was, now = _iteration(before), _iteration(after)
    if was is None or now is None or was == now:
        return None
    details = {u.detail for u in use.usages if u.how == "iterate"}
    if was == "async" and "async" in details:
        if now == "coroutine":
            return "is a coroutine function now; `async for` needs its result, not the coroutine", "needs `await`"
        return "is no longer an asynchronous generator; `async for` over it fails", "needs a plain `for`"
    if was == "plain" and now == "async" and details and "async" not in details:
        return "is an asynchronous generator now; it needs `async for`", "needs `async for`"
    return None


def _iteration(function: FunctionApi) -> str | None:
    """How what a function returns is iterated over, as far as its own form tells."""
    if function.is_async:
        return "async" if function.is_generator else "coroutine"
    returns = function.returns or ""
    if _ASYNC.search(returns):
        return "async"
    return "plain" if function.is_generator or _PLAIN.match(returns) else None


def _runs_anyway(function: FunctionApi) -> bool:
    """Whether calling it does the work, whatever becomes of the future that it returns."""
    return not function.is_async and _EAGER.search(function.returns or "") is not None


def _is_unused(use: Use) -> bool:
    return all(u.how == "discard" for u in use.usages)


def _is_coroutine(function: FunctionApi) -> bool:
    return function.is_async and not function.is_generator


def _awaitable(use: Use, side: Side, function: FunctionApi) -> bool | None:
    """Whether a call returns something to await; None where that cannot be told, or is a matter of argument types."""
    if _is_coroutine(function):
        return True
    found = {_is_awaitable(result) for result in side.results(use)}
    return found.pop() if len(found) == 1 else None


def _is_awaitable(result: Value) -> bool | None:
    if isinstance(result, Container):
        return result.kind == "awaitable"
    if _offers_await(result):
        return None  # it may be awaited, and need not be
    return None if isinstance(result, UnknownValue) and "annotated" not in result.reason else False


def _offers_await(result: Value) -> bool:
    """Whether it is an object that can be awaited, beside whatever else it is."""
    return isinstance(result, InstanceValue) and result.ref.find("__await__") is not None
