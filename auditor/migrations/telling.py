"""What tells releases that need a rule's fix from others, as conditions that code can test while it runs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from auditor.rulepack.evidence import Evidence, OfMember, OfParameter
from auditor.rulepack.repairs import Capability, FixSpec
from auditor.rulepack.schema import Rule
from auditor.terms import Guard, Import


def capabilities(rule: Rule, spec: FixSpec) -> tuple[Guard, ...]:
    """What the rule states, with its summary as text; else what of its evidence can be asked for at run time."""
    said = " ".join(rule.summary.split())
    stated = [
        msgspec.structs.replace(guard, text=said) for one in spec.capability if (guard := _guard(one)) is not None
    ]
    return tuple(stated or dict.fromkeys((*_of(rule.evidence.new), *_of(rule.evidence.old, negated=True))))


def _of(items: tuple[Evidence, ...], *, negated: bool = False) -> Iterator[Guard]:
    for item in items:
        if (guard := _guard(item)) is not None:
            yield msgspec.structs.replace(guard, negated=guard.negated != negated)


def _guard(item: Evidence | Capability) -> Guard | None:
    match item:
        case Evidence(exists=str(path)) | Capability(exists=str(path)):
            return Guard("importable", path, of=Import(path))
        case Evidence(missing=str(path)):
            return Guard("importable", path, of=Import(path), negated=True)
        case Evidence(parameter=OfParameter(of=of, name=name)) | Capability(parameter=OfParameter(of=of, name=name)):
            return Guard("parameter", f"{of}({name})", of=Import(of), name=name)
        case Evidence(member=OfMember(of=of, name=name)) | Capability(member=OfMember(of=of, name=name)):
            return Guard("hasattr", f"{of}.{name}", of=Import(of), name=name)
        case Evidence(not_=Evidence() as inner) | Capability(not_=Capability() as inner):
            found = _guard(inner)
            return None if found is None else msgspec.structs.replace(found, negated=not found.negated)
        case _:
            return None
