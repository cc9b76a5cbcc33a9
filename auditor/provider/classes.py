"""What the head of a class says: its bases and metaclass, also through `with_metaclass`, and its slots."""

from __future__ import annotations

import ast

from auditor.api import AttributeApi
from auditor.provider.namespaces import Namespace
from auditor.provider.scopes import bounded, target_names
from auditor.reading import Environment, annotation, read
from auditor.terms import UNKNOWN, Term


def bases_of(node: ast.ClassDef) -> tuple[list[ast.expr], ast.expr | None]:
    """The bases of a class, and its metaclass where `with_metaclass(Meta, Base)` stands among them."""
    found: list[ast.expr] = []
    metaclass: ast.expr | None = None
    for base in node.bases:
        match base:
            case ast.Starred():
                pass
            case ast.Call(
                func=ast.Name(id="with_metaclass") | ast.Attribute(attr="with_metaclass"), args=[meta, *rest]
            ):
                metaclass = meta
                found += rest
            case _:
                found.append(base)
    return found, metaclass


def base_term(node: ast.expr, env: Environment) -> Term:
    """What a base expression names; a call may return a class."""
    found = bounded(read(node, env)) if isinstance(node, ast.Call) else annotation(node, env)
    return found or UNKNOWN


def add_slots(members: Namespace, node: ast.ClassDef) -> None:
    """Names in `__slots__` are attributes of instances, if nothing says more about them."""
    for statement in node.body:
        if isinstance(statement, ast.Assign) and any(target_names(t) == ["__slots__"] for t in statement.targets):
            value = statement.value
            items = value.elts if isinstance(value, ast.Tuple | ast.List | ast.Set) else [value]
            for item in items:
                name = item.value if isinstance(item, ast.Constant) else None
                if isinstance(name, str) and name.isidentifier() and name not in members.instance:
                    members.assign_instance(AttributeApi(name, statement.lineno))
