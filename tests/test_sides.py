"""One release as the checks ask it: conditions, calls, keywords that are passed on, arguments and signatures."""

from __future__ import annotations

import pytest
from worlds import analysed, side, term

from auditor.api import Parameter
from auditor.binding import CallShape
from auditor.model import Use
from auditor.sides import argument_at, argument_named, exists, path_of, shape_of
from auditor.terms import Guard
from auditor.world.calls import callee


def the_use(source: str, kind: str = "call") -> Use:
    """The last and outermost use of a kind in a consumer."""
    found = [use for use in analysed(f"import lib\n{source}").uses if use.kind == kind]
    return max(found, key=lambda use: (use.span.line, use.span.end_column))


def version(operator: str, bound: str, package: str = "lib", *, negated: bool = False) -> Guard:
    return Guard("version", "", package=package, operator=operator, version=bound, negated=negated)


# conditions


@pytest.mark.parametrize(
    ("current", "guard", "holds"),
    [
        ("0.8.3", version(">=", "0.8"), True),
        ("0.8.3", version(">", "0.8.3"), False),
        ("0.8.3", version("<", "0.8"), False),
        ("0.8.3", version("<=", "0.8.3"), True),
        ("0.8.3", version("==", "0.8"), True),
        ("0.8.3", version("==", "0.8.3"), True),
        ("0.8.3", version("!=", "0.8"), False),
        ("0.10.0", version(">=", "0.9"), True),
        ("0.8.0rc1", version(">=", "0.8.0"), False),
        ("0.8.3", version(">=", "0.8", negated=True), False),
        ("0.8.3", version("<", "0.8", negated=True), True),
        ("1.9.1", Guard("version", "", package="lib", operator="<", version="2", part="0"), True),
        ("1.9.1", Guard("version", "", package="lib", operator=">", version="1", part="0"), False),
        ("1.9.1", Guard("version", "", package="lib", operator="<=", version="1.9", part=":2"), True),
        ("1.9.1", version("startswith", "1."), True),
        ("10.9.1", version("startswith", "1."), False),
        ("1.9.1", version("in", "1.8 1.9"), True),
        ("1.9.1", version("in", ">=1,<2"), True),
        ("2.0", version("in", ">=1,<2"), False),
        ("2.0", version("in", "=> no"), None),
        ("2.0", Guard("any", "", parts=(version("<", "1"), version(">", "1"))), True),
        ("2.0", Guard("any", "", parts=(version("<", "1"), version("<", "1", "other"))), None),
        ("2.0", Guard("all", "", parts=(version("<", "1"), version("<", "1", "other"))), False),
        ("2.0", Guard("all", "", parts=(version("<", "1"), version("<", "1")), negated=True), True),
        ("0.8.3", version(">=", "not a version"), None),
        ("0.8.3", version(">=", "0.8", "other"), None),
        ("0.8.3", version(">=", "0.8", "other", negated=True), None),
    ],
)
def test_versions(current, guard, holds):
    assert side("", versions={"lib": current}).holds(guard) is holds


def test_a_package_is_known_by_its_distribution_too():
    assert side("", versions={"my-lib": "1.0"}).holds(version(">=", "0.9", "my_lib")) is True
    assert side("", versions={"acme.lib": "1.0"}).holds(version(">=", "0.9", "acme.lib.version")) is True


HERE = "class C:\n    def f(self): ...\nclass D:\n    def __getattr__(self, name): ..."


@pytest.mark.parametrize(
    ("guard", "holds"),
    [
        (Guard("hasattr", "", name="C", of=term("lib")), True),
        (Guard("hasattr", "", name="gone", of=term("lib")), False),
        (Guard("hasattr", "", name="gone", of=term("lib"), negated=True), True),
        (Guard("hasattr", "", name="f", of=term("lib.C()")), True),
        (Guard("hasattr", "", name="g", of=term("lib.C()")), False),
        (Guard("hasattr", "", name="anything", of=term("lib.D()")), None),
        (Guard("hasattr", "", name="x", of=term("unheard_of")), None),
        (Guard("importable", "", of=term("lib.C")), True),
        (Guard("importable", "", of=term("lib.gone")), False),
        (Guard("importable", "", of=term("lib.gone"), negated=True), True),
        (Guard("importable", ""), None),
        (Guard("type-checking", ""), None),
        (Guard("parameter", "", name="x"), None),
        (Guard("parameter", "", name="self", of=term("lib.C.f")), True),
        (Guard("parameter", "", name="x", of=term("lib.C.f")), False),
        (Guard("parameter", "", name="x", of=term("unheard_of")), None),
        (Guard("fails", "", of=term("lib.C().f()")), False),
        (Guard("fails", "", of=term("lib.C().f(1)")), True),
        (Guard("fails", "", of=term("lib.gone()")), True),
        (Guard("fails", "", of=term("unheard_of()")), None),
        (Guard("flag", "", name="app.OLD"), None),
        (Guard("swallowed", "", name="ImportError"), None),
    ],
)
def test_other_conditions(guard, holds):
    assert side(HERE).holds(guard) is holds


@pytest.mark.parametrize(
    ("source", "reached"),
    [
        ("lib.C()", True),
        ("if lib.__version__ >= '1':\n    lib.C()", False),
        ("if lib.__version__ < '1':\n    lib.C()", True),
        ("if lib.__version__ >= '1':\n    pass\nelse:\n    lib.C()", True),
        ("if flag:\n    lib.C()", True),
        ("if hasattr(lib, 'gone'):\n    lib.C()", False),
        ("if not hasattr(lib, 'gone'):\n    lib.C()", True),
        ("hasattr(lib, 'gone') and lib.C()", False),
        ("try:\n    lib.C()\nexcept TypeError:\n    lib.C(1)", False),
        ("try:\n    lib.C(1)\nexcept TypeError:\n    lib.C()", True),
        ("if 'x' in inspect.signature(lib.C.f).parameters:\n    lib.C()", False),
        ("try:\n    import lib.gone\nexcept ImportError:\n    lib.C()", True),
        ("try:\n    from lib import C\nexcept ImportError:\n    lib.C()", False),
        ("def g():\n    if lib.__version__ < '1':\n        return\n    lib.C()", False),
    ],
)
def test_reached(source, reached):
    assert side(HERE, versions={"lib": "0.8"}).reached(the_use(source)) is reached


# calls


OVERLOADED = """
from typing import overload
@overload
def f(a: int) -> int: ...
@overload
def f(a: str, b: str) -> str: ...
def f(*args, **kwargs): ...
"""


@pytest.mark.parametrize(
    ("provider", "source", "status"),
    [
        ("def f(a): ...", "lib.f(1)", "fits"),
        ("def f(a): ...", "lib.f()", "broken"),
        ("def f(a): ...", "lib.f(b=1)", "broken"),
        ("def g(a): ...", "lib.f(1)", "missing"),
        ("f = make()", "lib.f(1)", "unknown"),
        ("class C:\n    def __init__(self, a): ...", "lib.C(1)", "fits"),
        ("class C:\n    def __init__(self, a): ...", "lib.C()", "broken"),
        ("class C:\n    def m(self, a): ...", "lib.C().m(1)", "fits"),
        ("class C:\n    def m(self, a): ...", "lib.C.m(1)", "broken"),
        ("class C:\n    @classmethod\n    def m(cls, a): ...", "lib.C.m(1)", "fits"),
        ("class C:\n    @staticmethod\n    def m(a): ...", "lib.C().m(1)", "fits"),
        ("class C:\n    def __call__(self, a): ...", "lib.C()(1)", "fits"),
        ("import torch\nclass M(torch.nn.Module):\n    def forward(self, a): ...", "lib.M()(1)", "fits"),
        ("import torch\nclass M(torch.nn.Module):\n    def forward(self, a): ...", "lib.M()(1, 2)", "broken"),
        ("from functools import partial\ndef f(a, b): ...\ng = partial(f, 1)", "lib.g(2)", "fits"),
        ("from functools import partial\ndef f(a, b): ...\ng = partial(f, b=1)", "lib.g(2)", "fits"),
        ("from functools import partial\ndef f(a, b): ...\ng = partial(f, b=1)", "lib.g(2, b=3)", "fits"),
        ("from functools import partial\ndef f(a, b): ...\ng = partial(f, 1)", "lib.g(1, 2)", "broken"),
        ("if x:\n    def f(a): ...\nelse:\n    def f(a, b): ...", "lib.f(1, 2)", "fits"),
        ("if x:\n    def f(a): ...\nelse:\n    def f(a, b): ...", "lib.f(1, 2, 3)", "broken"),
        ("if x:\n    def f(a): ...\nelse:\n    f = make()", "lib.f(1, 2, 3)", "unknown"),
        (OVERLOADED, "lib.f(1)", "fits"),
        (OVERLOADED, "lib.f('a', 'b')", "fits"),
        (OVERLOADED, "lib.f(1, 2, 3)", "broken"),
        ("class C:\n    @property\n    def p(self) -> int: ...", "lib.C().p()", "unknown"),
        ("@deprecate_kwarg('old', 'new')\ndef f(new): ...", "lib.f(old=1, new=1)", "fits"),
        ("@deprecate_kwarg('old', 'new')\ndef f(new): ...", "lib.f(other=1, new=1)", "broken"),
        ("@renamed(old='new')\ndef f(new): ...", "lib.f(old=1, new=2)", "fits"),
        ("@inject('session')\ndef f(session, a): ...", "lib.f(a=1)", "fits"),
        ("@positional_deprecated\ndef f(*, a): ...", "lib.f(1, a=2)", "fits"),
        ("@other\ndef f(*, a): ...", "lib.f(1, a=2)", "broken"),
    ],
)
def test_calls(provider, source, status):
    assert side(provider).call(the_use(source)).status == status


@pytest.mark.parametrize(
    ("provider", "takes"),
    [
        ("def f(x): ...", True),
        ("def f(*, x): ...", True),
        ("def f(x, /): ...", False),
        ("def f(a): ...", False),
        ("def f(**kw): ...", None),
        ("def f(**kw):\n    return kw.pop('x')", True),
        ("def f(**kw):\n    return kw['x']", True),
        ("def f(**kw):\n    return g(**kw)\ndef g(x): ...", True),
        ("def f(**kw):\n    return g(**kw)\ndef g(y): ...", False),
        ("def f(**kw):\n    return g(**kw)\ndef g(**kw):\n    return h(**kw)\ndef h(x): ...", True),
        ("def f(**kw):\n    return g(x=1, **kw)\ndef g(x): ...", False),
        ("def f(**kw):\n    g(**kw)\n    h(**kw)\ndef g(y): ...\ndef h(x): ...", True),
        ("def f(**kw):\n    return unknown(**kw)", None),
        ("def f(**kw):\n    return C(**kw)\nclass C:\n    def __init__(self, x): ...", True),
        ("def f(**kw):\n    return C(**kw)\nclass C:\n    def __init__(self, y): ...", False),
        ("def f(**kw):\n    return f(**kw)", None),
        ("import other\ndef f(**kw):\n    return other.g(**kw)", None),
    ],
)
def test_who_takes_a_keyword(provider, takes):
    here = side(provider)
    found = callee(here.world, here.value(term("lib.f")))
    assert found is not None
    assert here.takes(found, "x") is takes


def test_a_keyword_refused_further_down_breaks_the_call():
    here = side("def f(**kw):\n    return g(**kw)\ndef g(y): ...")
    assert here.call(the_use("lib.f(y=1)")).status == "fits"
    (error,) = here.call(the_use("lib.f(x=1)")).errors
    assert (error.kind, error.argument) == ("unknown-argument", "x")


def test_a_call_is_bound_once():
    here, use = side("def f(a): ..."), the_use("lib.f(1)")
    assert here.call(use) is here.call(use)


# arguments


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        ("lib.f()", CallShape()),
        ("lib.f(1, 2, a=3)", CallShape(2, ("a",))),
        ("lib.f(*(1, 2))", CallShape(2)),
        ("lib.f(*xs)", CallShape(0, star=True)),
        ("lib.f(*xs, 1)", CallShape(1, star=True, after_star=1)),
        ("lib.f(1, *xs)", CallShape(1, star=True)),
        ("lib.f(**{'a': 1})", CallShape(0, ("a",))),
        ("lib.f(**{'a': 1, **xs})", CallShape(0, ("a",), double_star=True)),
        ("lib.f(**xs)", CallShape(0, double_star=True)),
        ("lib.f(a=1, **{'b': 2})", CallShape(0, ("a", "b"))),
    ],
)
def test_shapes(call, shape):
    assert shape_of(the_use(call).arguments) == shape


@pytest.mark.parametrize(
    ("test", "keywords", "optional"),
    [
        ("lib.__version__ < '1'", ("a",), ()),
        ("lib.__version__ >= '1'", (), ()),
        ("flag", ("a",), ("a",)),
        ("'a' in inspect.signature(lib.f).parameters", ("a",), ()),
        ("'b' in inspect.signature(lib.f).parameters", (), ()),
        ("'a' in inspect.signature(whatever).parameters", (), ()),
    ],
)
def test_keys_count_where_their_condition_holds(test, keywords, optional):
    use = the_use(f"kw = {{}}\nif {test}:\n    kw['a'] = 1\nlib.f(**kw)")
    shape = side("def f(a): ...", versions={"lib": "0.8"}).shape(use)
    assert (shape.keywords, shape.optional_keywords) == (keywords, frozenset(optional))


def test_a_keyword_that_is_passed_sometimes_breaks_the_call_too():
    use = the_use("kw = {}\nif flag:\n    kw['a'] = 1\nlib.f(**kw)")
    assert side("def f(b=1): ...").call(use).status == "broken"
    assert side("def f(a): ...").call(use).status == "fits"


def test_a_side_knows_the_keys_that_a_function_returns():
    consumer = "def options():\n    return {'a': 1, 'b': 2}"
    use = the_use(f"{consumer}\nlib.f(**options())")
    assert shape_of(use.arguments).double_star
    assert side("def f(**kw): ...", consumer).shape(use) == CallShape(0, ("a", "b"))


def test_arguments_by_name_and_place():
    use = the_use("lib.f(1, *(2, 3), 4, a=5, **{'b': 6})")
    assert [argument_at(use, index).text for index in range(4)] == ["1", "(2, 3)", "(2, 3)", "4"]
    assert argument_at(use, 4) is None
    assert argument_named(use, "a").text == "5"
    assert argument_named(use, "b").star == "**"
    assert argument_named(the_use("lib.f(1)"), "a") is None


# values and signatures


@pytest.mark.parametrize(
    ("provider", "expression", "there", "path"),
    [
        ("class C: ...", "lib.C", True, "lib.C"),
        ("class C: ...", "lib.C()", True, "lib.C"),
        ("def f(): ...", "lib.f", True, "lib.f"),
        ("", "lib", True, "lib"),
        ("", "lib.gone", False, "lib.gone"),
        ("x = make()", "lib.x", True, "lib.x"),
        ("", "unheard_of", False, None),
        ("x = 1", "lib.x", True, None),
        ("from functools import partial\ndef f(): ...\ng = partial(f)", "lib.g", True, "lib.f"),
        ("class C: ...\ndef f() -> 'C | None': ...", "lib.f()", True, "lib.C"),
    ],
)
def test_what_is_there_and_what_it_is_called(provider, expression, there, path):
    value = side(provider).value(term(expression))
    assert (exists(value), path_of(value)) == (there, path)


@pytest.mark.parametrize(
    ("provider", "expression", "text"),
    [
        ("def f(a: int, *, b=1) -> str: ...", "lib.f", "f(a: int, *, b=1) -> str"),
        ("class C:\n    def __init__(self, a): ...", "lib.C", "C(a)"),
        ("class C:\n    def m(self, a) -> int: ...", "lib.C().m", "C.m(a) -> int"),
        ("class C:\n    def __call__(self, a): ...", "lib.C()", "C.__call__(a)"),
    ],
)
def test_signatures(provider, expression, text):
    here = side(provider)
    found = callee(here.world, here.value(term(expression)))
    assert found is not None
    assert here.signature(found).text == text


def test_labels():
    here = side("", versions={"lib": "1.0"})
    assert (here.label("lib"), here.label("other")) == ("lib 1.0", "other")
    assert (here.provider_of("lib.a.b"), here.provider_of("app")) == ("lib", None)


def test_what_a_partial_fills_may_be_given_again():
    here = side("from functools import partial\ndef f(a, b): ...\ng = partial(f, b=1)")
    found = callee(here.world, here.value(term("lib.g")))
    assert found is not None
    assert found.parameters == (Parameter("a"), Parameter("b", "keyword-only", "..."))
