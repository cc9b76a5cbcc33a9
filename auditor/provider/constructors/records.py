"""Constructors of named tuples and typed dicts, as classes and as calls."""

from __future__ import annotations

import ast
from collections.abc import Callable

from auditor.api import Parameter
from auditor.provider.constructors import facts, syntax
from auditor.provider.constructors.fields import UNKNOWN_DEFAULT, default_text
from auditor.provider.constructors.view import ClassView, Constructor, externals, own_attributes, views
from auditor.reading import text
from auditor.terms import Term


def named_tuple(view: ClassView) -> Constructor | None:
    """The constructor of a class that is a named tuple in its own right; None: it is not."""
    if any(view.canonical(base) in facts.NAMED_TUPLE for base in view.api.bases):
        found = [
            Parameter(
                a.name,
                default=None if (node := syntax.parse(a.value)) is None else default_text(view, node),
                annotation=a.annotation,
                type=a.type,
            )
            for a in own_attributes(view)
            if a.annotation is not None
        ]
        return Constructor(tuple(found), None, view, "namedtuple")
    for base in view.api.base_texts:
        if (called := named_tuple_call(base, view.module, view.canonical)) is not None:
            return Constructor(called, None, view, "namedtuple")
    return None


def named_tuple_call(source: str, module: str, canonical: Callable[[Term], str | None]) -> tuple[Parameter, ...] | None:
    """The signature of what `namedtuple("X", "a b")` or `NamedTuple("X", [("a", int)])` returns.

    None where `source` is another expression, or where its fields cannot be read.
    """
    node = syntax.parse(source)
    if not isinstance(node, ast.Call):
        return None
    path = canonical(syntax.term(node.func, module)) or ""
    if path in facts.NAMED_TUPLE_FUNCTION:
        return _plain(syntax.keywords(node, ("typename", "field_names")))
    if path in facts.NAMED_TUPLE:
        return _typed(syntax.keywords(node, ("typename", "fields")).get("fields"))
    return None


def _plain(given: dict[str, ast.expr]) -> tuple[Parameter, ...] | None:
    fields = given.get("field_names")
    names: list[str] = []
    if (joined := syntax.string(fields)) is not None:
        names = joined.replace(",", " ").split()
    elif isinstance(fields, ast.List | ast.Tuple):
        for element in fields.elts:
            name = syntax.string(element)
            if name is None:
                return None
            names.append(name)
    else:
        return None
    values = given.get("defaults")
    defaults: list[str] = []
    if isinstance(values, ast.List | ast.Tuple):
        defaults = [text(value) for value in values.elts]
    elif values is not None and not (isinstance(values, ast.Constant) and values.value is None):
        defaults = [UNKNOWN_DEFAULT] * len(names)
    padded = [None] * (len(names) - len(defaults)) + defaults
    return tuple(Parameter(name, default=default) for name, default in zip(names, padded, strict=False))


def _typed(fields: ast.expr | None) -> tuple[Parameter, ...] | None:
    found: list[Parameter] = []
    if not isinstance(fields, ast.List | ast.Tuple):
        return None
    for pair in fields.elts:
        name = syntax.string(pair.elts[0]) if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 else None
        if name is None:
            return None
        assert isinstance(pair, ast.Tuple)
        found.append(Parameter(name, annotation=text(pair.elts[1])))
    return tuple(found)


def is_typed_dict(view: ClassView) -> bool:
    """Whether a class is a typed dict."""
    return any(path in facts.TYPED_DICT for path in externals(view))


def typed_dict(view: ClassView) -> Constructor:
    """The keys of a typed dict as keyword-only parameters, as a type checker sees them (Python itself takes any)."""
    found: dict[str, Parameter] = {}
    for holder in reversed(list(views(view.mro()))):
        total = dict(holder.api.keywords).get("total") != "False"
        for attribute in own_attributes(holder):
            if attribute.annotation is None:
                continue
            markers = syntax.annotation(attribute.annotation).markers
            required = "Required" in markers or (total and "NotRequired" not in markers)
            default = None if required else UNKNOWN_DEFAULT
            found[attribute.name] = Parameter(
                attribute.name, "keyword-only", default, attribute.annotation, attribute.type
            )
    return Constructor(tuple(found.values()), None, view, "typeddict")
