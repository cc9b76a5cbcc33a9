"""Constructors of stdlib dataclasses, of pydantic's, and of what `dataclass_transform` declares to be like them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from auditor.api import Decorator, FunctionApi, Parameter
from auditor.provider.constructors import facts, syntax
from auditor.provider.constructors.fields import Field, inherited_default, parameters, read_field
from auditor.provider.constructors.pydantic import Options, extra_parameters, read_options
from auditor.provider.constructors.view import (
    ClassView,
    Constructor,
    is_view,
    own_attribute,
    own_attributes,
    own_function,
    views,
)
from auditor.terms import Call, Choice, Constant, root


class Style(msgspec.Struct, frozen=True):
    """How a class became a dataclass."""

    family: Literal["dataclass", "pydantic"]
    init: bool = True
    kw_only: bool = False
    functions: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Field functions that its decorator declares."""
    options: Options = msgspec.field(default_factory=Options)
    """Pydantic's configuration."""
    overwrites: bool = False
    """The generated `__init__` replaces a written one."""
    open: bool = False
    """More than the fields may be accepted, and in another order."""


_Known: TypeAlias = dict[str, dict[str, Field]]
"""Fields of the classes already read, by path."""


def build(view: ClassView, style: Style) -> Constructor:
    """The generated constructor of a class."""
    collected, complete = _fields(view, style)
    shown = [f for f in collected.values() if f.init]
    found = parameters(shown, by_name=style.options.by_name)
    if style.open or not complete:
        return Constructor(open_ended(found), None, view, style.family, complete=False)
    return Constructor((*found, *extra_parameters(style.options.extra)), None, view, style.family)


def open_ended(found: list[Parameter]) -> tuple[Parameter, ...]:
    """The signature of a class whose further fields and their order are unknown: ours by keyword, all else accepted."""
    known = [Parameter(p.name, "keyword-only", p.default, p.annotation, p.type) for p in found]
    return (Parameter("inherited", "var-positional"), *known, Parameter("inherited", "var-keyword"))


def style_of(view: ClassView) -> Style | None:
    """How a class is a dataclass in its own right (not merely through its bases); None: it is not."""
    for decorator in reversed(view.api.decorators):
        if (style := _decorated(view, decorator)) is not None:
            return _with_class_config(view, style)
    keywords = {name: node for name, text in view.api.keywords if (node := syntax.parse(text)) is not None}
    for entry in view.mro():
        if not is_view(entry):
            if entry.path in facts.TRANSFORMED_BASES:
                return _adjusted(Style("dataclass"), keywords)
            continue
        if entry is not view and (maker := own_function(entry, "__init_subclass__")) is not None and maker.remakes:
            return Style("dataclass", open=True)
        transforms = list(entry.api.decorators) if entry is not view else []
        if entry.api.metaclass is not None:
            metaclass = view.class_(entry.canonical(entry.api.metaclass) or "")
            for holder in views(metaclass.mro()) if metaclass is not None else ():
                transforms += holder.api.decorators
        for decorator in transforms:
            if entry.canonical(decorator.function) in facts.TRANSFORMS:
                return _adjusted(_transformed(view, decorator), keywords)
    return None


def _decorated(view: ClassView, decorator: Decorator) -> Style | None:
    path = view.canonical(decorator.function)
    if path is None:
        return None
    given = syntax.keywords(syntax.parse(decorator.text))
    if (known := _known(path)) is not None:
        return _adjusted(known, given)
    function = view.function(path)
    if function is None:
        return None
    for candidate in (function, *function.overloads):
        for outer in candidate.decorators:
            if view.canonical(outer.function) in facts.TRANSFORMS:
                return _adjusted(_transformed(view, outer), given)
    return _wrapped(view, function, given)


def _known(path: str) -> Style | None:
    if path in facts.DATACLASS:
        return Style("dataclass")
    if path in facts.PYDANTIC_DATACLASS:
        return Style("pydantic", options=Options(extra="ignore"), overwrites=True)
    return None


def _wrapped(view: ClassView, function: FunctionApi, given: Mapping[str, ast.expr]) -> Style | None:
    """A decorator of the provider that returns what a known one makes of the class."""
    results = function.result.options if isinstance(function.result, Choice) else (function.result,)
    for result in results:
        if isinstance(result, Call) and (known := _known(view.canonical(result.function) or "")) is not None:
            fixed = {name: term.text == "True" for name, term in result.keywords if isinstance(term, Constant)}
            style = replace(known, init=fixed.get("init", known.init), kw_only=fixed.get("kw_only", known.kw_only))
            return _adjusted(style, given)
    return None


def _adjusted(style: Style, given: Mapping[str, ast.expr]) -> Style:
    """The style with the options of one use."""
    init, kw_only = syntax.flag(given.get("init")), syntax.flag(given.get("kw_only"))
    return replace(
        style,
        init=style.init if init is None else init,
        kw_only=style.kw_only if kw_only is None else kw_only,
        options=read_options(style.options, given.get("config")),
    )


def _with_class_config(view: ClassView, style: Style) -> Style:
    attribute = own_attribute(view, "__pydantic_config__")
    if attribute is None:
        return style
    return replace(style, options=read_options(style.options, syntax.parse(attribute.value)))


def _transformed(view: ClassView, decorator: Decorator) -> Style:
    """What `@dataclass_transform(...)` declares."""
    given = syntax.keywords(syntax.parse(decorator.text))
    start = root(decorator.function)
    module = getattr(start, "module", view.module)
    functions: dict[str, tuple[str, ...]] = {}
    specifiers = given.get("field_specifiers")
    for node in specifiers.elts if isinstance(specifiers, ast.Tuple | ast.List) else ():
        path = view.canonical(syntax.term(node, module))
        if path is None:
            continue
        function = view.function(path)
        known = facts.FIELD_FUNCTIONS.get(path, ())
        functions[path] = _positional(function) if function is not None else known
    pydantic = any(path.startswith("pydantic.") for path in functions)
    return Style(
        "pydantic" if pydantic else "dataclass",
        kw_only=bool(syntax.flag(given.get("kw_only_default"))),
        functions=functions,
    )


def _positional(function: FunctionApi) -> tuple[str, ...]:
    return tuple(p.name for p in function.parameters if p.kind in ("positional-only", "positional-or-keyword"))


def _fields(view: ClassView, style: Style | None, known: _Known | None = None) -> tuple[dict[str, Field], bool]:
    """Fields by name in order, those of the bases first; and whether no base may hide some.

    As at run time each base contributes all its fields, inherited ones included, the nearest base last.
    """
    known = {} if known is None else known
    collected: dict[str, Field] = {}
    complete = True
    for entry in reversed(view.mro()[1:]):
        if not is_view(entry):
            path = entry.path.removeprefix("builtins.")
            complete = complete and (path in facts.TRANSFORMED_BASES or facts.is_fieldless(path))
            continue
        if entry.path not in known:
            known[entry.path] = {}  # a class among its own bases ends here
            made = next(((e, s) for e in views(entry.mro()) if (s := style_of(e)) is not None), None)
            if made is not None:
                known[entry.path] = _fields(*made, known)[0]
        collected.update(known[entry.path])
    for found in _own(view, style) if style is not None else ():
        if isinstance(found, str):
            collected.pop(found, None)
        else:
            collected[found.name] = found
    return collected, complete


def _own(view: ClassView, style: Style) -> Iterator[Field | str]:
    """Fields of the class body in order; the bare name of what is declared not to be one."""
    kw_only = style.kw_only
    pydantic = style.family == "pydantic"
    for attribute in own_attributes(view):
        if attribute.annotation is None:
            continue
        markers = syntax.annotation(attribute.annotation).markers
        if "KW_ONLY" in markers:
            kw_only = True
        elif "ClassVar" in markers:
            yield attribute.name
        else:
            found = read_field(view, attribute, functions=style.functions, pydantic=pydantic)
            if found.default is None and attribute.value is None and not found.described:
                found = replace(found, default=inherited_default(view, attribute.name, style.functions))
            yield replace(found, kw_only=kw_only if found.kw_only is None else found.kw_only)
