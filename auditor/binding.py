"""Binds the arguments of a call to the parameters of a signature, as CPython would: who lands where, and what fails."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from auditor.api import Parameter

ArgumentKey: TypeAlias = tuple[Literal["positional"], int] | tuple[Literal["keyword"], str]
"""An argument of a call: `("positional", 0)`, counted over the plain positional ones, or `("keyword", "name")`."""

Landing: TypeAlias = Mapping[ArgumentKey, str]
"""Argument -> name of the parameter that takes it, with its stars where that is `*args` or `**kwargs`."""

BindErrorKind: TypeAlias = Literal[
    "unknown-argument",
    "missing-argument",
    "too-many-positional-arguments",
    "positional-only-parameter-as-keyword",
    "multiple-values",
]

_POSITIONAL = ("positional-only", "positional-or-keyword")
_BY_NAME = ("positional-or-keyword", "keyword-only")
WIDTH = 160


class CallShape(msgspec.Struct, frozen=True):
    """What a call passes, without the values."""

    positional: int = 0
    """How many plain positional arguments there are."""
    keywords: tuple[str, ...] = ()
    """Names passed, those of a `**mapping` with known keys included; a name given twice stands here twice."""
    star: bool = False
    """A `*iterable` of unknown length is passed."""
    double_star: bool = False
    """A `**mapping` that may have further keys is passed."""
    optional_keywords: frozenset[str] = frozenset()
    """Names that are passed only sometimes (whether or not `keywords` lists them too)."""
    after_star: int = 0
    """How many of the plain positional arguments stand after the first `*iterable`: nobody knows where they land."""


class BindError(msgspec.Struct, frozen=True):
    """One reason why Python would refuse the call."""

    kind: BindErrorKind
    argument: str | int
    """The keyword or parameter; for too many positional arguments the index of the first that finds no place."""
    detail: str
    """A clause for people, whose subject is the callee: "has no parameter `x`"."""
    sometimes: bool = False
    """Only where an optional keyword happens to be present."""


class Binding(msgspec.Struct, frozen=True):
    """Who lands where. Where the call unpacks something unknown, only what holds for every content is said."""

    landing: Landing
    errors: tuple[BindError, ...] = ()
    omitted: tuple[Parameter, ...] = ()
    """Parameters certainly left to their defaults."""
    unsure: tuple[Parameter, ...] = ()
    """Parameters, required or not, that an unpacked or optional argument may or may not fill."""
    swallowed: tuple[ArgumentKey, ...] = ()
    """Arguments that land in `*args` or `**kwargs`."""
    certain: bool = True
    """False where unpacking or optional keywords leave open what is passed."""

    @property
    def fits(self) -> bool:
        """Whether Python would accept the call."""
        return not self.errors


def bind(shape: CallShape, parameters: Sequence[Parameter]) -> Binding:
    """Bind a call to a signature; parameters of a kind keep their order, whatever the order of the kinds."""
    return _Binder(shape, parameters).bind()


def bind_overloads(shape: CallShape, overloads: Sequence[Sequence[Parameter]]) -> tuple[list[int], Binding]:
    """The indices of the overloads that accept the call, and the binding of the first or else of the nearest miss.

    Where several accept it but take the arguments differently (their types decide), the binding is not certain.
    """
    bindings = [bind(shape, parameters) for parameters in overloads]
    best = min(range(len(bindings)), key=lambda index: len(bindings[index].errors))
    chosen = bindings[best]
    accepting = [index for index, binding in enumerate(bindings) if binding.fits]
    if any(bindings[index].landing != chosen.landing for index in accepting):
        chosen = msgspec.structs.replace(chosen, certain=False)
    return accepting, chosen


def drop_first(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """The signature as a bound method shows it: without `self`, which `*args` takes where nothing else would."""
    for index, parameter in enumerate(parameters):
        if parameter.kind in _POSITIONAL:
            return (*parameters[:index], *parameters[index + 1 :])
    return tuple(parameters)


class _Binder:
    """The state of one binding: which parameters are filled, and what went wrong."""

    def __init__(self, shape: CallShape, parameters: Sequence[Parameter]) -> None:
        self.shape = shape
        self.positional = [p for p in parameters if p.kind in _POSITIONAL]
        self.keyword_only = [p for p in parameters if p.kind == "keyword-only"]
        self.by_name = {p.name: p for p in parameters if p.kind in _BY_NAME}
        self.var_positional = next((f"*{p.name}" for p in parameters if p.kind == "var-positional"), None)
        self.var_keyword = next((f"**{p.name}" for p in parameters if p.kind == "var-keyword"), None)
        self.landing: dict[ArgumentKey, str] = {}
        self.errors: list[BindError] = []
        self.swallowed: list[ArgumentKey] = []
        self.filled: set[str] = set()
        self.perhaps: set[str] = set()
        self.refused: set[str] = set()
        """Positional-only parameters passed by keyword: the error says it all, they are not missing as well."""

    def bind(self) -> Binding:
        self._positionals()
        optional = self.shape.optional_keywords
        for name in dict.fromkeys((*self.shape.keywords, *sorted(optional))):
            self._keyword(name, sometimes=name in optional)
        for name in sorted({name for name in self.shape.keywords if self.shape.keywords.count(name) > 1}):
            self._error("multiple-values", name, f"is given `{name}` twice", sometimes=name in optional)
        omitted, unsure = self._leftovers()
        return Binding(
            landing=self.landing,
            errors=tuple(self.errors),
            omitted=tuple(omitted),
            unsure=tuple(unsure),
            swallowed=tuple(self.swallowed),
            certain=not (self.shape.star or self.shape.double_star or optional),
        )

    def _error(self, kind: BindErrorKind, argument: str | int, detail: str, *, sometimes: bool = False) -> None:
        self.errors.append(BindError(kind, argument, detail, sometimes))

    def _positionals(self) -> None:
        capacity = len(self.positional)
        known = self.shape.positional - (self.shape.after_star if self.shape.star else 0)
        for index in range(self.shape.positional):
            key: ArgumentKey = ("positional", index)
            if index < capacity:
                self.filled.add(self.positional[index].name)
                if index < known:
                    self.landing[key] = self.positional[index].name
            elif self.var_positional is None:
                plural = "argument" if capacity == 1 else "arguments"
                given = f"at least {self.shape.positional}" if self.shape.star else f"{self.shape.positional}"
                detail = f"takes at most {capacity} positional {plural}, {given} given"
                self._error("too-many-positional-arguments", index, detail)
                break
            elif index < known or known >= capacity:
                self.landing[key] = self.var_positional
                self.swallowed.append(key)

    def _keyword(self, name: str, *, sometimes: bool) -> None:
        key: ArgumentKey = ("keyword", name)
        if name in self.by_name:
            if name in self.filled:
                detail = f"takes `{name}` by position already, it cannot be passed by keyword too"
                self._error("multiple-values", name, detail, sometimes=sometimes)
                return
            self.landing[key] = name
            (self.perhaps if sometimes else self.filled).add(name)
        elif self.var_keyword is not None:
            self.landing[key] = self.var_keyword
            self.swallowed.append(key)
        elif any(p.name == name for p in self.positional):
            if not sometimes:
                self.refused.add(name)
            detail = f"takes `{name}` by position only"
            self._error("positional-only-parameter-as-keyword", name, detail, sometimes=sometimes)
        else:
            self._error("unknown-argument", name, f"has no parameter `{name}`", sometimes=sometimes)

    def _leftovers(self) -> tuple[list[Parameter], list[Parameter]]:
        """Parameters that get nothing, and those that may get something."""
        omitted: list[Parameter] = []
        unsure: list[Parameter] = []
        reachable = self.shape.star
        for parameter in (*self.positional, *self.keyword_only):
            if parameter.kind == "keyword-only":
                reachable = False
            if parameter.name in self.filled:
                # A positional slot taken by keyword ends what `*iterable` can reach without giving it two values.
                reachable = reachable and self.landing.get(("keyword", parameter.name)) != parameter.name
                continue
            by_name = parameter.kind in _BY_NAME and (self.shape.double_star or parameter.name in self.perhaps)
            if reachable or by_name:
                unsure.append(parameter)
            elif parameter.default is not None:
                omitted.append(parameter)
            elif parameter.name not in self.refused:
                detail = f"requires `{parameter.name}`, which is not passed"
                self._error("missing-argument", parameter.name, detail)
        return omitted, unsure


def render(
    name: str,
    parameters: Sequence[Parameter],
    returns: str | None = None,
    *,
    keep: Collection[str] = (),
    width: int = WIDTH,
) -> str:
    """A signature for people: whole where it fits in `width`, else without annotations, else in part.

    `...` then stands for the parameters that are neither in `keep` nor among the first that fit.
    """
    tail = f" -> {_one_line(returns)}" if returns else ""
    for annotated in (True, False):
        text = f"{name}({', '.join(_pieces(parameters, annotated=annotated))}){tail}"
        if len(text) <= width:
            return text
    shown = {p.name for p in parameters if p.name in keep}
    text = _elided(name, parameters, shown, tail)
    for parameter in parameters:
        if parameter.name not in shown:
            longer = _elided(name, parameters, shown | {parameter.name}, tail)
            if len(longer) > width:
                break
            shown.add(parameter.name)
            text = longer
    return text


def _elided(name: str, parameters: Sequence[Parameter], shown: Collection[str], tail: str) -> str:
    pieces = _pieces(parameters, annotated=False, shown=shown)
    return f"{name}({', '.join(pieces)}){tail}"


def _pieces(parameters: Sequence[Parameter], *, annotated: bool, shown: Collection[str] | None = None) -> list[str]:
    """The comma-separated parts of a signature, with the `/` and `*` markers and one `...` per run left out."""
    pieces: list[str] = []
    previous = ""
    marked = False
    for parameter in parameters:
        if previous == "positional-only" and parameter.kind != "positional-only":
            pieces.append("/")
        if parameter.kind == "var-positional":
            marked = True
        elif parameter.kind == "keyword-only" and not marked:
            pieces.append("*")
            marked = True
        if shown is None or parameter.name in shown:
            pieces.append(_piece(parameter, annotated=annotated))
        elif not pieces or pieces[-1] != "...":
            pieces.append("...")
        previous = parameter.kind
    if previous == "positional-only":
        pieces.append("/")
    return pieces


def _piece(parameter: Parameter, *, annotated: bool) -> str:
    stars = {"var-positional": "*", "var-keyword": "**"}.get(parameter.kind, "")
    annotation = f": {_one_line(parameter.annotation)}" if annotated and parameter.annotation else ""
    if parameter.default is None:
        return f"{stars}{parameter.name}{annotation}"
    default = _one_line(parameter.default)
    if len(default) > 40 and not annotated:
        default = "..."
    return f"{stars}{parameter.name}{annotation} = {default}" if annotation else f"{stars}{parameter.name}={default}"


def _one_line(text: str) -> str:
    return re.sub(r"(?<=[\[(]) | (?=[\])])", "", " ".join(text.split())) if "\n" in text else text
