"""What the schema alone cannot say of a rule: that its parts fit together, and that its templates can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from auditor.rulepack import templates
from auditor.rulepack.schema import ArgumentTest, ArgumentTests, Context, Match, Rule

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLACES = ("call", "result", "statement", "receiver", "import", "class", "function")
_WORDS = frozenset(
    {
        "call",
        "receiver",
        "target",
        "function",
        "class",
        "args",
        "text",
        "method",
        "result",
        "old",
        "new",
        "fresh",
        "offers",
        "takes",
        "negated",
        "grouped",
    }
)


def faults(stem: str, rule: Rule) -> Iterator[str]:
    """What is wrong with a rule, each with its place inside the file."""
    if not _ID.fullmatch(stem):
        yield f"a rule's file is named in kebab case, not `{stem}`"
    if (rule.match is None) == (rule.dispatch is None):
        yield "a rule has either `match` or `dispatch`"
    if rule.match is not None and (rule.fix is None) == (rule.unfixed is None):
        yield "a rule has either `fix`, or `unfixed` that says why there is none"
    try:
        SpecifierSet(rule.versions)
    except InvalidSpecifier as error:
        yield f"versions: {error}"
    if rule.match is not None:
        yield from _match(rule.match)
    for index, grade in enumerate(rule.grades):
        yield from _context(f"grades[{index}].when", grade.when)
    if rule.fix is not None:
        yield from _fix(rule)
    for place, text in (("message", rule.message), *((f"notes[{i}]", note) for i, note in enumerate(rule.notes))):
        yield from _template(place, text)


def _match(match: Match) -> Iterator[str]:
    if sum(bool(kind) for kind in (match.call, match.attribute, match.subclass, match.imports)) != 1:
        yield "match: has exactly one of `call`, `attribute`, `subclass` and `import`"
    yield from _tests("match.with", match.with_)
    for name, context in match.beside.items():
        if name in _WORDS or not name.isidentifier():
            yield f"match.beside.{name}: is no name for a metavariable"
        yield from _context(f"match.beside.{name}", context)
    for index, context in enumerate(match.absent):
        yield from _context(f"match.absent[{index}]", context)
    yield from _place("match.at", match.at, match)


def _context(place: str, context: Context) -> Iterator[str]:
    if sum(bool(kind) for kind in (context.call, context.name, context.text)) != 1:
        yield f"{place}: has exactly one of `call`, `name` and `text`"
    if context.text is not None:
        yield from _template(f"{place}.text", context.text)
    yield from _tests(f"{place}.with", context.with_)


def _tests(place: str, tests: ArgumentTests) -> Iterator[str]:
    for name, test in tests.items():
        if isinstance(test, ArgumentTest) and test.matches is not None:
            try:
                re.compile(test.matches)
            except re.error as error:
                yield f"{place}.{name}.matches: {error}"


def _fix(rule: Rule) -> Iterator[str]:
    assert rule.fix is not None
    if len(rule.fix.safety.split()) < 3:
        yield "fix.safety: is a sentence"
    if not rule.fix.repairs and rule.fix.applicability != "display-only":
        yield "fix.repairs: is empty"
    for index, spec in enumerate(rule.fix.repairs):
        name, repair = spec.chosen()
        place = f"fix.repairs[{index}].{name}"
        yield from _place(f"{place}.at", repair.at, rule.match)
        for field in repair.__struct_fields__:
            value = getattr(repair, field)
            if isinstance(value, str):
                yield from _template(f"{place}.{field}", value)


def _place(place: str, at: str | None, match: Match | None) -> Iterator[str]:
    known = (*_PLACES, *(match.beside if match is not None else ()))
    if at is not None and at not in known and not at.startswith("argument:"):
        yield f"{place}: is one of {', '.join(known)}, argument:NAME"


def _template(place: str, text: str) -> Iterator[str]:
    try:
        templates.check(text)
    except templates.TemplateError as error:
        yield f"{place}: {error}"
