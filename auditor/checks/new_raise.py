"""Does a callable that the consumer calls refuse something that it used to accept?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from auditor.api import FunctionApi, Raise
from auditor.binding import Binding
from auditor.findings import call_finding
from auditor.model import Finding, Use
from auditor.sides import Side

_SHOWN = 3
_WIDTH = 90


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield one information per call that shows the conditions under which it raises now."""
    if use.kind != "call":
        return
    before, after = old.call(use), new.call(use)
    if before.status != "fits" or after.status != "fits" or before.callee is None or after.callee is None:
        return
    was, now = before.callee.function, after.callee.function
    if was is None or now is None:
        return
    added = [r for r in new_raises(was, now) if not _cannot_happen(r, after.binding)]
    if not added:
        return
    finding = call_finding(
        "new-raise",
        "info",
        use,
        old,
        new,
        f"`{_name(after.callee.path)}` raises in {counted(added)} now that it did not raise in before",
        label="may raise now",
        notes=shown(added),
        unfixed="whether the case can arise depends on the caller",
    )
    if finding is not None:
        yield finding


def new_raises(was: FunctionApi, now: FunctionApi) -> list[Raise]:
    """What the new body raises and the old one did not: another text under another condition.

    A message that was worded anew keeps its condition, and a condition that was refined keeps its message; both are no
    new cases. An assertion counts where it is about what the caller passes.
    """
    if now.is_abstract or now.is_stub_body:
        return []
    texts = {_plain(r.text) for r in was.raises}
    conditions = {(_kind(r.text), _plain(r.condition or "")) for r in was.raises if r.condition}
    names = {p.name for p in now.parameters} - {"self", "cls"}
    added: dict[str, Raise] = {}
    for one in now.raises:
        text = _plain(one.text)
        if text in texts or (one.condition and (_kind(one.text), _plain(one.condition)) in conditions):
            continue
        if one.text.startswith("assert ") and not names & _names(one.text.removeprefix("assert ")):
            continue
        added.setdefault(text, one)
    return list(added.values())


def shown(added: list[Raise]) -> tuple[str, ...]:
    """The first of them, for people."""
    lines = [_line(one) for one in added[:_SHOWN]]
    if len(added) > _SHOWN:
        lines.append(f"and {len(added) - _SHOWN} more")
    return tuple(lines)


def counted(added: list[Raise]) -> str:
    """`one case`, `3 cases`"""
    return "one case" if len(added) == 1 else f"{len(added)} cases"


def _line(one: Raise) -> str:
    where = f" if `{_short(one.condition)}`" if one.condition else ""
    return f"line {one.line}: `{_short(one.text)}`{where}"


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _plain(text: str) -> str:
    return text.replace('"', "'").replace(" ", "")


def _kind(text: str) -> str:
    return text.split("(", 1)[0].split(" ", 1)[0]


def _name(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _names(text: str) -> set[str]:
    try:
        return {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()


def _cannot_happen(one: Raise, binding: Binding | None) -> bool:
    """Whether the condition is false by the defaults of the arguments that the call leaves out."""
    if not one.condition or binding is None:
        return False
    defaults: dict[str, object] = {}
    for parameter in binding.omitted:
        try:
            defaults[parameter.name] = ast.literal_eval(parameter.default or "")
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # noqa: PERF203 - each default alone
            continue
    try:
        node = ast.parse(one.condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _truth(node, defaults) is False


def _truth(node: ast.expr, known: Mapping[str, object]) -> bool | None:
    """The truth of a condition over known values; None where it cannot be told."""
    match node:
        case ast.Name(id=name) if name in known:
            return bool(known[name])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _truth(operand, known)
            return None if inner is None else not inner
        case ast.BoolOp(op=operator, values=values):
            decisive = isinstance(operator, ast.Or)
            verdicts = [_truth(value, known) for value in values]
            if decisive in verdicts:
                return decisive
            return None if None in verdicts else not decisive
        case ast.Compare(left=ast.Name(id=name), ops=[operator], comparators=[ast.Constant(value=value)]) if (
            name in known
        ):
            match operator:
                case ast.Is() | ast.Eq():
                    return known[name] == value
                case ast.IsNot() | ast.NotEq():
                    return known[name] != value
                case _:
                    return None
        case _:
            return None
