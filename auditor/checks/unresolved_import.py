"""Does an import, or a dotted path in a string, name something that the new release does not have?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import swallowing, use_finding
from auditor.model import Finding, Fix, Repair, Use
from auditor.sides import Side, exists
from auditor.terms import Import
from auditor.vanishing import dropped_by_star, vanished
from auditor.whereabouts import Whereabouts, whereabouts
from auditor.world.values import Missing, UnknownValue, Value

KINDS = ("import", "attribute")


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for each imported name that was there and is gone, with where it went."""
    if use.kind == "attribute":
        yield from _starred(use, old, new)
        return
    if not isinstance(use.term, Import):
        return
    now = _gone(use, old, new)
    if now is None:
        return
    if any(g.kind == "import-fallback" and not g.negated for g in use.guards):
        return
    for_types = any(g.kind == "type-checking" and not g.negated for g in use.guards)
    path = use.term.path
    gone_module = now.kind == "module" or not use.text.startswith("from ")
    found = whereabouts(path, old, new)
    swallowed = swallowing(use, "ImportError", "ModuleNotFoundError")
    finding = use_finding(
        "unresolved-import",
        "info" if for_types else "warning" if swallowed else "error",
        use,
        new,
        path,
        _message(path, found, new, gone_module=gone_module, is_from=use.text.startswith("from ")),
        span=use.span,
        confidence="high" if now.certain else "medium",
        label="moved" if found.paths else "not in the new release",
        notes=found.notes
        + (("it is imported for type checkers only: nothing fails at run time",) if for_types else ())
        + (("the ImportError is caught: the feature behind it is off from now on",) if swallowed else ()),
        old_signature=found.old_signature,
        new_signature=found.new_signature,
        fix=_fix(use, path, found),
        unfixed=found.unfixed,
    )
    if finding is not None:
        yield finding


def _starred(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """A bare name that came with `from module import *`."""
    now = dropped_by_star(use.term, old, new)
    if now is None:
        return
    kept = exists(new.world.resolve(now.path))
    found = Whereabouts(unfixed="it has to be imported by name") if kept else whereabouts(now.path, old, new)
    swallowed = swallowing(use, "NameError")
    finding = use_finding(
        "unresolved-import",
        "warning" if swallowed else "error",
        use,
        new,
        now.path,
        f"`from {now.owner} import *` no longer brings `{now.name}`"
        if kept
        else _message(now.path, found, new, gone_module=False, is_from=True),
        confidence="high" if now.certain else "medium",
        label="no longer comes with `import *`",
        notes=found.notes,
        old_signature=found.old_signature,
        new_signature=found.new_signature,
        unfixed="the name came with `import *`; it has to be imported from its new place"
        if found.paths
        else found.unfixed,
    )
    if finding is not None:
        yield finding


def _gone(use: Use, old: Side, new: Side) -> Missing | None:
    now = _imported(use, new)
    if isinstance(now, Missing):
        was = _imported(use, old)
        may_have_been = isinstance(was, UnknownValue) and now.kind == "module"  # served by what stood in a gone module
        return now if exists(was) or may_have_been else None
    return vanished(use.term, old, new) if use.text.startswith("from ") else None


def _imported(use: Use, side: Side) -> Value:
    """What an import statement gets: the module it names has to be one, whatever a package's `__getattr__` serves."""
    assert isinstance(use.term, Import)
    path = use.term.path
    if use.text.startswith("from ") and not use.text.endswith(" *"):
        module = path.rpartition(".")[0]
        if side.lacks_module(module):
            return Missing("", path, "module")
    elif side.lacks_module(path):
        return Missing("", path, "module")
    return side.value(use.term)


def _message(path: str, found: Whereabouts, new: Side, *, gone_module: bool, is_from: bool) -> str:
    module, _, name = path.rpartition(".")
    if not is_from:
        start = f"module `{path}` is gone"
    elif gone_module and new.world.has_module(module) is False:
        start = f"module `{module}` is gone, `{name}` with it"
    else:
        start = f"`{module}` no longer has `{name}`"
    if len(found.paths) == 1:
        return f"{start}; it is now `{found.paths[0]}`"
    if found.paths:
        return f"{start}; candidates: {', '.join(f'`{p}`' for p in found.paths[:3])}"
    return start


def _fix(use: Use, path: str, found: Whereabouts) -> Fix | None:
    if len(found.paths) != 1 or not use.text.startswith("from ") or use.name_span is None:
        return None
    module, _, name = path.rpartition(".")
    new_module, _, new_name = found.paths[0].rpartition(".")
    if name != new_name:
        return None
    return Fix(
        (Repair("move-import", use.name_span, {"module": module, "name": name, "new_module": new_module}),),
        "safe" if found.same_shape else "unsafe",
        "the same definition stands in another module"
        if found.same_shape
        else "a definition of this name stands there, in another shape",
    )
