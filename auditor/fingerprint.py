"""Names a finding so that the name survives edits elsewhere: a digest of what and where, never of a line number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

import msgspec

from auditor.model import Finding


def identified(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in source order, each with its `id`.

    Equal findings in one scope (the same call written twice) are told apart by their order among themselves.
    """
    ordered = sorted(findings, key=_position)
    seen: Counter[str] = Counter()
    named = []
    for finding in ordered:
        key = _key(finding)
        named.append(msgspec.structs.replace(finding, id=_digest(f"{key}\0{seen[key]}")))
        seen[key] += 1
    return tuple(named)


def _position(finding: Finding) -> tuple[str, int, int, str, str, str]:
    span = finding.span
    return span.path, span.line, span.column, finding.rule, finding.symbol, finding.argument or ""


def _key(finding: Finding) -> str:
    text = " ".join(finding.text.split())
    parts = (finding.rule, finding.span.path, finding.scope, finding.symbol, finding.argument or "", text)
    return "\0".join(parts)


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
