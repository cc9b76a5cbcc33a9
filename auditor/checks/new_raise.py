"""Does a callable that the consumer calls refuse something that it used to accept?"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from auditor.api import FunctionApi, Raise
from auditor.binding import Binding
from auditor.consumer.analysis import FileAnalysis
from auditor.findings import call_finding
from auditor.model import Finding, Use
from auditor.sides import Side
from auditor.terms import Constant

_SHOWN = 3
_WIDTH = 90


def check_file(analysis: FileAnalysis, old: Side, new: Side) -> Iterator[Finding]:
    """Yield one information per callable and file, at the first call, that shows the conditions of its new raises."""
    calls: dict[str, list[tuple[Use, list[Raise]]]] = {}
    for use in analysis.uses:
        if use.kind == "call" and new.reached(use) and (added := _added(use, old, new)):
            found = new.call(use).callee
            assert found is not None
            calls.setdefault(found.path, []).append((use, added))
    for path, uses in calls.items():
        use, added = uses[0]
        further = (f"{len(uses) - 1} more of its calls in this file",) if len(uses) > 1 else ()
        finding = call_finding(
            "new-raise",
            "info",
            use,
            old,
            new,
            f"`{_name(path)}` raises in {counted(added)} now that it did not raise in before",
            label="may raise now",
            notes=(*shown(added), *further),
            unfixed="whether the case can arise depends on the caller",
        )
        if finding is not None:
            yield finding


def _added(use: Use, old: Side, new: Side) -> list[Raise]:
    """What the call may run into, as far as conditions tell."""
    before, after = old.call(use), new.call(use)
    if before.status != "fits" or after.status != "fits" or before.callee is None or after.callee is None:
        return []
    was, now = before.callee.function, after.callee.function
    if was is None or now is None or was is now or after.binding is None:
        return []
    passed = set(after.binding.landing.values())
    known = _known(use, after.binding)
    return [r for r in new_raises(was, now) if concerns(r, now, passed) and not _is_false(r, known)]


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


def concerns(one: Raise, function: FunctionApi, passed: Collection[str]) -> bool:
    """Whether a condition is about what the caller passes or about the object's state.

    Conditions over locals alone say nothing to the caller; checks of an argument's type find what the caller has got
    right so far. A raise without condition counts where the function does nothing else.
    """
    if one.condition is None and not one.text.startswith("assert "):
        return not function.returned and len(function.raises) == 1
    text = one.condition or one.text.removeprefix("assert ")
    if "isinstance(" in text:
        return False
    names = _names(text)
    return bool(names & set(passed)) or "self" in names


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


def _known(use: Use, binding: Binding) -> dict[str, object]:
    """The values that parameters surely have: literals that the call passes, and defaults of what it leaves out."""
    texts = {p.name: p.default or "" for p in binding.omitted}
    position = 0
    for argument in use.arguments:
        if argument.star:
            break
        if argument.name is not None:
            landed = binding.landing.get(("keyword", argument.name))
        else:
            landed = binding.landing.get(("positional", position))
            position += 1
        if landed is not None and isinstance(argument.term, Constant):
            texts[landed] = argument.text
    known: dict[str, object] = {}
    for name, text in texts.items():
        try:
            known[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # noqa: PERF203 - each value alone
            continue
    return known


def _is_false(one: Raise, known: Mapping[str, object]) -> bool:
    """Whether the condition is false by what is known of the arguments."""
    if not one.condition:
        return False
    try:
        node = ast.parse(one.condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _truth(node, known) is False


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
