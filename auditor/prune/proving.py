"""The proof that asks every release of a range: what is left binds as it did, and no finding is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from auditor.audit import Audit
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.source import Sources
from auditor.fingerprint import identified
from auditor.model import Use
from auditor.prune.ranging import Opener, Range
from auditor.resolution import Pair
from auditor.sides import Side, exists
from auditor.world.values import Missing

_COUNTED = ("call", "import", "attribute")
_Use: TypeAlias = tuple[str, str, str, str]
"""Path, kind, text and scope: what a use still is when it has moved up."""


class Standing(NamedTuple):
    """Every use that is reached, with how it fits (`fits`, `broken`, `unknown`), and the findings."""

    uses: Mapping[_Use, set[str]]
    findings: Counter[_Use]


class Audits:
    """One content of the consumer beside the releases of one range.

    Args:
        sources: Its files.
        of: The range.
        opener: Opens the releases.
    """

    def __init__(self, sources: Sources, of: Range, opener: Opener) -> None:
        self.of = of
        self._opener = opener
        self._audit = Audit(sources, [self._pair(len(of.releases) - 1)], opener.store)
        self._analyses: list[FileAnalysis] | None = None

    def touching(self) -> Sequence[str]:
        """The modules that have to do with the provider."""
        return self._audit.tree.touching

    def standing(self, number: int) -> Standing:
        """How the consumer stands on one of the releases."""
        if self._analyses is None:
            self._analyses = self._audit.uses()
        audit = self._audit.against([self._pair(number)])
        uses: dict[_Use, set[str]] = {}
        for analysis in self._analyses:
            for use in analysis.uses:
                if use.kind in _COUNTED and audit.new.reached(use):
                    uses.setdefault((use.span.path, use.kind, use.text, use.scope), set()).add(_status(use, audit.new))
        found = Counter(
            (f.span.path, f.rule, f.symbol, f.scope)
            for f in identified(audit.findings(self._analyses))
            if f.severity != "info"
        )
        return Standing(uses, found)

    def _pair(self, number: int) -> Pair:
        first, new = self.of.releases[0], self.of.releases[number]
        old_side, new_side = self._opener.snapshot(first.spec), self._opener.snapshot(new.spec)
        origin = self._opener.release(first.spec).origin
        return Pair(
            self.of.claim.provider,
            tuple(dict.fromkeys((*new.packages, *first.packages))),
            old_side,
            new_side,
            first.version,
            new.version,
            origin,
            self._opener.release(new.spec).origin,
            "the lowest of the range",
        )


def _status(use: Use, side: Side) -> str:
    if use.kind == "call":
        return {"missing": "broken"}.get(status := side.call(use).status, status)
    value = side.value(use.term)
    return "fits" if exists(value) else "broken" if isinstance(value, Missing) else "unknown"


def worse(
    sources: Sources, changed: Mapping[str, bytes], of: Range, opener: Opener, numbers: Sequence[int]
) -> dict[str, str]:
    """The changed files in which something no longer fits a release of the range, or a finding is new, with which.

    A use of which nobody could tell before whether it fits is no worse where that can now be told.
    """
    before, after = Audits(sources, of, opener), Audits(sources.replaced(changed), of, opener)
    blamed: dict[str, str] = {}
    for number in numbers:
        was, now = before.standing(number), after.standing(number)
        release = f"{of.claim.provider} {of.releases[number].version}"
        for use, statuses in now.uses.items():
            if "broken" in statuses and was.uses.get(use, {"fits"}) == {"fits"}:
                blamed.setdefault(use[0], f"Without it `{use[2]}` would not fit {release}")
        for path, rule, symbol, _ in now.findings - was.findings:
            blamed.setdefault(path, f"Without it there would be a new finding with {release}: {rule}, `{symbol}`")
    return blamed
