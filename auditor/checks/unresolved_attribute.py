"""Does the consumer read an attribute or method that the new release's module, class or instance lacks?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from auditor.api import Reexport
from auditor.findings import swallowing, use_finding
from auditor.model import Confidence, Finding, Fix, Repair, Use
from auditor.provider.constructors import EXTRA
from auditor.renames import renamed_member
from auditor.sides import Side, exists, path_of
from auditor.terms import Call, Member
from auditor.vanishing import lost_by, receiver_before, vanished
from auditor.whereabouts import Searchable, describe, member_names, whereabouts
from auditor.world.calls import callee
from auditor.world.members import member
from auditor.world.values import ClassValue, InstanceValue, Missing, Options, UnknownValue, Value, alternatives

KINDS = ("attribute", "patch")


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for an access that resolved and no longer does."""
    if not isinstance(use.term, Member):
        return
    now = vanished(use.term, old, new)
    if now is None:
        yield from _sometimes(use, old, new)
        return
    name = use.term.name
    owner_was = receiver_before(use.term.of, old, new)
    was = member(old.world, owner_was, name)
    if _is_left_to_heirs(new, new.value(use.term.of), name) or _is_kept(new, use.term) or _is_brought(use, new):
        return
    if _is_set_in_methods(owner_was, name) and _is_set_by_helpers(new, new.value(use.term.of), name):
        return
    if _is_left_to_mixin(use.term, owner_was, new):
        return
    if use.kind == "patch" and isinstance(owner_was, InstanceValue):
        yield from _lost_store(use, old, new, now, owner_was)
        return
    symbol = _symbol(old, was, owner_was, name)
    rename = _rename(name, old, owner_was, new, new.value(use.term.of))
    kind = "module" if now.kind == "member of module" else "class"
    found = whereabouts(symbol, old, new) if kind == "module" else None
    moved = f"; it is now `{found.paths[0]}`" if found and len(found.paths) == 1 else ""
    renamed = f"; it may be `{rename}` now" if rename and not moved else ""
    confidence: Confidence = "high" if now.certain else "medium"
    swallowed = swallowing(use, "AttributeError")
    fix = _fix(use, rename) if renamed else None
    finding = use_finding(
        "unresolved-attribute",
        "warning" if swallowed or use.kind == "patch" else "error",
        use,
        new,
        symbol,
        f"{kind} `{_owner(symbol, now, new)}` no longer has `{name}`{_heir(now, new)}{moved or renamed}",
        label=f"renamed `{rename}`?" if renamed else "gone",
        confidence=confidence,
        old_signature=describe(old, was),
        notes=found.notes if found else (),
        fix=fix,
        unfixed=_unfixed(use, rename if renamed else None) if fix is None else None,
    )
    if finding is not None:
        yield finding


def _sometimes(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """The receiver may be of a class that it never was before, and that class lacks the name."""
    assert isinstance(use.term, Member)
    owners = new.value(use.term.of)
    if not isinstance(owners, Options) or use.kind != "attribute":
        return
    earlier: dict[str | None, list[Value]] = {}
    for value in alternatives(old.value(use.term.of)):
        earlier.setdefault(path_of(value), []).append(value)
    if not exists(old.value(use.term)) and not isinstance(old.value(use.term), Options):
        return
    for owner in alternatives(owners):
        same = earlier.get(path_of(owner), []) if path_of(owner) else []
        had = bool(same) and all(exists(member(old.world, one, use.term.name)) for one in same)
        lacking = _lacking(owner, same if had else [], use.term.name, new)
        if lacking is not None and (had or (not same and None not in earlier)):
            symbol = lacking.owner if had else next(filter(None, earlier), "")
            finding = use_finding(
                "unresolved-attribute",
                "warning",
                use,
                new,
                f"{symbol}.{use.term.name}",
                f"this may be a `{lacking.owner}`, which no longer has `{use.term.name}`"
                if had
                else f"this may be a `{lacking.owner}` now, which has no `{use.term.name}`",
                label="not on every alternative",
                confidence="medium",
                unfixed="which alternative is chosen depends on the provider's settings",
            )
            if finding is not None:
                yield finding
            return


def _lacking(owner: Value, same: list[Value], name: str, new: Side) -> Missing | None:
    """What one alternative surely lacks; `same` is that alternative as it was, where it had the name."""
    found = member(new.world, owner, name)
    if isinstance(found, UnknownValue) and len(same) == 1:
        return lost_by(same[0], owner, name)
    return found if isinstance(found, Missing) and found.certain else None


def _rename(name: str, old: Side, before: Value, new: Side, after: Value) -> str | None:
    """What the member may be called now: only in the same class or module is a similar name a hint."""
    paths = {path.rpartition(".")[2] for value in (before, after) if (path := path_of(value)) is not None}
    return renamed_member(name, member_names(old, before), member_names(new, after)) if len(paths) < 2 else None


def _symbol(old: Side, was: Value, owner: Value, name: str) -> str:
    """The path of the member, by the provider's class that defines it where the consumer's own class inherits it."""
    owner = next((v for v in alternatives(owner) if exists(member(old.world, v, name))), owner)
    of = path_of(owner)
    if of and old.provider_of(of) is None:
        for value in alternatives(owner):
            if isinstance(value, InstanceValue | ClassValue) and (found := value.ref.find(name)) is not None:
                return f"{found[0].path}.{name}"
    return f"{of}.{name}" if of else path_of(was) or name


def _owner(symbol: str, now: Missing, new: Side) -> str:
    """The class or module that people look the member up in: the provider's, not their own below it."""
    return now.owner if new.provider_of(now.owner) is not None else symbol.rpartition(".")[0]


def _heir(now: Missing, new: Side) -> str:
    return (
        ""
        if new.provider_of(now.owner) is not None
        else f", which `{now.owner.replace('/', '.').rpartition('.')[2]}` inherited"
    )


def _is_kept(new: Side, term: Member) -> bool:
    """Whether the object was made with the name by a class that keeps whatever it is given."""
    if not isinstance(term.of, Call) or all(key != term.name for key, _ in term.of.keywords):
        return False
    made = callee(new.world, new.value(term.of.function))
    return made is not None and made.kind == "pydantic" and any(p.name == EXTRA for p in made.parameters)


def _is_brought(use: Use, new: Side) -> bool:
    """Whether the consumer sets the attribute where the release lacks it, here or before."""
    assert isinstance(use.term, Member)
    owner = path_of(new.value(use.term.of))
    for guard in use.guards:
        of = guard.of
        if guard.kind == "hasattr" and guard.negated and use.kind == "patch" and of is not None:
            of = Member(of, guard.name)
        elif guard.kind != "alternative":
            continue
        if owner and isinstance(of, Member) and of.name == use.term.name and path_of(new.value(of.of)) == owner:
            return True
    return False


def _is_left_to_heirs(new: Side, owner: Value, name: str) -> bool:
    """Whether the receiver is a base only, and every class below it has the name."""
    for value in alternatives(owner):
        if isinstance(value, InstanceValue | ClassValue) and new.provider_of(value.ref.path) is None:
            heirs = new.heirs.leave_open(value.ref)
            if heirs and all(heir.find(name) is not None for heir in heirs):
                return True
    return False


def _is_set_in_methods(owner: Value, name: str) -> bool:
    """Whether an attribute is no part of the class itself: a method sets it."""
    found = owner.ref.find(name) if isinstance(owner, InstanceValue) else None
    return found is not None and name not in found[0].api.members


def _is_set_by_helpers(new: Side, owner: Value, name: str) -> bool:
    """Whether a function that the class's modules have at hand sets the attribute on an object that it is given."""
    if not isinstance(owner, InstanceValue):
        return False
    pattern = rf"^[ \t]+(?!self\b)\w+\.{re.escape(name)}[ \t]*(?::[^=\n]+)?=(?!=)"
    for cls in owner.ref.classes():
        tree, api = new.world.tree(cls.module), new.world.module(cls.module)
        if api is None or not isinstance(tree, Searchable) or new.provider_of(cls.path) is None:
            continue
        found = [d.path for definitions in api.names.values() for d in definitions if isinstance(d, Reexport)]
        if tree.matches([cls.module, *(path.rpartition(".")[0] for path in found)], name, pattern):
            return True
    return False


def _is_left_to_mixin(term: Member, owner: Value, new: Side) -> bool:
    """Whether the member came from a base that still has it and that other classes of the provider now derive from.

    What a parameter is annotated with is then mostly an object of one of these.
    """
    if not isinstance(owner, InstanceValue) or new.provider_of(owner.ref.path) is None:
        return False
    if isinstance(term.of, Call) and isinstance(new.value(term.of.function), ClassValue):
        return False  # it is of no other class
    found = owner.ref.find(term.name)
    mixin = new.world.class_(found[0].path) if found is not None and found[0] != owner.ref else None
    return mixin is not None and mixin.own(term.name) is not None


def _lost_store(use: Use, old: Side, new: Side, now: Missing, owner: InstanceValue) -> Iterator[Finding]:
    """An assignment to an attribute that nobody reads any more raises nothing and does nothing."""
    symbol = _symbol(old, owner, owner, now.name)
    finding = use_finding(
        "unresolved-attribute",
        "warning",
        use,
        new,
        symbol,
        f"`{_owner(symbol, now, new)}` has no attribute `{now.name}` any more; setting it may have no effect",
        label="gone",
        confidence="medium" if now.certain else "low",
        unfixed="what took its place cannot be told from the sources",
    )
    if finding is not None:
        yield finding


def _unfixed(use: Use, rename: str | None) -> str:
    if rename is not None and use.name_span is None:
        return "its name stands in a string: change it by hand"
    return "nothing in the new release is surely its successor"


def _fix(use: Use, rename: str | None) -> Fix | None:
    if rename is None or use.name_span is None or not isinstance(use.term, Member):
        return None
    return Fix(
        (Repair("rename-attribute", use.name_span, {"name": use.term.name, "new_name": rename}),),
        "unsafe",
        f"`{rename}` is new on the same object and has the most similar name",
    )
