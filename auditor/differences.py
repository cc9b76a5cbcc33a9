"""What changed between two releases of a provider: symbol by symbol, graded by what it means for those who use it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from auditor.api import ClassApi, ModuleApi, Parameter, Reexport
from auditor.model import Signature, Use
from auditor.sides import Side, path_of
from auditor.terms import Import, Member
from auditor.vanishing import vanished
from auditor.whereabouts import describe
from auditor.world.calls import Callee, callee
from auditor.world.values import ClassValue, FunctionValue, InstanceValue, ModuleValue, Value, alternatives
from auditor.world.values import Literal as Constant

Grade: TypeAlias = Literal["breaking", "altering", "additive"]
Elsewhere: TypeAlias = Callable[[str], Sequence[str]]
"""Where the new release has a vanished symbol, best first."""

_FOR_TESTS = ("tests", "conftest")
_POSITIONAL = ("positional-only", "positional-or-keyword")
_BY_NAME = ("positional-or-keyword", "keyword-only")
_STARS = {"var-positional": "*", "var-keyword": "**"}


class Change(msgspec.Struct, frozen=True):
    """One difference of one symbol."""

    kind: str
    grade: Grade
    """breaking: some use that fitted no longer does; altering: it fits and means something else; additive: neither."""
    symbol: str
    message: str
    old: Signature | None = None
    new: Signature | None = None


def public_symbols(module: ModuleApi) -> Iterator[str]:
    """The dotted paths that a module offers to others: its own, its names, and the members of its classes."""
    if any(_is_private(part) or part in _FOR_TESTS for part in module.name.split(".")):
        return
    yield module.name
    exported = set(module.exports or ())
    for name, definitions in module.names.items():
        definition = definitions[-1]
        if _is_private(name) and name not in exported:
            continue
        if isinstance(definition, Reexport) and not (name in exported or _is_public_import(module, definition)):
            continue
        yield f"{module.name}.{name}"
        if isinstance(definition, ClassApi):
            yield from (f"{module.name}.{name}.{member}" for member in definition.members if not _is_private(member))
    served = (name for name, path in module.lazy.items() if path and name not in module.names)
    yield from (f"{module.name}.{name}" for name in served if not _is_private(name))


def used_symbols(uses: Iterable[Use], side: Side) -> list[str]:
    """The dotted paths of the provider's symbols that a consumer touches: names it imports, what they lead to, what it
    calls and accesses, the classes it derives from and the members it overrides.
    """
    found: dict[str, None] = {}
    for use in uses:
        if isinstance(use.term, Import):
            found[use.term.path] = None
        for value in alternatives(side.value(use.term)):
            if use.kind == "class" and isinstance(value, ClassValue):
                found.update(dict.fromkeys(_inherited(value, side)))
            elif not isinstance(value, InstanceValue) and (path := path_of(value)) is not None:
                found[path] = None
        if isinstance(use.term, Member):
            for owner in alternatives(side.value(use.term.of)):
                if isinstance(owner, InstanceValue | ClassValue) and owner.ref.find(use.term.name) is not None:
                    found[f"{owner.ref.path}.{use.term.name}"] = None
    return [path for path in found if side.provider_of(path) is not None]


def differences(old: Side, new: Side, symbols: Iterable[str], elsewhere: Elsewhere) -> Iterator[Change]:
    """Compare each symbol of the old release with what the new one has under its name."""
    gone: set[str] = set()
    seen: set[tuple[str, ...]] = set()
    for symbol in symbols:
        if any(symbol.startswith(f"{path}.") for path in _parents(symbol) if path in gone):
            continue
        for change in compared(symbol, old, new, elsewhere):
            if change.kind in ("removed", "moved"):
                gone.add(symbol)
            place = (change.old.path, str(change.old.line)) if change.old else (change.symbol,)
            if (key := (change.kind, change.message, *place)) not in seen:  # a symbol and its re-exports are one
                seen.add(key)
                yield change


def additions(old: Side, new: Side, symbols: Iterable[str]) -> Iterator[Change]:
    """The symbols of the new release that the old one does not have, a class without its members."""
    fresh: set[str] = set()
    for symbol in symbols:
        if not fresh.isdisjoint(_parents(symbol)):
            continue
        if vanished(Import(symbol), new, old) is not None:
            fresh.add(symbol)
            yield Change("added", "additive", symbol, "is new", None, describe(new, new.world.resolve(symbol)))


def compared(symbol: str, old: Side, new: Side, elsewhere: Elsewhere) -> Iterator[Change]:
    """The differences of one symbol."""
    was = old.world.resolve(symbol)
    before = describe(old, was)
    if (missing := vanished(Import(symbol), old, new)) is not None:
        kind = _kind(was)
        places = [place for place in elsewhere(symbol) if kind and _kind(new.world.resolve(place)) == kind]
        if places:
            shown = " or ".join(f"`{place}`" for place in places[:2])
            after = describe(new, new.world.resolve(places[0]))
            yield Change("moved", "breaking", symbol, f"is no longer there; see {shown}", before, after)
        else:
            doubt = "" if missing.certain else ", unless a `__getattr__` serves it"
            yield Change("removed", "breaking", symbol, f"is gone{doubt}", before)
        return
    now = new.world.resolve(symbol)
    if (kinds := (_kind(was), _kind(now))) and all(kinds) and kinds[0] != kinds[1]:
        message = f"was a {kinds[0]} and is a {kinds[1]}"
        yield Change("kind-changed", "breaking", symbol, message, before, describe(new, now))
        return
    if isinstance(was, Constant) and isinstance(now, Constant):
        if was.text != now.text and not symbol.rpartition(".")[2].startswith("__"):
            yield Change("value-changed", "altering", symbol, f"was `{was.text[:60]}` and is `{now.text[:60]}`")
        return
    first, second = callee(old.world, was), callee(new.world, now)
    if first is not None and second is not None and isinstance(was, ClassValue | FunctionValue):
        for kind, grade, message in (*_parameters(first, second, new), *_replies(was, now)):
            yield Change(kind, grade, symbol, message, before, describe(new, now))


_Told: TypeAlias = tuple[str, Grade, str]


def _parameters(was: Callee, now: Callee, new: Side) -> Iterator[_Told]:
    before, after = {_slot(p): p for p in was.parameters}, {_slot(p): p for p in now.parameters}
    for slot, parameter in before.items():
        if slot not in after:
            yield from _lost(parameter, now, new)
        else:
            yield from _altered(parameter, after[slot])
    open_before = "**" in before
    for slot, parameter in after.items():
        if slot in before:
            continue
        if parameter.kind not in _STARS and parameter.default is None and not open_before:
            yield "parameter-required", "breaking", f"now requires `{parameter.name}`"
        else:
            yield "parameter-added", "additive", f"takes `{_starred(parameter)}`"
    if shifted := _shifted(was, now):
        yield "parameter-moved", "breaking", f"takes {shifted} at another position"


def _lost(parameter: Parameter, now: Callee, new: Side) -> Iterator[_Told]:
    if parameter.kind in _BY_NAME and new.takes(now, parameter.name) is not False:
        return  # `**kwargs` takes it, or may
    if not _is_private(parameter.name):
        yield "parameter-removed", "breaking", f"no longer takes `{_starred(parameter)}`"


def _altered(was: Parameter, now: Parameter) -> Iterator[_Told]:
    if was.default is not None and now.default is None:
        yield "parameter-required", "breaking", f"now requires `{was.name}`"
    elif was.default is not None and now.default is not None and _plain(was.default) != _plain(now.default):
        yield (
            "default-changed",
            "altering",
            f"default of `{was.name}`: `{was.default[:60]}` -> `{now.default[:60]}`",
        )
    if was.kind in _POSITIONAL and now.kind == "keyword-only":
        yield "parameter-kind", "breaking", f"takes `{was.name}` by keyword only"
    elif was.kind in _BY_NAME and now.kind == "positional-only":
        yield "parameter-kind", "breaking", f"takes `{was.name}` by position only"


def _shifted(was: Callee, now: Callee) -> str:
    """The parameters that both take by position, at another one."""
    before = [p.name for p in was.parameters if p.kind in _POSITIONAL]
    after = [p.name for p in now.parameters if p.kind in _POSITIONAL]
    moved = [name for place, name in enumerate(before) if name in after and after.index(name) != place]
    return ", ".join(f"`{name}`" for name in moved[:5]) + (" and others" if len(moved) > 5 else "")


def _replies(was: Value, now: Value) -> Iterator[_Told]:
    if not (isinstance(was, FunctionValue) and isinstance(now, FunctionValue)):
        return
    if was.api.is_async != now.api.is_async:
        yield "async-changed", "breaking", "must be awaited now" if now.api.is_async else "must not be awaited any more"
    before, after = was.api.returns, now.api.returns
    if before and after and _type(before) != _type(after):
        yield "return-changed", "altering", f"returns `{after[:80]}`, no longer `{before[:80]}`"


def _kind(value: Value) -> str:
    match value:
        case ModuleValue():
            return "module"
        case ClassValue():
            return "class"
        case FunctionValue(api=api):
            return "property" if api.is_property else "function"
        case _:
            return ""


def _inherited(value: ClassValue, side: Side) -> Iterator[str]:
    """The provider's classes behind a consumer's class, and the members of theirs that it overrides."""
    overridden = [name for name in value.ref.api.members if name != "__init__"]
    for base in value.ref.classes():
        if side.provider_of(base.path) is not None:
            yield base.path
            yield from (f"{base.path}.{name}" for name in overridden if name in base.api.members)


def _parents(symbol: str) -> Iterator[str]:
    while "." in symbol:
        symbol = symbol.rpartition(".")[0]
        yield symbol


def _is_private(name: str) -> bool:
    return name.startswith("_")


def _is_public_import(module: ModuleApi, definition: Reexport) -> bool:
    """Whether an import is an offer: a package handing on what its own modules define."""
    return module.is_package and definition.path.startswith(f"{module.name}.") and module.exports is None


def _slot(parameter: Parameter) -> str:
    """What callers know a parameter by: `*args` and `**kwargs` by their stars alone."""
    return _STARS.get(parameter.kind, parameter.name)


def _starred(parameter: Parameter) -> str:
    return _STARS.get(parameter.kind, "") + parameter.name


def _plain(text: str) -> str:
    """A default or annotation without differences of spelling alone."""
    return "".join(text.split()).replace('"', "'").replace("typing.", "")


def _type(annotation: str) -> str:
    """An annotation in one spelling: `Optional[A]`, `Union[A, None]` and `A | None` are the same."""
    text = _plain(annotation).replace("'", "")
    try:
        return "|".join(sorted(_members(ast.parse(text, mode="eval").body)))
    except (SyntaxError, RecursionError, ValueError, MemoryError):
        return text


def _members(node: ast.expr) -> set[str]:
    """The alternatives of a union, each in one spelling; of anything else, itself."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _members(left) | _members(right)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return _members(inner) | {"None"}
        case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=items)):
            return {member for item in items for member in _members(item)}
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            shown = ",".join("|".join(sorted(_members(item))) for item in items)
            return {f"{name.lower() if name in _GENERICS else name}[{shown}]"}
        case _:
            return {ast.unparse(node)}


_GENERICS = ("List", "Dict", "Tuple", "Set", "FrozenSet", "Type")
