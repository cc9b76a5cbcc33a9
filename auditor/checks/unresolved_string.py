"""Does a string that names a provider's object by dotted path still lead somewhere?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import swallowing, use_finding
from auditor.model import Finding, Use
from auditor.sides import Side, exists
from auditor.terms import Import
from auditor.whereabouts import whereabouts
from auditor.world.values import Missing

KINDS = ("string",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for a dotted path that led to something in the old release and leads nowhere in the new one."""
    if not isinstance(use.term, Import):
        return
    now = new.value(use.term)
    if not isinstance(now, Missing) or not now.certain or not exists(old.value(use.term)):
        return
    if any(g.kind == "import-fallback" and not g.negated for g in use.guards):
        return
    found = whereabouts(use.term.path, old, new)
    swallowed = swallowing(use, "ImportError", "ModuleNotFoundError", "AttributeError")
    where = f"; it is now `{found.paths[0]}`" if len(found.paths) == 1 else ""
    finding = use_finding(
        "unresolved-string",
        "warning" if swallowed else "error",
        use,
        new,
        use.term.path,
        f"no `{use.text}` in the new release{where}",
        span=use.span,
        label="leads nowhere",
        confidence="medium",
        notes=found.notes,
        unfixed="a string may be used for more than one purpose; change it by hand",
    )
    if finding is not None:
        yield finding
