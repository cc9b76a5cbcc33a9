"""Is what is called, imported or read deprecated in the new release, and was not before?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding, use_finding
from auditor.model import Finding, Use
from auditor.sides import Side, exists
from auditor.terms import Import, Member
from auditor.world.values import ModuleValue

KINDS = ("call", "import", "attribute")


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an information with the provider's own words."""
    if use.kind != "call":
        yield from _served(use, old, new)
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


def _served(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """A name that its module serves with a warning."""
    module, name = _name(use, new)
    now, was = new.world.module(module), old.world.module(module)
    text = now.lazy_deprecated.get(name) if now is not None and name not in now.names else None
    if not text or was is None or name in was.lazy_deprecated or not exists(old.world.resolve(f"{module}.{name}")):
        return
    finding = use_finding(
        "deprecated-use", "info", use, new, f"{module}.{name}",
        f"`{module}.{name}` is deprecated now: {' '.join(text.split())[:200]}",
        label="deprecated", unfixed="it still works in this release",
    )  # fmt: skip
    if finding is not None:
        yield finding


def _name(use: Use, new: Side) -> tuple[str, str]:
    """The module and the name that an import or access asks it for; empty ones for any other use."""
    if use.kind == "import" and isinstance(use.term, Import) and use.text.startswith("from "):
        module, _, name = use.term.path.rpartition(".")
        return module, name
    if use.kind == "attribute" and isinstance(use.term, Member):
        of = new.value(use.term.of)
        return (of.name, use.term.name) if isinstance(of, ModuleValue) else ("", "")
    return "", ""
