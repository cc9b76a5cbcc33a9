"""Whether a name that was there is gone, also where a dynamic `__getattr__` leaves the door open for any name."""

from __future__ import annotations

import builtins

import msgspec

from auditor.sides import Side, exists, path_of
from auditor.terms import Import, Member, Name, Term
from auditor.world.members import member
from auditor.world.values import (
    ClassValue,
    InstanceValue,
    Literal,
    Missing,
    ModuleValue,
    UnknownValue,
    Value,
    alternatives,
)

_NOBODY = "api_audit_asks_for_nobody"


def vanished(term: Term, old: Side, new: Side) -> Missing | None:
    """What is missing on the new side of an import or access that led to something on the old one, else None.

    A name that its module or class used to define, and that only a `__getattr__` could serve now, counts as missing
    where that `__getattr__` is nothing new, or where the module's `__all__` does not list the name any more.
    """
    now = new.value(term)
    was = old.value(term)
    if isinstance(now, Missing) and isinstance(term, Member) and not exists(was):
        was = member(old.world, receiver_before(term.of, old, new), term.name)
        now = msgspec.structs.replace(now, certain=False)
    if isinstance(now, Missing):
        return now if exists(was) and not _may_be_inherited(term, now, old, new) else None
    if not exists(was) or not (_is_for_any(term, now, new) if exists(now) else isinstance(now, UnknownValue)):
        return None
    if isinstance(term, Import):
        module, _, name = term.path.rpartition(".")
        return _from_module(module, name, old, new)
    if isinstance(term, Member):
        return _from_owner(old.value(term.of), new.value(term.of), term.name, old, new)
    return None


def receiver_before(of: Term, old: Side, new: Side) -> Value:
    """What an access is made on in the old release; where that is not told there, an object of the class it is of now.

    Releases get annotations as time goes by, and what they return mostly was the same before it was written down.
    """
    was, now = old.value(of), new.value(of)
    if isinstance(was, UnknownValue) and isinstance(now, InstanceValue) and new.provider_of(now.ref.path) is not None:
        kept = old.world.resolve(now.ref.path)
        return InstanceValue(kept.ref) if isinstance(kept, ClassValue) else was
    return was


def _may_be_inherited(term: Term, now: Missing, old: Side, new: Side) -> bool:
    """Whether the class has a base outside the sources that it did not have before: the name may come from there."""
    if now.certain or not isinstance(term, Member):
        return False
    before = {path for value in alternatives(old.value(term.of)) for path in _outside(value)}
    after = {path for value in alternatives(new.value(term.of)) for path in _outside(value)}
    return any(_may_have(path, now.name) for path in after - before)


def _may_have(path: str, name: str) -> bool:
    """Whether a base outside the sources may have a name: those of the language are known."""
    package, _, base = path.rpartition(".")
    known = getattr(builtins, base, None) if package == "builtins" else None
    return known is None or hasattr(known, name)


def _outside(value: Value) -> list[str]:
    return value.ref.externals() if isinstance(value, ClassValue | InstanceValue) else []


def _is_for_any(term: Term, now: Value, new: Side) -> bool:
    """Whether an object's `__getattr__` gives the same for any name, as for a name that nobody has."""
    if not isinstance(term, Member) or not isinstance(now, InstanceValue):
        return False
    return all(
        isinstance(owner, InstanceValue) and member(new.world, owner, _NOBODY) == now
        for owner in alternatives(new.value(term.of))
    )


def dropped_by_star(term: Term, old: Side, new: Side) -> Missing | None:
    """What a bare name lost that an `import *` used to bring, and nothing brings now, else None."""
    if not isinstance(term, Name):
        return None
    was, now = old.world.bound(term.module, term.name), new.world.bound(term.module, term.name)
    if was is None or not exists(was) or now is not None:
        return None
    star = _star_of(term.module, term.name, old, set())
    source = new.world.module(star) if star is not None else None
    if star is None or source is None or source.problems:
        return None  # a module that is gone is the import's finding
    stars = (path for api in (new.world.module(term.module),) if api is not None for path in api.wildcards)
    return Missing(star, term.name, "member of module", certain=all(new.world.module(path) for path in stars))


def _star_of(module: str, name: str, old: Side, seen: set[str]) -> str | None:
    """The module whose `import *` brings a name, through those of the consumer itself."""
    api = old.world.module(module)
    if api is None or name in api.names or module in seen:
        return None
    seen.add(module)
    for star in api.wildcards:
        source = old.world.module(star) if old.world.owns(star) else None
        if source is None or (name not in source.exports if source.exports is not None else name.startswith("_")):
            continue
        if old.world.bound(star, name) is None:
            continue
        return star if old.provider_of(star) is not None else _star_of(star, name, old, seen)
    return None


def _from_owner(before: Value, after: Value, name: str, old: Side, new: Side) -> Missing | None:
    """What every alternative lost that had the name; where one may have it still, nothing is surely lost."""
    later: dict[str | None, list[Value]] = {}
    for value in alternatives(after):
        later.setdefault(path_of(value), []).append(value)
    lost: list[Missing] = []
    for owner in alternatives(before):
        if isinstance(owner, ModuleValue) and owner == after:
            return _from_module(owner.name, name, old, new)
        if isinstance(owner, Literal) and owner.type == "NoneType":
            continue
        same = later.get(path_of(owner), [])
        if (of_one := lost_by(owner, same[0], name) if len(same) == 1 else None) is not None:
            lost.append(of_one)
        elif not isinstance(member(old.world, owner, name), Missing):
            return None
    return lost[0] if lost else None


def lost_by(before: Value, after: Value, name: str) -> Missing | None:
    """What a class lost that used to define a name, and has a `__getattr__`, which is nothing new, for any name."""
    if not isinstance(after, InstanceValue | ClassValue) or not isinstance(before, InstanceValue | ClassValue):
        return None
    ref, ref_before = after.ref, before.ref
    if ref.path != ref_before.path or ref_before.find(name) is None or ref.find(name) is not None:
        return None
    if ref.find("__getattr__") is None or ref_before.find("__getattr__") is None:
        return None
    return Missing(ref.path, name, "member of instance", certain=False)


def _from_module(module: str, name: str, old: Side, new: Side) -> Missing | None:
    before, after = old.world.module(module), new.world.module(module)
    if before is None or after is None or name in after.names or name in after.lazy or not after.lazy_open:
        return None
    if after.problems or not (name in before.names or name in before.lazy):
        return None
    unlisted = after.exports is not None and name not in after.exports
    if not (unlisted or before.lazy_open):
        return None
    return Missing(module, name, "member of module", certain=False)
