"""Builds findings: the parts that every check fills in the same way."""

from __future__ import annotations

import msgspec

from auditor.model import Confidence, Finding, Fix, Severity, Signature, Span, Use
from auditor.sides import CallOutcome, Side
from auditor.terms import Guard
from auditor.world.calls import Callee, callee


def call_finding(
    rule: str,
    severity: Severity,
    use: Use,
    old: Side,
    new: Side,
    message: str,
    *,
    span: Span | None = None,
    argument: str | None = None,
    label: str = "",
    confidence: Confidence | None = None,
    notes: tuple[str, ...] = (),
    fix: Fix | None = None,
    unfixed: str | None = None,
) -> Finding | None:
    """A finding about a call that resolves on the new side; None where the callee is not a provider's."""
    before, after = old.call(use), new.call(use)
    if after.callee is None or done_otherwise(rule, use):
        return None
    origin, found = _provided(use, old, new, argument)
    provider = new.provider_of(found.path)
    if provider is None:
        return None
    symbol = origin.path if origin is not None else found.path
    keep = (argument,) if argument else ()
    if use.indirect and fix is not None and any("position" in repair.options for repair in fix.repairs):
        fix, unfixed = None, "the call is made through another function"
    if after.by_overload and severity == "error":
        # overloads are written for type checkers: what stands behind them often takes more than they say
        severity, confidence = "info", "low"
    return Finding(
        rule=rule,
        severity=severity,
        confidence=confidence or certainty(before, after),
        provider=provider,
        symbol=symbol,
        span=span or use.name_span or use.span,
        message=message,
        argument=argument,
        label=label,
        scope=use.scope,
        old_signature=old.signature(origin, keep=keep) if origin is not None else None,
        new_signature=new.signature(found, keep=keep),
        notes=notes,
        fix=fix,
        unfixed=unfixed,
        text=use.text,
    )


def _provided(use: Use, old: Side, new: Side, argument: str | None) -> tuple[Callee | None, Callee]:
    """What is called on both sides; where that is the consumer's own, what it stands for of the provider's."""
    origin, found = old.call(use).callee, new.call(use).callee
    assert found is not None
    if new.provider_of(found.path) is not None:
        return origin, found
    if found.owner and new.provider_of(found.owner) is not None:
        # the consumer's own class is made by the constructor of the provider's
        made_by = f"{found.owner}.__init__"
        earlier = f"{origin.owner}.__init__" if origin is not None and origin.owner else made_by
        return (
            origin and msgspec.structs.replace(origin, path=earlier),
            msgspec.structs.replace(found, path=made_by),
        )
    refuser = new.call(use).refuser(argument) if argument is not None else None
    if refuser is not None:
        # the consumer's own function passes its keywords on to the provider
        return callee(old.world, old.world.resolve(refuser.path)), refuser
    return origin, found


def use_finding(
    rule: str,
    severity: Severity,
    use: Use,
    new: Side,
    symbol: str,
    message: str,
    *,
    span: Span | None = None,
    argument: str | None = None,
    label: str = "",
    confidence: Confidence = "high",
    old_signature: Signature | None = None,
    new_signature: Signature | None = None,
    notes: tuple[str, ...] = (),
    fix: Fix | None = None,
    unfixed: str | None = None,
) -> Finding | None:
    """A finding about any other use; None where the symbol is not a provider's."""
    provider = new.provider_of(symbol)
    if provider is None or done_otherwise(rule, use):
        return None
    return Finding(
        rule=rule,
        severity=severity,
        confidence=confidence,
        provider=provider,
        symbol=symbol,
        span=span or use.name_span or use.span,
        message=message,
        argument=argument,
        label=label,
        scope=use.scope,
        old_signature=old_signature,
        new_signature=new_signature,
        notes=notes,
        fix=fix,
        unfixed=unfixed,
        text=use.text,
    )


def certainty(before: CallOutcome, after: CallOutcome) -> Confidence:
    """High where both sides were read and bound in full."""
    if before.status == "unknown" or before.callee is None:
        return "low"
    certain = all(o.binding is None or o.binding.certain for o in (before, after))
    return "high" if certain else "medium"


def done_otherwise(rule: str, use: Use) -> bool:
    """Whether the consumer itself catches what this drift raises, and does in another way what it tried."""
    raised = _RAISED.get(rule)
    return raised is not None and any(
        guard.kind == "alternative" and set(guard.name.split()) & {raised, "Exception", "BaseException"}
        for guard in use.guards
    )


_RAISED = {
    "unknown-argument": "TypeError",
    "missing-argument": "TypeError",
    "too-many-positional-arguments": "TypeError",
    "positional-only-parameter-as-keyword": "TypeError",
    "unresolved-attribute": "AttributeError",
    "vanished-member": "AttributeError",
}
"""What Python raises where there is a finding of a rule."""


def swallowing(use: Use, *exceptions: str) -> Guard | None:
    """The guard around a use that catches one of these exceptions and goes on, if there is one."""
    for guard in use.guards:
        if guard.kind == "swallowed" and set(guard.name.split()) & {*exceptions, "Exception", "BaseException"}:
            return guard
    return None


def parameter_guarded(use: Use, name: str) -> bool:
    """Whether the consumer itself asks for the parameter before it passes it."""
    return any(g.kind == "parameter" and g.name == name and not g.negated for g in use.guards)
