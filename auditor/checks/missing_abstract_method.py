"""Does a base class of the consumer's class have an abstract method that it does not implement?"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.api import FunctionApi
from auditor.findings import use_finding
from auditor.model import Finding, Use
from auditor.sides import Side
from auditor.world.classes import ClassRef
from auditor.world.values import ClassValue

KINDS = ("class",)


def check(use: Use, old: Side, new: Side) -> Iterator[Finding]:
    """Yield an error that names the abstract methods which are new and not implemented."""
    was, now = old.value(use.term), new.value(use.term)
    if not isinstance(was, ClassValue) or not isinstance(now, ClassValue):
        return
    if any(isinstance(d[-1], FunctionApi) and d[-1].is_abstract for d in now.ref.api.members.values()):
        return  # abstract on purpose
    before = {name for name, _ in unimplemented(was.ref)}
    missing = [(name, owner) for name, owner in unimplemented(now.ref) if name not in before]
    if not missing:
        return
    heirs = new.heirs.leave_open(now.ref)
    if heirs and not any({name for name, _ in missing} & {name for name, _ in unimplemented(heir)} for heir in heirs):
        return  # it is only ever a base, and every class below it implements them
    first, owner = missing[0]
    base = owner.path.rsplit(".", 1)[-1]
    names = ", ".join(f"`{name}`" for name, _ in missing)
    finding = use_finding(
        "missing-abstract-method",
        "error",
        use,
        new,
        f"{owner.path}.{first}",
        f"`{now.ref.qualname}` does not implement {names}, abstract in `{base}` now: it cannot be instantiated",
        argument=first,
        label="abstract methods missing",
        confidence="high" if all(not isinstance(c, str) for c in now.ref.mro()) else "medium",
        unfixed="only the author knows what the new methods should do",
    )
    if finding is not None:
        yield finding


def unimplemented(ref: ClassRef) -> list[tuple[str, ClassRef]]:
    """Abstract methods along the resolution order that no class before them implements, where that is enforced."""
    if not _enforced(ref):
        return []
    found = []
    for cls in ref.classes():
        for name, definitions in cls.api.members.items():
            last = definitions[-1]
            if isinstance(last, FunctionApi) and last.is_abstract:
                first = ref.find(name)
                if first is not None and first[0] is cls:
                    found.append((name, cls))
    return found


def _enforced(ref: ClassRef) -> bool:
    """Only classes made by `ABCMeta` refuse instantiation."""
    for cls in ref.classes():
        if any("ABC" in text for text in cls.api.base_texts) or any("ABC" in value for _, value in cls.api.keywords):
            return True
        if any("Protocol" in text for text in cls.api.base_texts):
            return True
    return any(path == "" or "ABC" in path for path in ref.externals())
