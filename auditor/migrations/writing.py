"""A rule and a place it matches -> the finding: message, severity, signatures, fix."""

from __future__ import annotations

from typing import Any

from auditor.migrations.matching import Matcher
from auditor.migrations.mending import mend
from auditor.migrations.places import Found
from auditor.model import Confidence, Finding, Severity, Signature
from auditor.rulepack import Pack, templates
from auditor.rulepack.schema import Rule
from auditor.sides import Side, path_of
from auditor.whereabouts import describe
from auditor.world.calls import Callee


def write(pack: Pack, found: Found, matcher: Matcher) -> Finding:
    """The finding of a rule at a place."""
    rule, use = pack.rule, found.use
    old, new = matcher.old, matcher.new
    symbol = _symbol(rule, found, old, new)
    provider = new.provider_of(symbol) or pack.provider
    bound = {**found.bound, "old": old.label(provider), "new": new.label(provider)}
    severity, notes = _grade(rule, found, matcher)
    fix, unfixed = (None, rule.unfixed) if rule.fix is None else mend(rule, rule.fix, found, new)
    before, after = _signatures(found, old, new, rule.argument)
    return Finding(
        rule=pack.id,
        severity=severity,
        confidence=_confidence(rule, found, old, new),
        provider=provider,
        symbol=symbol,
        span=found.at or use.name_span or use.span,
        message=_text(rule.message, bound),
        argument=rule.argument,
        label=_text(rule.label, bound),
        scope=use.scope,
        old_signature=before,
        new_signature=after,
        notes=(*(_text(note, bound) for note in rule.notes), *notes),
        fix=fix,
        unfixed=unfixed,
        text=use.text,
    )


def _text(template: str, bound: dict[str, Any]) -> str:
    try:
        return " ".join(templates.render(template, bound).split())
    except templates.UnboundError:
        return " ".join(template.split())


def _grade(rule: Rule, found: Found, matcher: Matcher) -> tuple[Severity, tuple[str, ...]]:
    for grade in rule.grades:
        if matcher.surroundings.near(grade.when, found):
            return grade.severity, (grade.note,) if grade.note else ()
    return rule.severity, ()


def _confidence(rule: Rule, found: Found, old: Side, new: Side) -> Confidence:
    known = any(path_of(side.value(found.use.term)) is not None for side in (old, new))
    return rule.confidence if known or rule.confidence == "low" else "medium"


def _symbol(rule: Rule, found: Found, old: Side, new: Side) -> str:
    use = found.use
    for side in (old, new):
        outcome = side.call(use) if use.kind == "call" else None
        if outcome is not None and outcome.callee is not None and side.provider_of(outcome.callee.path):
            return outcome.callee.path
        path = path_of(side.value(use.term))
        if path is not None and (side.provider_of(path) or not side.world.owns(path)):
            return path
    match = rule.match
    names = (match.call or match.attribute or match.subclass or match.imports) if match is not None else ""
    return names if isinstance(names, str) else names[0]


def _signatures(found: Found, old: Side, new: Side, argument: str | None) -> tuple[Signature | None, Signature | None]:
    shown: list[Signature | None] = []
    for side in (old, new):
        callee: Callee | None = side.call(found.use).callee if found.use.kind == "call" else None
        if callee is not None and side.provider_of(callee.path):
            shown.append(side.signature(callee, keep=(argument,) if argument else ()))
        else:
            shown.append(describe(side, side.value(found.use.term)))
    return shown[0], shown[1]
