"""Type variables of classes: what `Box[Item]` makes of the `T` that a method of `Box` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from auditor.terms import Subscript, Term
from auditor.world.values import TYPE_VARIABLE, ClassValue, FunctionValue, InstanceValue, Value

if TYPE_CHECKING:
    from auditor.world.classes import ClassRef
    from auditor.world.world import World


def told(world: World, member: Value, of: InstanceValue) -> Value:
    """A method of an object, told the arguments of the type variables of the class that defines it."""
    if not isinstance(member, FunctionValue) or member.owner is None:
        return member
    if member.owner == of.ref:
        return msgspec.structs.replace(member, arguments=of.arguments) if of.arguments else member
    if not of.arguments and not of.ref.is_generic:
        return member
    for cls in of.ref.classes():
        for base in cls.api.bases:
            if isinstance(base, Subscript) and world.evaluate(base.of) == ClassValue(member.owner):
                return msgspec.structs.replace(member, arguments=tuple(world.evaluate(i) for i in base.index))
    return member


def substituted(world: World, result: Term, owner: ClassRef, arguments: tuple[Value, ...]) -> Value | None:
    """What a type variable of a class stands for, as a value; None where the term is none, or has no argument."""
    if world.evaluate(result) != TYPE_VARIABLE:
        return None
    variables = _variables(world, owner)
    index = variables.index(result) if result in variables else len(arguments)
    found = arguments[index] if index < len(arguments) else TYPE_VARIABLE
    return None if found == TYPE_VARIABLE else world.instantiate(found)


def _variables(world: World, owner: ClassRef) -> list[Term]:
    """The type variables of a class, in the order of their arguments: `Generic[A, B]`, or as its bases name them."""
    named = [base for base in owner.api.bases if isinstance(base, Subscript)]
    generic = [base for base in named if str(world.canonical(base.of)).rpartition(".")[2] in ("Generic", "Protocol")]
    found = (index for base in generic or named for index in base.index if world.evaluate(index) == TYPE_VARIABLE)
    return list(dict.fromkeys(found))
