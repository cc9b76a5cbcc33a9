"""`bind` says of thousands of generated calls what Python itself does with them."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.api import Parameter
from auditor.binding import CallShape, bind, bind_overloads, drop_first, render

NAMES = ["a", "b", "c", "d", "e"]
UNKNOWN = "zz"


def parameters_of(text: str) -> list[Parameter]:
    """Parameters of a signature such as `a, /, b=1, *args, c, **kw`."""
    namespace: dict[str, Any] = {}
    exec(f"def f({text}): pass", namespace)
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional-only",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional-or-keyword",
        inspect.Parameter.VAR_POSITIONAL: "var-positional",
        inspect.Parameter.KEYWORD_ONLY: "keyword-only",
        inspect.Parameter.VAR_KEYWORD: "var-keyword",
    }
    return [
        Parameter(p.name, kinds[p.kind], None if p.default is p.empty else repr(p.default))  # type: ignore[arg-type]
        for p in inspect.signature(namespace["f"]).parameters.values()
    ]


@st.composite
def signatures(draw: st.DrawFn) -> str:
    names = draw(st.permutations(NAMES))[: draw(st.integers(0, 5))]
    cuts = sorted(draw(st.tuples(st.integers(0, len(names)), st.integers(0, len(names)))))
    only, plain, keyword_only = names[: cuts[0]], names[cuts[0] : cuts[1]], names[cuts[1] :]
    required = draw(st.integers(0, len(only) + len(plain)))
    texts = [name if index < required else f"{name}='D'" for index, name in enumerate(only + plain)]
    if only:
        texts.insert(len(only), "/")
    if draw(st.booleans()):
        texts.append("*args")
    elif keyword_only:
        texts.append("*")
    texts += [name + draw(st.sampled_from(["", "='D'"])) for name in keyword_only]
    if draw(st.booleans()):
        texts.append("**kwargs")
    return ", ".join(texts)


def function(signature: str) -> Any:
    """A function of that signature which returns where each value landed."""
    names = [p.name for p in parameters_of(signature)]
    namespace: dict[str, Any] = {}
    exec(f"def f({signature}):\n    return {{{', '.join(f'{n!r}: {n}' for n in names)}}}", namespace)
    return namespace["f"]


def landed(result: dict[str, Any]) -> dict[tuple[str, Any], str]:
    """Argument -> parameter, read off the values (`("positional", 0)`, ...) that a real call put there."""
    places: dict[tuple[str, Any], str] = {}
    for name, value in result.items():
        if name == "args":
            places.update(dict.fromkeys(value, "*args"))
        elif name == "kwargs":
            places.update(dict.fromkeys(value.values(), "**kwargs"))
        elif value != "D":
            places[value] = name
    return places


keywords = st.lists(st.sampled_from([*NAMES, UNKNOWN]), unique=True, max_size=4)


@settings(max_examples=3000, deadline=None)
@given(signatures(), st.integers(0, 5), keywords)
@example("a, /, **kwargs", 1, ["a"])
@example("a, /", 0, ["a"])
@example("*args, a", 3, ["a"])
def test_agrees_with_a_real_call(signature: str, positional: int, names: list[str]) -> None:
    binding = bind(CallShape(positional, tuple(names)), parameters_of(signature))
    values = [("positional", index) for index in range(positional)]
    try:
        result = function(signature)(*values, **{name: ("keyword", name) for name in names})
    except TypeError:
        assert not binding.fits
    else:
        assert binding.fits
        assert dict(binding.landing) == landed(result)
        assert {p.name for p in binding.omitted} == {name for name, value in result.items() if value == "D"}
        assert set(binding.swallowed) == {key for key, name in binding.landing.items() if name.startswith("*")}
        assert binding.certain
        assert not binding.unsure


@settings(max_examples=600, deadline=None)
@given(signatures(), st.integers(0, 3), st.integers(0, 2), keywords, st.booleans(), st.booleans(), st.data())
def test_unpacking_is_refused_exactly_when_no_content_would_do(
    signature: str, before: int, after: int, names: list[str], star: bool, double_star: bool, data: st.DataObject
) -> None:
    optional = frozenset(data.draw(st.lists(st.sampled_from(names), max_size=2))) if names else frozenset()
    after = after if star else 0
    shape = CallShape(before + after, tuple(names), star, double_star, optional, after)
    parameters = parameters_of(signature)
    binding = bind(shape, parameters)
    call = function(signature)
    outcomes = []
    lengths = range(8) if star else range(1)
    extras = [n for n in NAMES if n not in names] if double_star else []
    subsets = list(itertools.chain.from_iterable(itertools.combinations(extras, n) for n in range(len(extras) + 1)))
    dropped = list(itertools.chain.from_iterable(itertools.combinations(optional, n) for n in range(len(optional) + 1)))
    for length, subset, without in itertools.product(lengths, subsets, dropped):
        values: list[Any] = [("positional", index) for index in range(before)]
        values += [("unpacked", index) for index in range(length)]
        values += [("positional", before + index) for index in range(after)]
        passed = {name: ("keyword", name) for name in names if name not in without}
        passed |= {name: ("unpacked", name) for name in subset}
        try:
            outcomes.append(call(*values, **passed))
        except TypeError:
            continue
    assert bool(outcomes) == (not [e for e in binding.errors if not e.sometimes])
    for result in outcomes:
        places = landed(result)
        for key, name in binding.landing.items():
            assert places.get(key, name) == name
        assert all(result[p.name] == "D" for p in binding.omitted)
        defaulted = {name for name, value in result.items() if value == "D"}
        assert defaulted <= {p.name for p in (*binding.omitted, *binding.unsure)}


def kinds(signature: str, positional: int = 0, *names: str, **options: Any) -> list[tuple[str, str | int]]:
    shape = CallShape(positional, names, **options)
    return [(error.kind, error.argument) for error in bind(shape, parameters_of(signature)).errors]


@pytest.mark.parametrize(
    ("signature", "positional", "names", "expected"),
    [
        ("a", 0, ("b",), [("unknown-argument", "b"), ("missing-argument", "a")]),
        ("a, b", 1, (), [("missing-argument", "b")]),
        ("a", 3, (), [("too-many-positional-arguments", 1)]),
        ("*, a", 1, (), [("too-many-positional-arguments", 0), ("missing-argument", "a")]),
        ("a, /", 0, ("a",), [("positional-only-parameter-as-keyword", "a")]),
        ("a, /, **kw", 0, ("a",), [("missing-argument", "a")]),
        ("a", 1, ("a",), [("multiple-values", "a")]),
        ("**kw", 0, ("x", "x"), [("multiple-values", "x")]),
    ],
)
def test_errors_are_named(signature: str, positional: int, names: tuple[str, ...], expected: list[Any]) -> None:
    assert kinds(signature, positional, *names) == expected


def test_unpacked_arguments_excuse_what_they_may_fill_and_nothing_else() -> None:
    assert kinds("a, b", star=True) == []
    assert kinds("a, *, b", star=True) == [("missing-argument", "b")]
    assert kinds("a, *, b", double_star=True) == []
    assert kinds("a, /, b", double_star=True) == [("missing-argument", "a")]
    assert kinds("a, b", 0, "c", star=True, double_star=True) == [("unknown-argument", "c")]
    # args must be empty, or `a` would get two values
    assert kinds("a, b", 0, "a", star=True) == [("missing-argument", "b")]
    assert kinds("a", 2, star=True) == [("too-many-positional-arguments", 1)]


def test_positions_after_a_star_are_unknown_unless_args_takes_them() -> None:
    parameters = parameters_of("a, b=1, c=2")
    assert bind(CallShape(2, star=True, after_star=1), parameters).landing == {("positional", 0): "a"}
    assert bind(CallShape(2, star=True, after_star=1), parameters_of("a, *args")).landing == {
        ("positional", 0): "a",
        ("positional", 1): "*args",
    }


def test_a_keyword_passed_sometimes_is_wrong_sometimes_and_fills_perhaps() -> None:
    binding = bind(CallShape(0, (), optional_keywords=frozenset({"a", "old"})), parameters_of("a"))
    assert [(e.kind, e.argument, e.sometimes) for e in binding.errors] == [("unknown-argument", "old", True)]
    assert [p.name for p in binding.unsure] == ["a"]
    assert not binding.certain
    # without the keyword the parameter is missing, with it Python objects as well
    binding = bind(CallShape(optional_keywords=frozenset({"a"})), parameters_of("a, /"))
    assert [(e.kind, e.sometimes) for e in binding.errors] == [
        ("positional-only-parameter-as-keyword", True),
        ("missing-argument", False),
    ]


def test_overloads_take_the_first_that_fits_or_the_nearest() -> None:
    overloads = [parameters_of("a"), parameters_of("a, b"), parameters_of("x, y")]
    accepting, binding = bind_overloads(CallShape(2), overloads)
    assert (accepting, binding.fits, binding.certain) == ([1, 2], True, False)
    accepting, binding = bind_overloads(CallShape(1, ("c",)), overloads)
    assert (accepting, [e.kind for e in binding.errors]) == ([], ["unknown-argument"])
    assert bind_overloads(CallShape(1), overloads)[1].certain


@pytest.mark.parametrize(
    ("before", "after"),
    [("self, a", "a"), ("self, /, a", "a"), ("self, a, /", "a, /"), ("*args, a", "*args, a"), ("**kw", "**kw")],
)
def test_drop_first(before: str, after: str) -> None:
    assert drop_first(parameters_of(before)) == tuple(parameters_of(after))


def test_render_shows_markers_defaults_and_annotations() -> None:
    parameters = [
        Parameter("a", "positional-only", annotation="int"),
        Parameter("b", default="None", annotation="list[\n    str]"),
        Parameter("c", "keyword-only", "3"),
        Parameter("rest", "var-keyword", annotation="Any"),
    ]
    assert render("f", parameters, "bool") == "f(a: int, /, b: list[str] = None, *, c=3, **rest: Any) -> bool"
    assert render("f", parameters, width=31) == "f(a, /, b=None, *, c=3, **rest)"
    assert render("f", [Parameter("a", "positional-only")]) == "f(a, /)"
    assert render("f", [Parameter("a", "var-positional"), Parameter("k", "keyword-only")]) == "f(*a, k)"


def test_render_elides_what_does_not_fit_but_keeps_what_matters() -> None:
    parameters = [Parameter(f"parameter_{n}", default="None") for n in range(60)]
    text = render("EngineArgs", parameters, keep={"parameter_40"}, width=100)
    assert text.startswith("EngineArgs(parameter_0=None, parameter_1=None,")
    assert "..., parameter_40=None, ...)" in text
    assert len(text) <= 100


@settings(max_examples=200, deadline=None)
@given(signatures())
def test_what_is_rendered_whole_is_the_signature(signature: str) -> None:
    text = render("f", parameters_of(signature), width=10_000)
    assert parameters_of(text.removeprefix("f(").removesuffix(")")) == parameters_of(signature)
