"""Constructors of classes made by attrs, in its old and its new spelling."""

from __future__ import annotations

import ast

import msgspec
from msgspec.structs import replace

from auditor.api import FunctionApi
from auditor.provider.constructors import facts, syntax
from auditor.provider.constructors.dataclass import open_ended
from auditor.provider.constructors.fields import Field, parameters, read_field
from auditor.provider.constructors.view import ClassView, Constructor, is_view, own_attributes, own_function, views


class Style(msgspec.Struct, frozen=True):
    """How attrs was asked to make a class."""

    known: facts.AttrsStyle
    auto_attribs: bool | None
    init: bool
    """A constructor is generated."""
    kw_only: bool
    force_kw_only: bool


def style_of(view: ClassView) -> Style | None:
    """How a class is decorated with attrs; None: it is not."""
    for decorator in view.api.decorators:
        known = facts.ATTRS.get(view.canonical(decorator.function) or "")
        if known is None:
            continue
        given = syntax.keywords(syntax.parse(decorator.text))

        def option(name: str, default: bool, given: dict[str, ast.expr] = given) -> bool:
            found = syntax.flag(given.get(name))
            return default if found is None else found

        init = syntax.flag(given.get("init"))
        detect = option("auto_detect", known.auto_detect)
        if init is None:
            init = not (detect and own_function(view, "__init__") is not None)
        auto_attribs = syntax.flag(given.get("auto_attribs"))
        return Style(
            known,
            known.auto_attribs if auto_attribs is None else auto_attribs,
            init,
            option("kw_only", default=False),
            option("force_kw_only", known.force_kw_only),
        )
    return None


def build(view: ClassView, style: Style) -> Constructor:
    """The generated constructor of a class."""
    fields = [_named(f) for f in _fields(view, style) if f.init]
    found = parameters(fields)
    paths = [entry.path.removeprefix("builtins.") for entry in view.mro() if not is_view(entry)]
    if all(facts.is_fieldless(path) for path in paths):
        return Constructor(tuple(found), None, view, "attrs")
    return Constructor(open_ended(found), None, view, "attrs", complete=False)


def _fields(view: ClassView, style: Style) -> list[Field]:
    own = _own(view, style)
    names = {f.name for f in own}
    inherited: dict[str, Field] = {}
    if style.known.by_mro:
        for base in reversed(list(views(view.mro()[1:]))):
            if (made := style_of(base)) is not None:
                for field in _own(base, made):
                    inherited.pop(field.name, None)
                    inherited[field.name] = field
    else:
        for base in views(view.mro()[1:]):
            if (made := style_of(base)) is not None:
                for field in _fields(base, made):
                    inherited.setdefault(field.name, field)
    before = [field for name, field in inherited.items() if name not in names]
    if style.kw_only and style.force_kw_only:
        before = [replace(field, kw_only=True) for field in before]
    return before + own


def _own(view: ClassView, style: Style) -> list[Field]:
    attributes = list(own_attributes(view))
    read = {a.name: read_field(view, a) for a in attributes}
    annotated = style.auto_attribs
    if annotated is None:
        annotated = all(a.annotation is not None for a in attributes if read[a.name].described)
    found: list[Field] = []
    for attribute in attributes:
        field = read[attribute.name]
        if "ClassVar" in syntax.annotation(attribute.annotation).markers:
            continue
        if not (field.described or (annotated and attribute.annotation is not None)):
            continue
        if field.default is None and (method := _default_method(view, attribute.name)) is not None:
            field = replace(field, default=f"self.{method.name}()", no_class_value=True)
        kw_only = style.kw_only or bool(field.kw_only) if style.force_kw_only else field.kw_only
        found.append(replace(field, kw_only=style.kw_only if kw_only is None else kw_only))
    return found


def _default_method(view: ClassView, name: str) -> FunctionApi | None:
    """The method under `@name.default`."""
    for definitions in view.api.members.values():
        for definition in definitions:
            if isinstance(definition, FunctionApi) and any(d.text == f"{name}.default" for d in definition.decorators):
                return definition
    return None


def _named(field: Field) -> Field:
    """The field under the name that the constructor gives it: without leading underscores."""
    return field if field.aliases else replace(field, name=field.name.lstrip("_"))
