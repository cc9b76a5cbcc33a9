"""Findings that hold where environment variables are not set: which are new, and how they are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from auditor.model import Confidence, Finding

_LOWER: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}


def by_default(findings: Iterable[Finding], variables: Sequence[str]) -> list[Finding]:
    """Findings about what is so by default: with lower confidence, and the variables that would change it."""
    named = " or ".join(f"`{name}`" for name in sorted(variables))
    return [
        msgspec.structs.replace(
            finding,
            confidence=_LOWER[finding.confidence],
            fix=None,
            unfixed=finding.unfixed or "the settings decide whether this happens",
            notes=(*finding.notes, f"this is so by default, unless {named} is set"),
        )
        for finding in findings
    ]
