"""Does the new signature require an argument that the call does not pass?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.api import AttributeApi
from auditor.findings import call_finding, swallowing
from auditor.model import Argument, Finding, Fix, Repair, Use
from auditor.renames import renamed_parameter
from auditor.sides import CallOutcome, Side
from auditor.world.calls import Callee
from auditor.world.values import ClassValue

KINDS = ("call",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for each parameter that became required; its value is derived later (`auditor.canonical`)."""
    before, after = old.call(use), new.call(use)
    if after.status != "broken" or before.status != "fits" or after.callee is None:
        return
    unknown = {str(e.argument) for e in after.errors if e.kind == "unknown-argument"}
    for error in after.errors:
        if error.kind != "missing-argument":
            continue
        name = str(error.argument)
        if _was_declared(name, before.callee, old):
            continue
        callee = after.callee.path.rsplit(".", 1)[-1]
        former = _former(use, name, before, after)
        finding = call_finding(
            "missing-argument",
            "warning" if swallowing(use, "TypeError") else "error",
            use,
            old,
            new,
            f"`{callee}` now requires `{name}`, which this call does not pass"
            + (f"; it passes `{former.name}`, which may have been its name" if former else ""),
            argument=name,
            label=f"missing `{name}`",
            fix=_fix(use, former.name, name) if former and former.name and former.name not in unknown else None,
            unfixed=f"renaming `{former.name}` repairs it" if former and former.name in unknown else None,
        )
        if finding is not None:
            yield finding


def _was_declared(name: str, before: Callee | None, old: Side) -> bool:
    """Whether the class declared it as a field before, and took it by a `**kwargs` that cannot be followed."""
    if before is None or not isinstance(before.value, ClassValue) or old.takes(before, name) is not None:
        return False
    found = before.value.ref.find(name)
    return found is not None and isinstance(found[1], AttributeApi) and found[1].annotation is not None


def _former(use: Use, name: str, before: CallOutcome, after: CallOutcome) -> Argument | None:
    """The keyword that the call passes under the parameter's old name."""
    for argument in use.arguments:
        if argument.name and after.callee is not None and all(p.name != argument.name for p in after.callee.parameters):
            rename = renamed_parameter(argument.name, before, after)
            if rename is not None and rename.new == name and not rename.opposite:
                return argument
    return None


def _fix(use: Use, old_name: str, name: str) -> Fix:
    repair = Repair("rename-argument", use.span, {"name": old_name, "new_name": name})
    return Fix((repair,), "unsafe", f"`{name}` stands in the place of `{old_name}`, which is gone")
