"""Whether a provider itself passes a keyword to a method of a given class."""

from __future__ import annotations

import ast

from auditor.api import FunctionApi
from auditor.canonical.callsites import Site, sites
from auditor.model import Confidence
from auditor.sides import Side
from auditor.terms import Instance, Name, Term
from auditor.whereabouts import Searchable
from auditor.world.classes import ClassRef
from auditor.world.values import InstanceValue, UnknownValue, Value, alternatives


def passes_keyword(new: Side, method: str, keyword: str, owner: str, near: str) -> Confidence | None:
    """How surely the provider itself calls a method with a keyword.

    Args:
        new: The release.
        method: Name of the method.
        keyword: Name of the argument.
        owner: Dotted path of the class whose method it is.
        near: The module to search around.

    Returns:
        "high" for a call on an object of that class, or of one above or below it; "medium" for one on an object of
        which the class cannot be told; None for no such call.
    """
    tree = new.world.tree(near)
    if not isinstance(tree, Searchable):
        return None
    cls = new.world.class_(owner)
    found: Confidence | None = None
    for site in sites(tree, method, keyword, near, everywhere=False):
        called = ast.parse(site.callee, mode="eval").body
        if not isinstance(called, ast.Attribute) or ast.unparse(called.value) == "super()":
            continue
        values = list(alternatives(_receiver(new, site, called.value)))
        if cls is not None and any(isinstance(v, InstanceValue) and _related(v.ref, cls) for v in values):
            return "high"
        if cls is None or not all(isinstance(v, InstanceValue) for v in values):
            found = "medium"
    return found


def _related(one: ClassRef, other: ClassRef) -> bool:
    return one in other.mro() or other in one.mro()


def _receiver(new: Side, site: Site, node: ast.expr) -> Value:
    """What stands before the dot of a call: `self`, an annotated parameter, or attributes of these."""
    if isinstance(node, ast.Attribute):
        of = _receiver(new, site, node.value)
        return of if isinstance(of, UnknownValue) else new.world.member(of, node.attr)
    term = _typed(new, site, node.id) if isinstance(node, ast.Name) else None
    return new.world.evaluate(Instance(term)) if term is not None else UnknownValue("an expression")


def _typed(new: Side, site: Site, name: str) -> Term | None:
    """The type of a parameter of the function around a call."""
    if site.function is None:
        return None
    if site.class_ is None:
        function = new.world.function(f"{site.module}.{site.function}")
    else:
        if name == "self":
            return Name(site.module, site.class_)
        cls = new.world.class_(f"{site.module}.{site.class_}")
        definition = cls.own(site.function) if cls is not None else None
        function = definition if isinstance(definition, FunctionApi) else None
    return next((p.type for p in function.parameters if p.name == name), None) if function is not None else None
