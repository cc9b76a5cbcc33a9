"""Findings and a second opinion, merged: agreement raises confidence, what only the checker sees is its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from auditor.model import Finding, Span
from auditor.opinions.checkers import Diagnostic


def merged(
    findings: Iterable[Finding], diagnostics: Sequence[Diagnostic], checker: str, providers: Sequence[str]
) -> list[Finding]:
    """The findings with what a checker says of the same places, and the checker's own.

    Args:
        findings: Ours.
        diagnostics: What is new on the new side.
        checker: Who says so.
        providers: The distributions that were audited.
    """
    found = list(findings)
    agreed: dict[int, Diagnostic] = {}
    alone: list[Diagnostic] = []
    for diagnostic in diagnostics:
        same = _about(found, diagnostic)
        for number in same:
            agreed.setdefault(number, diagnostic)
        if not same:
            alone.append(diagnostic)
    result = [_confirmed(f, agreed[n], checker) if n in agreed else f for n, f in enumerate(found)]
    result += [_own(diagnostic, checker, providers) for diagnostic in alone]
    return sorted(result, key=lambda f: (f.span.path, f.span.line, f.span.column))


def _about(findings: Sequence[Finding], diagnostic: Diagnostic) -> list[int]:
    """Which findings a diagnostic speaks of: of those in its place the ones it names, else all that need an answer."""
    there = [n for n, f in enumerate(findings) if _same_place(f.span, diagnostic)]
    named = [n for n in there if _names(findings[n], diagnostic.message)]
    return named or [n for n in there if findings[n].severity != "info"]


def _names(finding: Finding, message: str) -> bool:
    """Whether a message names what a finding is about: its argument, or else the last name of its symbol."""
    wanted = finding.argument or finding.symbol.removesuffix(".__init__").rsplit(".", 1)[-1]
    return re.search(rf"\b{re.escape(wanted)}\b", message) is not None


def _same_place(span: Span, diagnostic: Diagnostic) -> bool:
    """Whether a finding and a diagnostic speak of the same lines."""
    return span.path == diagnostic.path and (
        span.line <= diagnostic.line <= span.end_line or diagnostic.line <= span.line <= diagnostic.end_line
    )


def _confirmed(finding: Finding, diagnostic: Diagnostic, checker: str) -> Finding:
    note = f"{checker} sees it too [{diagnostic.code}]: {diagnostic.message}"
    return msgspec.structs.replace(finding, confidence="high", notes=(*finding.notes, note))


def _own(diagnostic: Diagnostic, checker: str, providers: Sequence[str]) -> Finding:
    provider = next((name for name in providers if name.replace("-", "_") in diagnostic.message), providers[0])
    return Finding(
        rule=f"{checker}:{diagnostic.code}",
        severity="warning",
        confidence="medium",
        provider=provider,
        symbol=provider,
        span=Span(diagnostic.path, diagnostic.line, diagnostic.column, diagnostic.end_line, diagnostic.end_column),
        message=diagnostic.message,
        notes=(f"only {checker} says so, with the new release and not with the old one",),
        unfixed="a second opinion comes without repairs",
        text=diagnostic.message,
    )
