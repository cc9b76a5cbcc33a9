"""The proof that asks every release of a range: what is left binds as it did, and no finding is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.source import Sources
from auditor.fingerprint import identified
from auditor.prune.ranging import Opener, Range
from auditor.resolution import Pair
from auditor.scan import Audit
from auditor.sides import exists, path_of

_COUNTED = ("call", "import", "attribute")


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

    def touching(self) -> list[str]:
        """The modules that have to do with the provider."""
        return self._audit.tree.touching()

    def faults(self, number: int) -> Counter[tuple[str, ...]]:
        """What does not fit one of the releases, file first: uses that are reached and do not bind, and findings."""
        if self._analyses is None:
            self._analyses = self._audit.uses()
        audit = self._audit.against([self._pair(number)])
        found: Counter[tuple[str, ...]] = Counter()
        for analysis in self._analyses:
            for use in analysis.uses:
                if use.kind not in _COUNTED or not audit.matching.may_touch(use.term) or not audit.new.reached(use):
                    continue
                if use.kind == "call":
                    outcome = audit.new.call(use)
                    path = outcome.callee.path if outcome.callee is not None else ""
                    broken = outcome.status in ("broken", "missing")
                else:
                    value = audit.new.value(use.term)
                    path, broken = path_of(value) or "", not exists(value) and path_of(value) is not None
                if broken:
                    found[use.span.path, use.kind, path, use.scope] += 1
        for each in identified(audit.findings(self._analyses)):
            found[each.span.path, each.rule, each.symbol, each.scope] += 1
        return found

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


def worse(
    sources: Sources, changed: Mapping[str, bytes], of: Range, opener: Opener, numbers: Sequence[int]
) -> dict[str, str]:
    """The changed files in which something fits a release of the range no more that did before, with the release."""
    before, after = Audits(sources, of, opener), Audits(sources.replaced(changed), of, opener)
    blamed: dict[str, str] = {}
    for number in numbers:
        for path, what, symbol, _ in after.faults(number) - before.faults(number):
            reason = f"Without it `{symbol}` would not fit {of.claim.provider} {of.releases[number].version} ({what})"
            blamed.setdefault(path, reason)
    return blamed
