"""Constructors of pydantic models and settings, of both major versions, and how pydantic treats unknown arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from auditor.api import ClassApi, FunctionApi, Parameter
from auditor.provider.constructors import facts, syntax
from auditor.provider.constructors.fields import UNKNOWN_DEFAULT, Field, parameters, read_field
from auditor.provider.constructors.view import (
    ClassView,
    Constructor,
    externals,
    is_view,
    own_attribute,
    own_attributes,
    views,
)

Extra: TypeAlias = Literal["forbid", "ignore", "allow"]

IGNORED = "ignored"
"""Name of the `**` parameter of a class that drops unknown arguments silently ..."""
EXTRA = "extra_data"
"""... and of one that keeps them, as pydantic itself shows it."""


class Options(msgspec.Struct, frozen=True):
    """The part of pydantic's configuration that changes the constructor."""

    extra: Extra = "forbid"
    by_name: bool = False
    """Fields with an alias may be passed by their own name too."""
    generator: str | None = None
    """How aliases are made from names: `camel`, `pascal`, or "" where that cannot be read."""


def extra_parameters(extra: Extra) -> tuple[Parameter, ...]:
    """The `**` parameter that stands for arguments nobody declared."""
    if extra == "forbid":
        return ()
    return (Parameter(EXTRA if extra == "allow" else IGNORED, "var-keyword"),)


def read_options(options: Options, node: ast.expr | None, view: ClassView | None = None) -> Options:
    """The options after a `ConfigDict(...)` or dict display."""
    return _updated(options, syntax.keywords(node), view)


def _updated(options: Options, given: Mapping[str, ast.expr], view: ClassView | None) -> Options:
    if (node := given.get("extra")) is not None:
        word = syntax.string(node) or syntax.last_name(node)
        if word in ("forbid", "ignore", "allow"):
            options = replace(options, extra=word)
        else:
            options = replace(options, extra="ignore")
    for key in ("populate_by_name", "validate_by_name", "allow_population_by_field_name"):
        if (by_name := syntax.flag(given.get(key))) is not None:
            options = replace(options, by_name=by_name)
    if (generator := given.get("alias_generator")) is not None:
        path = view.canonical(syntax.term(generator, view.module)) if view is not None else None
        options = replace(options, generator=facts.ALIAS_GENERATORS.get(path or "", ""))
    return options


def is_model(view: ClassView) -> bool:
    """Whether a class is a pydantic model."""
    return any(path in facts.PYDANTIC_MODEL for path in externals(view))


def build(view: ClassView, written: FunctionApi | None = None, owner: ClassView | None = None) -> Constructor:
    """The constructor of a model; `written` is an `__init__` (in `owner`) that takes `**kwargs` for the fields."""
    paths = set(externals(view))
    old = _is_v1(view, paths)
    settings = bool(paths & facts.PYDANTIC_SETTINGS)
    options = _options(view, Options(extra="forbid" if settings else "ignore"))
    fields = [_aliased(f, options.generator) for f in _fields(view, old=old).values()]
    if settings:
        fields = [replace(f, default=UNKNOWN_DEFAULT if f.default is None else f.default) for f in fields]
    found = parameters(fields, by_name=options.by_name, keyword_only=True)
    if settings:
        found = [Parameter(f"_{name}", default="None") for name in facts.SETTINGS_PARAMETERS] + found
    if options.generator == "":
        options = replace(options, extra="allow" if options.extra == "allow" else "ignore")
    complete = all(p in facts.PYDANTIC_MODEL or facts.is_fieldless(p) for p in paths)
    rest = extra_parameters(options.extra if complete else "allow")
    if paths & facts.PYDANTIC_ROOT:
        found, rest = _root(found)
    if written is None or owner is None:
        return Constructor((*found, *rest), None, view, "pydantic", complete)
    first = [p for p in written.parameters[1:] if p.kind != "var-keyword"]
    taken = {p.name for p in first}
    merged = (*first, *(p for p in found if p.name not in taken), *rest)
    return Constructor(merged, written, owner, "pydantic", complete)


def _root(found: list[Parameter]) -> tuple[list[Parameter], tuple[Parameter, ...]]:
    """A root model takes its value, or keywords that make a dict of it."""
    root = next((p for p in found if p.name == "root"), Parameter("root"))
    value = Parameter("root", default=root.default or UNKNOWN_DEFAULT, annotation=root.annotation, type=root.type)
    return [value], (Parameter("data", "var-keyword"),)


def _options(view: ClassView, options: Options) -> Options:
    for holder in reversed(list(views(view.mro()))):
        for inner in holder.api.members.get("Config", ()):
            if isinstance(inner, ClassApi):
                options = _updated(options, _assigned(inner), holder)
        attribute = own_attribute(holder, "model_config")
        if attribute is not None:
            options = read_options(options, syntax.parse(attribute.value), holder)
        keywords = {name: node for name, text in holder.api.keywords if (node := syntax.parse(text)) is not None}
        options = _updated(options, keywords, holder)
    return options


def _assigned(inner: ClassApi) -> dict[str, ast.expr]:
    """Values assigned in a `class Config`."""
    found: dict[str, ast.expr] = {}
    for name, definitions in inner.members.items():
        node = syntax.parse(getattr(definitions[-1], "value", None))
        if node is not None:
            found[name] = node
    return found


def _fields(view: ClassView, *, old: bool) -> dict[str, Field]:
    collected: dict[str, Field] = {}
    for holder in reversed([entry for entry in view.mro() if is_view(entry)]):
        for field in _own(holder, collected, old=old and is_model(holder)):
            collected[field.name] = field
    return collected


def _own(view: ClassView, inherited: Mapping[str, Field], *, old: bool) -> Iterator[Field]:
    for attribute in own_attributes(view):
        annotation = syntax.annotation(attribute.annotation)
        if attribute.name.startswith("_") or attribute.name == "model_config" or "ClassVar" in annotation.markers:
            continue
        if "Final" in annotation.markers and attribute.value is not None:
            continue
        if attribute.annotation is not None:
            field = read_field(view, attribute, pydantic=True)
            if field.default is None and old and annotation.optional and not _is_required(attribute.value):
                field = replace(field, default="None")
            yield field
        elif attribute.value is not None and (known := inherited.get(attribute.name)) is not None:
            again = read_field(view, attribute, pydantic=True)
            yield replace(known, default=again.default)
        elif attribute.value is not None and old:
            yield read_field(view, attribute, pydantic=True)


def _is_required(value: str | None) -> bool:
    """Whether `...` is written as the default, which pydantic 1 takes as required even where `None` is allowed."""
    node = syntax.parse(value)
    if isinstance(node, ast.Call):
        node = syntax.keywords(node, ("default",)).get("default")
    return isinstance(node, ast.Constant) and node.value is ...


def _aliased(field: Field, generator: str | None) -> Field:
    if generator is None or field.aliases or field.alias_open:
        return field
    if generator == "":
        return replace(field, alias_open=True)
    pascal = "".join(part[:1].upper() + part[1:] for part in field.name.split("_"))
    return replace(field, aliases=(pascal if generator == "pascal" else pascal[:1].lower() + pascal[1:],))


def _is_v1(view: ClassView, paths: set[str]) -> bool:
    """Whether the code was written for pydantic 1: its own names say so, or idioms that 2 no longer has."""
    if paths & facts.PYDANTIC_V1:
        return True
    old = new = False
    for holder in views(view.mro()):
        new |= "model_config" in holder.api.members
        for definitions in holder.api.members.values():
            last = definitions[-1]
            if isinstance(last, FunctionApi):
                old |= last.has(*facts.PYDANTIC_V1_SIGNS)
                new |= last.has(*facts.PYDANTIC_V2_SIGNS)
            elif isinstance(last, ClassApi) and last.name == "Config":
                old |= not facts.PYDANTIC_V1_CONFIG.isdisjoint(last.members)
    return old and not new
