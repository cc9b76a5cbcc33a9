"""Does the call pass a keyword that the new release only still takes under its old name?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.findings import call_finding
from auditor.model import Finding, Fix, Repair, Use
from auditor.renames import declared_alias
from auditor.sides import Side, argument_named

KINDS = ("call",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield a warning for each keyword that is no parameter any more and that a decorator of the provider maps."""
    before, after = old.call(use), new.call(use)
    if before.callee is None or after.callee is None or after.binding is None:
        return
    known = {p.name for p in before.callee.parameters}
    function = after.callee.function
    keys = function.kwargs_keys if function is not None else ()
    mapped = [str(e.argument) for e in after.binding.errors if e.kind == "unknown-argument" and e not in after.errors]
    kept = any(p.name in known for p in after.callee.parameters if not p.kind.startswith("var-"))
    read = [str(key[1]) for key in after.binding.swallowed if kept and key[0] == "keyword" and key[1] in keys]
    for name in (*mapped, *read):
        if name not in known:
            continue
        successor = declared_alias(function, name)
        argument = argument_named(use, name)
        plain = argument is not None and argument.name == name
        callee = after.callee.path.rsplit(".", 1)[-1]
        finding = call_finding(
            "deprecated-argument",
            "warning",
            use,
            old,
            new,
            _message(name, callee, successor, declared=name in mapped),
            span=argument.span if argument else None,
            argument=name,
            label=f"`{successor}` now" if successor else "deprecated",
            fix=Fix(
                (Repair("rename-argument", use.span, {"name": name, "new_name": successor}),),
                "safe",
                f"the provider maps `{name}` to `{successor}` itself",
            )
            if successor and plain
            else None,
            unfixed=None if successor and plain else "the provider does not say what takes its place here",
        )
        if finding is not None:
            yield finding


def _message(name: str, callee: str, successor: str | None, *, declared: bool) -> str:
    if successor:
        return f"`{name}` of `{callee}` is deprecated, its new name is `{successor}`"
    if declared:
        return f"`{name}` of `{callee}` is deprecated"
    return f"`{callee}` has no parameter `{name}` any more and only reads it out of its `**kwargs`"
