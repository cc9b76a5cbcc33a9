"""Adds to findings the fixes that need more than the call itself: values that only the provider's own code shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from auditor.canonical import Derived, derive
from auditor.consumer.analysis import FileAnalysis
from auditor.model import Applicability, Finding, Fix, Repair, Span, Use
from auditor.sides import Side


def with_fixes(
    findings: Iterable[Finding], analyses: Sequence[FileAnalysis], old: Side, new: Side
) -> Iterator[Finding]:
    """The findings, each with a fix or the reason why it has none."""
    del old
    calls: dict[tuple[Span, str], Use] = {
        (use.name_span or use.span, use.text): use for a in analyses for use in a.uses if use.kind == "call"
    }
    for finding in findings:
        if finding.rule == "missing-argument" and finding.fix is None and finding.argument and not finding.unfixed:
            yield _missing(finding, calls.get((finding.span, finding.text)), new)
        else:
            yield finding


def _missing(finding: Finding, use: Use | None, new: Side) -> Finding:
    callee = new.call(use).callee if use is not None else None
    if use is None or callee is None or finding.argument is None:
        return finding
    derived, reason = derive(use, callee, finding.argument, new)
    if derived is None:
        return msgspec.structs.replace(finding, unfixed=reason)
    repair = Repair("add-argument", use.span, {"name": finding.argument, "value": derived.expression})
    return msgspec.structs.replace(
        finding, fix=Fix((repair,), *_safety(derived)), notes=(*finding.notes, f"value from {derived.where}")
    )


def _safety(derived: Derived) -> tuple[Applicability, str]:
    """Whether the value may be written unasked, and why."""
    match derived.origin:
        case "call site":
            return "safe", f"the provider's own call at {derived.where} computes it from the same values"
        case "factory":
            return "unsafe", f"the provider's factory at {derived.where} uses this value where its caller gives none"
        case "constant":
            return "unsafe", f"the provider's own call at {derived.where} passes this constant"
