"""Did a property become a method, or a method a property?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.api import FunctionApi
from auditor.consumer.analysis import FileAnalysis
from auditor.findings import swallowing, use_finding
from auditor.model import Confidence, Finding, Signature, Use
from auditor.sides import Side
from auditor.terms import Member
from auditor.vanishing import receiver_before
from auditor.whereabouts import describe
from auditor.world.classes import ClassRef
from auditor.world.values import (
    Container,
    External,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Keys,
    Literal,
    PartialValue,
    UnknownValue,
    Value,
    alternatives,
)

_TRANSPARENT = ("abstractmethod", "override", "final", "deprecated", "overload", "lru_cache", "cache", "no_type_check")
"""Decorators under which a method stays one."""


def check_file(analysis: FileAnalysis, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error where a property is called that was a method, or a method is taken for a value."""
    called = {use.name_span for use in analysis.uses if use.kind == "call" and not use.indirect}
    for use in analysis.uses:
        if use.kind == "attribute" and isinstance(use.term, Member) and new.reached(use):
            yield from _changed(use, use.term, use.name_span in called, old, new)


def _changed(use: Use, term: Member, called: bool, old: Side, new: Side) -> Iterator[Finding]:
    was = _definition(receiver_before(term.of, old, new), term.name)
    now = _definition(new.value(term.of), term.name)
    if was is None or now is None or was[1].is_property == now[1].is_property or was[1].is_property == called:
        return
    name = term.name
    confidence: Confidence = "medium" if isinstance(old.value(term.of), UnknownValue) else "high"
    if called:
        value = new.value(term)
        if _may_be_called(value):
            return
        confidence = confidence if _is_plain(value) else "medium"
        words, label = f"`{name}` is a property now; calling its value fails", "a property now"
    else:
        if any(not any(word in d.text for word in _TRANSPARENT) for d in now[1].decorators):
            return  # what another decorator makes of it cannot be told
        words, label = f"`{name}` is a method now; without a call this is the method, not a value", "a method now"
    finding = use_finding(
        "property-changed",
        "warning" if swallowing(use, "TypeError") else "error",
        use,
        new,
        f"{was[0].path}.{name}",
        words,
        label=label,
        confidence=confidence,
        old_signature=_signature(old, *was),
        new_signature=_signature(new, *now),
        unfixed="the call has to be added or removed, for both releases if need be",
    )
    if finding is not None:
        yield finding


def _signature(side: Side, owner: ClassRef, function: FunctionApi) -> Signature | None:
    return describe(side, FunctionValue(function, owner.module, f"{owner.path}.{function.name}", owner, bound=True))


def _definition(receiver: Value, name: str) -> tuple[ClassRef, FunctionApi] | None:
    """The method or property behind an access on one kind of object."""
    owners = alternatives(receiver)
    if len(owners) != 1 or not isinstance(owners[0], InstanceValue):
        return None
    found = owners[0].ref.find(name)
    return (found[0], found[1]) if found is not None and isinstance(found[1], FunctionApi) else None


def _may_be_called(value: Value) -> bool:
    for one in alternatives(value):
        if isinstance(one, FunctionValue | PartialValue | External):
            return True
        if isinstance(one, Container) and one.kind == "callable":
            return True
        if isinstance(one, ExternalInstance) and one.path.rpartition(".")[2] in ("Callable", "type", "partial"):
            return True
        if isinstance(one, InstanceValue) and (one.ref.externals() or one.ref.find("__call__") is not None):
            return True
    return False


def _is_plain(value: Value) -> bool:
    """Whether what a property gives is known, and no callable."""
    return all(
        isinstance(one, Literal | Container | Keys | InstanceValue)
        or (isinstance(one, ExternalInstance) and one.path.startswith("builtins."))
        for one in alternatives(value)
    )
