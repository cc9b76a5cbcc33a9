"""Reads one field of a dataclass-like class: its default in one normal form, and what its field function says of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from auditor.api import AttributeApi, Parameter
from auditor.provider.constructors import facts, syntax
from auditor.provider.constructors.view import ClassView, ConstantView, own_attribute, views
from auditor.terms import Member, Term

_NO_FUNCTIONS: Mapping[str, tuple[str, ...]] = {}
_MAX_HOPS = 8
"""How many names a default is followed through."""

UNKNOWN_DEFAULT = "..."
"""The default of a parameter that may be left out, where nothing says what it is then."""


class Field(msgspec.Struct, frozen=True):
    """One field, as the constructor cares for it."""

    name: str
    annotation: str | None = None
    type: Term | None = None
    default: str | None = None
    """Source text in normal form; None: required."""
    init: bool = True
    kw_only: bool | None = None
    """None: as its class says."""
    aliases: tuple[str, ...] = ()
    """Names that the constructor knows it by instead."""
    alias_open: bool = False
    """It has an alias that cannot be read."""
    described: bool = False
    """A field function describes it."""
    no_class_value: bool = False
    """The default comes from a factory: the class attribute does not hold it."""


def read_field(
    view: ClassView,
    attribute: AttributeApi,
    *,
    functions: Mapping[str, tuple[str, ...]] = _NO_FUNCTIONS,
    pydantic: bool = False,
    hops: int = 0,
) -> Field:
    """Read a field.

    Args:
        view: The class whose body holds it.
        attribute: The field as written.
        functions: Field functions beside the well-known ones, with the names of their positional parameters.
        pydantic: `...` means required, and `Annotated` may describe the field.
        hops: How many names were followed to come here.
    """
    field = Field(attribute.name, attribute.annotation, attribute.type)
    if pydantic:
        for item in syntax.annotation(attribute.annotation).metadata:
            if isinstance(item, ast.Call) and (given := _description(view, item, None, functions)) is not None:
                field = _described(field, view, given, hops)
    node = syntax.value(attribute)
    if node is None:
        return field if attribute.value is None else replace(field, default=UNKNOWN_DEFAULT)
    if isinstance(node, ast.Call):
        given = _description(view, node, attribute.term, functions)
        if given is not None:
            return _described(field, view, given, hops)
        if _is_factory(view, node, attribute.term):
            return replace(field, default=_from_factory(node), no_class_value=True)
    if pydantic and isinstance(node, ast.Constant) and node.value is ...:
        return replace(field, default=None)
    return replace(field, default=default_text(view, node, hops), no_class_value=False)


def _description(
    view: ClassView, node: ast.Call, known: Term | None, functions: Mapping[str, tuple[str, ...]]
) -> dict[str, ast.expr] | None:
    """Arguments of a call to a field function; None for any other call."""
    path = view.canonical(syntax.callee(node, view.module, known))
    if path is None:
        return None
    positional = functions.get(path, facts.FIELD_FUNCTIONS.get(path))
    return None if positional is None else syntax.keywords(node, positional)


def _described(field: Field, view: ClassView, given: Mapping[str, ast.expr], hops: int) -> Field:
    """The field with what a field function was told."""
    field = replace(field, described=True)
    factory = given.get("default_factory", given.get("factory"))
    default = given.get("default")
    if default is not None and syntax.last_name(default) not in facts.NO_DEFAULT:
        if isinstance(default, ast.Call) and _is_factory(view, default, None):
            field = replace(field, default=_from_factory(default), no_class_value=True)
        else:
            field = replace(field, default=default_text(view, default, hops), no_class_value=False)
    elif (
        factory is not None and syntax.last_name(factory) not in (facts.NO_DEFAULT | {"None"}) and not _is_none(factory)
    ):
        field = replace(field, default=syntax.factory_text(factory), no_class_value=True)
    if (init := syntax.flag(given.get("init"))) is not None:
        field = replace(field, init=init)
    if (kw_only := syntax.flag(given.get("kw_only"))) is not None:
        field = replace(field, kw_only=kw_only)
    for key in ("validation_alias", "alias"):
        node = given.get(key)
        if node is not None and not _is_none(node):
            names = _aliases(node)
            return replace(field, aliases=names, alias_open=not names)
    return field


def _aliases(node: ast.expr) -> tuple[str, ...]:
    """Names in `"a"`, `AliasPath("a", 0)` and `AliasChoices("a", AliasPath(...))`."""
    if (name := syntax.string(node)) is not None:
        return (name,)
    if isinstance(node, ast.Call) and node.args:
        parts = node.args if syntax.last_name(node.func) == "AliasChoices" else node.args[:1]
        return tuple(name for part in parts for name in _aliases(part))
    return ()


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_factory(view: ClassView, node: ast.Call, known: Term | None) -> bool:
    return (view.canonical(syntax.callee(node, view.module, known)) or "") in facts.FACTORIES


def _from_factory(node: ast.Call) -> str:
    given = syntax.keywords(node, ("factory",))
    return syntax.factory_text(given["factory"]) if "factory" in given else UNKNOWN_DEFAULT


def default_text(view: ClassView, node: ast.expr, hops: int = 0) -> str:
    """A default as text; a name that plainly stands for a literal is replaced by it."""
    if isinstance(node, ast.Name | ast.Attribute) and hops < _MAX_HOPS:
        literal = _literal(view, node, hops + 1)
        if literal is not None:
            return literal
    return syntax.value_text(node)


def _literal(view: ClassView, node: ast.Name | ast.Attribute, hops: int) -> str | None:
    """The literal that a name stands for: a constant of the class body, of another class, or of a module."""
    if isinstance(node, ast.Name) and (attribute := own_attribute(view, node.id)) is not None:
        return _class_literal(view, attribute, hops)
    reached = syntax.term(node, view.module)
    if isinstance(reached, Member):
        path = view.canonical(reached.of)
        other = view.class_(path) if path is not None else None
        if other is not None:
            return _member_literal(other, reached.name, hops)
    if isinstance(view, ConstantView):
        found = view.constant(reached)
        parsed = syntax.parse(found)
        if parsed is not None and syntax.is_literal(parsed):
            return syntax.value_text(parsed)
    return None


def _member_literal(view: ClassView, name: str, hops: int) -> str | None:
    if any(not hasattr(entry, "api") and entry.path in facts.ENUM for entry in view.mro()):
        return None  # a member of an enumeration is best said by its name
    for holder in views(view.mro()):
        if (attribute := own_attribute(holder, name)) is not None:
            return _class_literal(holder, attribute, hops)
    return None


def _class_literal(view: ClassView, attribute: AttributeApi, hops: int) -> str | None:
    """What a class attribute holds, if that is a literal (for a field: its default)."""
    field = read_field(view, attribute, hops=hops)
    if field.default is None or field.no_class_value:
        return None
    node = syntax.parse(field.default)
    return field.default if node is not None and (syntax.is_literal(node)) else None


def inherited_default(view: ClassView, name: str, functions: Mapping[str, tuple[str, ...]]) -> str | None:
    """The default that an annotation without a value finds: the attribute of a base class."""
    for holder in views(view.mro()[1:]):
        if (attribute := own_attribute(holder, name)) is not None and attribute.value is not None:
            found = read_field(holder, attribute, functions=functions)
            return None if found.no_class_value else found.default
    return None


def parameters(fields: Sequence[Field], *, by_name: bool = False, keyword_only: bool = False) -> list[Parameter]:
    """Fields as parameters: positional ones first; further names of a field are keyword-only and optional.

    Args:
        fields: In order, with `kw_only` settled.
        by_name: A field with an alias is known by its own name too.
        keyword_only: All are.
    """
    positional: list[Parameter] = []
    keywords: list[Parameter] = []
    for field in fields:
        names = [*field.aliases]
        if by_name or field.alias_open or not names:
            names.append(field.name)
        default = field.default
        if default is None and (len(names) > 1 or field.alias_open):
            default = UNKNOWN_DEFAULT
        by_keyword = keyword_only or bool(field.kw_only)
        first = Parameter(
            names[0],
            "keyword-only" if by_keyword else "positional-or-keyword",
            default,
            field.annotation,
            field.type,
        )
        (keywords if by_keyword else positional).append(first)
        keywords += [Parameter(name, "keyword-only", default, field.annotation, field.type) for name in names[1:]]
    return positional + keywords
