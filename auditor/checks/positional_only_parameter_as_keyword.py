"""Does the call name a parameter that the new signature takes by position only?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding
from auditor.model import Finding, Use
from auditor.sides import Side, argument_named

KINDS = ("call",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for each such keyword."""
    before, after = old.call(use), new.call(use)
    if after.status != "broken" or before.status != "fits" or after.callee is None:
        return
    for error in after.errors:
        if error.kind not in ("positional-only-parameter-as-keyword", "multiple-values"):
            continue
        name = str(error.argument)
        argument = argument_named(use, name)
        finding = call_finding(
            "positional-only-parameter-as-keyword",
            "error",
            use,
            old,
            new,
            f"`{after.callee.path.rsplit('.', 1)[-1]}` {error.detail}",
            span=argument.span if argument else None,
            argument=name,
            label="cannot be passed by keyword",
            unfixed="the order of the positional arguments is the caller's to decide",
        )
        if finding is not None:
            yield finding
