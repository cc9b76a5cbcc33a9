"""Does the call pass a keyword that the new signature no longer takes?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding, parameter_guarded, swallowing
from auditor.model import Finding, Fix, Repair, Use
from auditor.renames import Rename, renamed_parameter, told
from auditor.sides import Side, argument_named

KINDS = ("call",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error for each keyword that fits the old signature and not the new one."""
    before, after = old.call(use), new.call(use)
    if after.status != "broken" or after.callee is None:
        return
    already = {e.argument for e in before.errors if e.kind == "unknown-argument"}
    for error in after.errors:
        name = str(error.argument)
        if error.kind != "unknown-argument" or name in already or before.status in ("unknown", "missing"):
            continue
        if parameter_guarded(use, name):
            continue
        argument = argument_named(use, name)
        rename = renamed_parameter(name, before, after)
        callee = after.callee.path.rsplit(".", 1)[-1]
        refuser = after.refuser(name)
        message = f"`{_shown(use.text, callee)}` no longer takes `{name}`"
        if refuser is not None:
            message += f": it passes it on to `{refuser.path.removesuffix('.__init__')}`, which does not"
        swallowed = swallowing(use, "TypeError")
        finding = call_finding(
            "unknown-argument",
            "warning" if swallowed else "error",
            use,
            old,
            new,
            f"{message}; {told(rename)}" if rename else message,
            span=argument.span if argument else None,
            argument=name,
            label=f"renamed to `{rename.new}`" if rename and not rename.doubtful else "unknown argument",
            notes=(rename.reason,) if rename else (),
            fix=_fix(use, name, argument is not None and argument.name == name, rename),
            unfixed=_unfixed(argument is not None and argument.name == name, rename),
        )
        if finding is not None:
            yield finding


def _unfixed(plain: bool, rename: Rename | None) -> str | None:
    if not plain:
        return "the keyword comes out of a dict"
    if rename is not None and rename.opposite:
        return f"`{rename.new}` may take another value for the same"
    return None


def _shown(text: str, callee: str) -> str:
    last = text.rsplit(".", 1)[-1]
    return text if len(text) < 60 and last == callee else callee


def _fix(use: Use, name: str, plain: bool, rename: Rename | None) -> Fix | None:
    if not plain or (rename is not None and rename.opposite):
        return None
    if rename is not None:
        return Fix(
            (Repair("rename-argument", use.span, {"name": name, "new_name": rename.new}),),
            "safe" if rename.certain else "unsafe",
            f"the same value goes to the parameter's new name: {rename.reason}"
            if rename.certain
            else f"`{rename.new}` is the likely successor, not a declared one: {rename.reason}",
        )
    return Fix(
        (Repair("remove-argument", use.span, {"name": name}),),
        "unsafe",
        f"the new signature has no place for `{name}`; whatever it steered is now decided by the provider",
    )
