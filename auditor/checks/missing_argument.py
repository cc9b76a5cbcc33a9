"""Does the new signature require an argument that the call does not pass?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding, swallowing
from auditor.model import Finding, Use
from auditor.sides import Side


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for each parameter that became required; its value is derived later (`auditor.canonical`)."""
    if use.kind != "call":
        return
    before, after = old.call(use), new.call(use)
    if after.status != "broken" or before.status != "fits" or after.callee is None:
        return
    for error in after.errors:
        if error.kind != "missing-argument":
            continue
        name = str(error.argument)
        callee = after.callee.path.rsplit(".", 1)[-1]
        finding = call_finding(
            "missing-argument",
            "warning" if swallowing(use, "TypeError") else "error",
            use,
            old,
            new,
            f"`{callee}` now requires `{name}`, which this call does not pass",
            argument=name,
            label=f"missing `{name}`",
        )
        if finding is not None:
            yield finding
