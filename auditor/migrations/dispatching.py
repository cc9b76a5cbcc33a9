"""Methods called by their name in a string: does the class that receives the call still have it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from auditor.api import FunctionApi
from auditor.checks.new_raise import concerns, counted, new_raises, shown
from auditor.consumer.analysis import FileAnalysis
from auditor.migrations import subjects
from auditor.migrations.matching import Matcher
from auditor.model import Argument, ByName, Finding, Use
from auditor.rulepack import Pack, templates
from auditor.rulepack.schema import Dispatch, Extension
from auditor.sides import Side
from auditor.terms import Constant, Import
from auditor.world.classes import ClassRef
from auditor.world.values import ClassValue


def by_name(packs: Iterable[Pack]) -> tuple[ByName, ...]:
    """What some rules say about methods that are called by their name."""
    rules = (pack.rule.dispatch for pack in packs if pack.rule.dispatch is not None)
    return tuple(ByName(tuple(sorted(subjects.last_names(r.call))), r.parameter, r.classes) for r in rules)


def dispatched(pack: Pack, analyses: Sequence[FileAnalysis], matcher: Matcher) -> Iterator[Finding]:
    """A finding for every method name that the old classes had, and neither the new ones nor an extension has."""
    rule = pack.rule
    assert rule.dispatch is not None
    old, new = matcher.old, matcher.new
    extensions: list[ClassRef] | None = None
    for use, argument, name in _named(rule.dispatch, analyses, old, new):
        was, now = _classes(rule.dispatch, old), _classes(rule.dispatch, new)
        yield from _new_raises(name, use, argument, (was, now), matcher)
        if not now or not any(cls.find(name) for cls in was) or any(_has(cls, name) for cls in now):
            continue
        if extensions is None:
            extensions = list(_extensions(rule.dispatch.extension, analyses, new))
        if any(_has(cls, name) for cls in extensions):
            continue
        owner = next(cls for cls in was if cls.find(name))
        bound = {"method": name, "class": owner.qualname, "text": use.text}
        provider = new.provider_of(owner.path) or pack.provider
        yield Finding(
            rule=pack.id,
            severity=rule.severity,
            confidence=rule.confidence,
            provider=provider,
            symbol=f"{owner.path}.{name}",
            span=argument.span,
            message=templates.render(rule.message, bound | {"new": new.label(provider), "old": old.label(provider)}),
            label=rule.label,
            scope=use.scope,
            notes=rule.notes,
            unfixed=rule.unfixed or "what takes the method's place depends on the caller",
            text=f"{use.text}({name!r})",
        )


def _named(
    dispatch: Dispatch, analyses: Sequence[FileAnalysis], old: Side, new: Side
) -> Iterator[tuple[Use, Argument, str]]:
    """Calls that pass a method's name as a string."""
    last = subjects.last_names(dispatch.call)
    for analysis in analyses:
        for use in (*analysis.uses, *analysis.loose):
            if use.kind != "call" or use.text.rsplit(".", 1)[-1] not in last or not new.reached(use):
                continue
            if not subjects.is_about(use, dispatch.call, old, new):
                continue
            argument = subjects.arguments(use, old, new).get(dispatch.parameter)
            if argument is not None and isinstance(argument.term, Constant) and argument.term.type == "str":
                name = argument.term.text[1:-1]
                if name.isidentifier():
                    yield use, argument, name


def _new_raises(
    name: str, use: Use, argument: Argument, classes: tuple[list[ClassRef], list[ClassRef]], matcher: Matcher
) -> Iterator[Finding]:
    """What the method that is reached raises now and did not raise before, as information."""
    was, now = (next((hit for cls in side if (hit := cls.find(name))), None) for side in classes)
    if was is None or now is None or not (isinstance(was[1], FunctionApi) and isinstance(now[1], FunctionApi)):
        return
    passed = [p.name for p in now[1].parameters]
    added = [one for one in new_raises(was[1], now[1]) if concerns(one, now[1], passed)]
    provider = matcher.new.provider_of(now[0].path)
    if not added or provider is None:
        return
    yield Finding(
        rule="new-raise",
        severity="info",
        confidence="medium",
        provider=provider,
        symbol=f"{now[0].path}.{name}",
        span=argument.span,
        message=f"`{name}`, reached by its name, raises in {counted(added)} now that it did not raise in before",
        label="may raise now",
        scope=use.scope,
        notes=shown(added),
        unfixed="whether the case can arise depends on the caller",
        text=f"{use.text}({name!r})",
    )


def _classes(dispatch: Dispatch, side: Side) -> list[ClassRef]:
    values = (side.world.resolve(path) for path in dispatch.classes)
    return [value.ref for value in values if isinstance(value, ClassValue)]


def _has(cls: ClassRef, name: str) -> bool:
    """Whether instances may have the method; a class that makes up its attributes may have any."""
    return cls.find(name) is not None or cls.find("__getattr__") is not None or "" in cls.externals()


def _extensions(spec: Extension | None, analyses: Sequence[FileAnalysis], side: Side) -> Iterator[ClassRef]:
    """The consumer's classes that some call names, by a dotted string or by the class itself."""
    if spec is None:
        return
    last = subjects.last_names(spec.call)
    for analysis in analyses:
        for use in analysis.uses:
            if use.kind != "call":
                continue
            argument = next((a for a in use.arguments if a.name == spec.parameter), None)
            if argument is None or not last & subjects.names_of(use, side, side):
                continue
            term = argument.term
            if isinstance(term, Constant) and term.type == "str":
                term = Import(term.text[1:-1].replace(":", "."))
            value = side.value(term)
            if isinstance(value, ClassValue):
                yield value.ref
