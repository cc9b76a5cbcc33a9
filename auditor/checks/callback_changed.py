"""Is a function that the consumer hands over still called with as many arguments as it takes?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from auditor.api import AttributeApi, Reexport
from auditor.binding import ArgumentKey, CallShape, bind, drop_first
from auditor.findings import call_finding
from auditor.model import Argument, Finding, Use
from auditor.sides import CallOutcome, Side
from auditor.terms import Choice, Constant, Name, Sequence, Subscript, Term
from auditor.world.values import External, FunctionValue

KINDS = ("call",)
_MAX_ALIASES = 8
_EITHER = ("Optional", "Union", "Annotated")


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error where the annotated `Callable[[...], ...]` of a parameter has another length than the function."""
    if not use.arguments:
        return
    before, after = old.call(use), new.call(use)
    if before.status != "fits" or after.status != "fits" or after.callee is None:
        return
    position = 0
    for argument in use.arguments:
        if argument.star:
            return
        key: ArgumentKey = ("keyword", argument.name) if argument.name else ("positional", position)
        position += not argument.name
        was, now = _counts(before, key, old), _counts(after, key, new)
        if not was or not now or was == now:
            continue
        takes = _takes(argument, new)
        if takes is None or not any(takes(count) for count in was) or any(takes(count) for count in now):
            continue
        name = after.callee.path.rsplit(".", 1)[-1]
        count = min(now)
        finding = call_finding(
            "callback-changed",
            "error",
            use,
            old,
            new,
            f"`{name}` calls `{argument.text}` with {_number(count)} now, and it does not take that",
            span=argument.span,
            argument=_landing(after, key),
            label=f"called with {count} now",
            confidence="medium",
            unfixed="the function has to be rewritten for what it is called with",
        )
        if finding is not None:
            yield finding


def _number(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def _landing(outcome: CallOutcome, key: ArgumentKey) -> str | None:
    return outcome.binding.landing.get(key) if outcome.binding is not None else None


def _counts(outcome: CallOutcome, key: ArgumentKey, side: Side) -> set[int]:
    """With how many arguments the parameter's annotation says that it calls what is passed; empty where it does not."""
    name = _landing(outcome, key)
    parameters = outcome.callee.parameters if outcome.callee is not None else ()
    found = next((p for p in parameters if p.name == name and not p.kind.startswith("var-")), None)
    counts = _called_with(found.type, side) if found is not None and found.type is not None else None
    return counts or set()


def _called_with(annotation: Term, side: Side) -> set[int] | None:
    """The lengths of the argument lists of all `Callable`s in an annotation; None where there is one of any length."""
    match annotation:
        case Choice(options=options):
            return _together(options, side)
        case Constant(type="NoneType"):
            return set()
        case Subscript(of=of, index=index) if isinstance(kind := side.value(of), External):
            last = kind.path.rpartition(".")[2]
            if last in _EITHER:
                return _together(index[:1] if last == "Annotated" else index, side)
            if last == "Callable" and index and isinstance(index[0], Sequence):
                return {len(index[0].items)}
            return None
        case Name():
            aliased = _aliased(annotation, side)
            return _called_with(aliased, side) if aliased is not None else None
        case _:
            return None


def _together(options: tuple[Term, ...], side: Side) -> set[int] | None:
    found = [_called_with(option, side) for option in options]
    return None if None in found else {count for counts in found if counts for count in counts}


def _aliased(name: Name, side: Side) -> Term | None:
    """The type that a name of a module was given to, through imports."""
    module, last = name.module, name.name
    for _ in range(_MAX_ALIASES):
        api = side.world.module(module)
        definitions = api.names.get(last, ()) if api is not None else ()
        match definitions:
            case (AttributeApi(term=term),) if term is not None:
                return term if term != name else None
            case (Reexport(path=path),):
                module, _, last = path.rpartition(".")
            case _:
                return None
    return None


def _takes(argument: Argument, side: Side) -> Callable[[int], bool] | None:
    """Whether the function that is passed can be called with so many arguments; None where it is not the consumer's."""
    function = side.value(argument.term)
    if not isinstance(function, FunctionValue) or side.provider_of(function.path) is not None:
        return None
    if function.api.decorators or function.api.is_property:
        return None
    parameters = drop_first(function.api.parameters) if function.bound else function.api.parameters
    return lambda count: not bind(CallShape(count, ()), parameters).errors
