"""Tells of guards that are not needed as findings: what each tests, why it is idle, and what takes it out."""

from __future__ import annotations

import ast

from auditor.consumer.places import Places
from auditor.model import Finding, Fix
from auditor.prune.guarding import Guard
from auditor.prune.ranging import Range
from auditor.prune.scopes import FileScopes
from auditor.reading import text
from auditor.suppressions import PRUNED


def finding(guard: Guard, of: Range, file: FileScopes, places: Places) -> Finding:
    """The finding about one guard, at its test."""
    tried = isinstance(guard.node, ast.Try)
    at = guard.node.body[0] if isinstance(guard.node, ast.Try) else guard.test
    shown = text(at) if isinstance(at, ast.expr) else ast.unparse(at)
    reason = (
        f"It may have another reason than the release: {'; '.join(sorted(guard.doubts))}"
        if guard.doubts
        else "It comes out the same in every release of the range, so that nothing changes"
    )
    return Finding(
        rule=PRUNED,
        severity="warning",
        confidence="medium" if guard.doubts else "high",
        provider=of.claim.provider,
        symbol=min(guard.asked),
        span=places.span(at),
        message=_message(guard, of, shown),
        label=("always succeeds" if guard.truth else "always fails") if tried else f"always {str(guard.truth).lower()}",
        scope=file.of[id(guard.node)].name,
        notes=(str(of),),
        fix=Fix((), "unsafe" if guard.doubts else "safe", reason),
        text=" ".join(shown.split()),
    )


def _message(guard: Guard, of: Range, shown: str) -> str:
    range_ = of.claim.text
    short = " ".join(shown.split())
    if isinstance(guard.node, ast.Try):
        if guard.truth:
            return f"`{short}` succeeds with every `{range_}`: its fallback is never needed"
        return f"`{short}` fails with every `{range_}`: only its fallback is needed"
    return f"`{short}` is always {str(guard.truth).lower()} with `{range_}`"
