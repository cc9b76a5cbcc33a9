"""Is the callable deprecated in the new release, and was not before?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding
from auditor.model import Finding, Use
from auditor.sides import Side


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an information with the provider's own words."""
    if use.kind != "call":
        return
    before, after = old.call(use), new.call(use)
    if after.callee is None or after.callee.function is None or after.status == "broken":
        return
    text = after.callee.function.deprecated
    known = (
        before.callee.function.deprecated if before.callee is not None and before.callee.function is not None else None
    )
    if not text or known:
        return
    callee = after.callee.path.rsplit(".", 1)[-1]
    finding = call_finding(
        "deprecated-use", "info", use, old, new, f"`{callee}` is deprecated now: {' '.join(text.split())[:200]}",
        label="deprecated", unfixed="it still works in this release",
    )  # fmt: skip
    if finding is not None:
        yield finding
