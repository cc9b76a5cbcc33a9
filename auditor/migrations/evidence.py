"""Whether a release bears out what a rule says of it: asked one fact at a time, reading only the modules concerned."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.api import FunctionApi, Parameter
from auditor.rulepack.evidence import Evidence, OfDefault, OfMember, OfParameter, OfText
from auditor.sides import Side
from auditor.world.calls import Callee, callee
from auditor.world.values import ClassValue, External, FunctionValue, Missing, ModuleValue, UnknownValue, alternatives


def holds(items: Iterable[Evidence], side: Side) -> bool:
    """Whether all of the evidence is there; what cannot be told is not there."""
    return all(_holds(item, side) is True for item in items)


def _holds(item: Evidence, side: Side) -> bool | None:
    """True, False, or None where reading cannot tell."""
    field = next(name for name in item.__struct_fields__ if getattr(item, name) is not None)
    fact = getattr(item, field)
    match field:
        case "exists":
            return _exists(fact, side)
        case "missing":
            return _opposite(_exists(fact, side))
        case "module":
            return side.world.has_module(fact) if side.world.owns(fact) else None
        case "not_":
            return _opposite(_holds(fact, side))
        case "any_of":
            verdicts = [_holds(one, side) for one in fact]
            return True if True in verdicts else None if None in verdicts else False
        case "parameter":
            return parameter_exists(fact.of, fact.name, side)
        case "member":
            return _member(fact, side)
        case "default":
            return _default(fact, side)
        case "is_async":
            function = _function(fact, side)
            return function.is_async if function is not None else None
        case "reply_depends_on":
            return _reply_depends(fact, side)
        case _:
            return _says(field, fact, side)


def _opposite(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _exists(path: str, side: Side) -> bool | None:
    value = side.world.resolve(path)
    match value:
        case Missing(certain=certain):
            return False if certain else None
        case External():
            return None
        case UnknownValue(path=""):
            return None
        case _:
            return True


def _callable(path: str, side: Side) -> Callee | None:
    for value in alternatives(side.world.resolve(path)):
        if (found := callee(side.world, value)) is not None:
            return found
    return None


def _function(path: str, side: Side) -> FunctionApi | None:
    found = next((v for v in alternatives(side.world.resolve(path)) if isinstance(v, FunctionValue)), None)
    if found is not None:
        return found.api
    made = _callable(path, side)
    return made.function if made is not None else None


def _named(of: str, name: str, side: Side) -> Parameter | None:
    found = _callable(of, side)
    return next((p for p in found.parameters if p.name == name), None) if found is not None else None


def parameter_exists(of: str, name: str, side: Side) -> bool | None:
    """Whether a callable takes a parameter by this name; None where that cannot be told."""
    found = _callable(of, side)
    if found is None:
        return None
    if any(p.name == name and not p.kind.startswith("var-") for p in found.parameters):
        return True
    return side.takes(found, name)


def _member(fact: OfMember, side: Side) -> bool | None:
    value = side.world.resolve(fact.of)
    if not isinstance(value, ClassValue):
        return None
    if value.ref.find(fact.name) is not None:
        return True
    return None if _may_add(value) else False


def _may_add(value: ClassValue) -> bool:
    """Whether a base that cannot be read might bring any name; known framework bases do not bring a provider's."""
    return "" in value.ref.externals()


def _default(fact: OfDefault, side: Side) -> bool | None:
    found = _named(fact.of, fact.name, side)
    if found is None or found.default is None:
        return None
    text = _plain(found.default)
    if fact.equals is not None:
        return text == _plain(str(fact.equals))
    return text != _plain(str(fact.differs))


def _plain(text: str) -> str:
    return text.replace(" ", "").replace('"', "'")


def _reply_depends(fact: OfParameter, side: Side) -> bool | None:
    function = _function(fact.of, side)
    if function is None:
        return None
    return fact.name in function.reply_parameters or fact.name in (function.documented_return or "")


def _says(field: str, fact: OfText, side: Side) -> bool | None:
    function = _function(fact.of, side)
    if function is None:
        value = side.world.resolve(fact.of)
        return None if isinstance(value, Missing | UnknownValue | External | ModuleValue) else False
    if field == "raises":
        return any(fact.contains in r.text or fact.contains in (r.condition or "") for r in function.raises)
    text = function.returns if field == "returns" else function.documented_return
    return fact.contains in (text or "")
