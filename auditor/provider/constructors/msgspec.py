"""Constructors of `msgspec.Struct` classes."""

from __future__ import annotations

from msgspec.structs import replace

from auditor.provider.constructors import facts, syntax
from auditor.provider.constructors.dataclass import open_ended
from auditor.provider.constructors.fields import Field, parameters, read_field
from auditor.provider.constructors.view import ClassView, Constructor, externals, own_attributes, views


def is_struct(view: ClassView) -> bool:
    """Whether a class is a struct."""
    return any(path in facts.MSGSPEC for path in externals(view))


def build(view: ClassView) -> Constructor:
    """The constructor of a struct: fields of the bases first, keyword-only as the class that defines them says."""
    collected: dict[str, Field] = {}
    for holder in reversed(list(views(view.mro()))):
        if not is_struct(holder):
            continue
        kw_only = dict(holder.api.keywords).get("kw_only") == "True"
        for attribute in own_attributes(holder):
            if attribute.annotation is None or "ClassVar" in syntax.annotation(attribute.annotation).markers:
                continue
            collected[attribute.name] = replace(read_field(holder, attribute), kw_only=kw_only)
    found = parameters(list(collected.values()))
    if all(path in facts.MSGSPEC or facts.is_fieldless(path) for path in externals(view)):
        return Constructor(tuple(found), None, view, "msgspec")
    return Constructor(open_ended(found), None, view, "msgspec", complete=False)
