"""What an expression of the consumer turns out to be in a release of the provider."""

from __future__ import annotations

import pytest
from worlds import said, term, world

from auditor.terms import Element, Entered
from auditor.world.values import ClassValue, UnknownValue, alternatives


def evaluated(provider, expression: str) -> str:
    return said(world(provider).evaluate(term(expression)))


def table(*rows):
    """Rows of (what is shown, provider, expression, value)."""
    return pytest.mark.parametrize(
        ("provider", "expression", "value"), [pytest.param(*row[1:], id=row[0]) for row in rows]
    )


CLASS = """
class Base:
    def __init__(self, size: int = 1):
        self.size = size
        self.parts = [Part()]
    def part(self) -> "Part":
        return Part()
    @property
    def first(self) -> "Part":
        return self.parts[0]
    @classmethod
    def make(cls):
        return cls()
    @staticmethod
    def other() -> "Part":
        return Part()
class Derived(Base):
    def part(self):
        return super().part()
class Part:
    limit: int = 3
    def run(self): ...
"""


@table(
    ("function", "def f(): ...", "lib.f", "def lib.f"),
    ("class", "class C: ...", "lib.C", "class lib.C"),
    ("constant", "N = 3", "lib.N", "3"),
    ("missing", "N = 3", "lib.M", "missing lib.M"),
    ("alias", "class C: ...\nD = C", "lib.D", "class lib.C"),
    ("rebound at the end", "class C: ...\nclass D: ...\nC = D", "lib.C", "class lib.D"),
    ("of a missing name", "N = 3", "lib.M.x", "?"),
    ("cycle", "a = b\nb = a", "lib.a", "? lib.a"),
    ("outside", "import torch\nT = torch.Tensor", "lib.T", "outside torch.Tensor"),
    ("every module has it", "N = 3", "lib.__file__", "? lib.__file__"),
)
def test_names(provider, expression, value):
    assert evaluated(provider, expression) == value


@table(
    ("a literal type", "from typing import Literal\nclass C:\n    x: Literal['a', 'b']", "lib.C().x", "'a' | 'b'"),
    (
        "that or nothing",
        "from typing import Any\nclass C:\n    def __init__(self):\n        self.x: Any | None = None",
        "lib.C().x",
        "? lib.C.x",
    ),
    ("of an unread value", "class C:\n    x = unread()", "lib.C().x", "? lib.C.x"),
)
def test_attributes_that_say_little_are_there_all_the_same(provider, expression, value):
    assert evaluated(provider, expression) == value


def test_an_unread_value_says_why():
    found = world("import torch\nclass C:\n    x = torch.f()").evaluate(term("lib.C().x"))
    assert found == UnknownValue("result of torch.f", "lib.C.x")


LAZY = {
    "lib/__init__.py": """
        import importlib
        _TABLE = {"C": "lib.a"}
        def __getattr__(name):
            if name in _TABLE:
                return getattr(importlib.import_module(_TABLE[name]), name)
            raise AttributeError(name)
    """,
    "lib/a.py": "class C: ...",
}


@table(
    ("submodule", {"lib/__init__.py": "", "lib/a.py": "class C: ..."}, "lib.a.C", "class lib.a.C"),
    ("re-export", {"lib/__init__.py": "from lib.a import C", "lib/a.py": "class C: ..."}, "lib.C", "class lib.a.C"),
    ("renamed", {"lib/__init__.py": "from .a import C as D", "lib/a.py": "class C: ..."}, "lib.D", "class lib.a.C"),
    ("star", {"lib/__init__.py": "from .a import *", "lib/a.py": "class C: ...\n_p = 1"}, "lib.C", "class lib.a.C"),
    ("star, private", {"lib/__init__.py": "from .a import *", "lib/a.py": "_p = 1"}, "lib._p", "missing lib._p"),
    (
        "star, __all__",
        {"lib/__init__.py": "from .a import *", "lib/a.py": "__all__ = ['x']\nx = 1\ny = 2"},
        "lib.y",
        "missing lib.y",
    ),
    (
        "attribute over submodule",
        {"lib/__init__.py": "from .a import a", "lib/a.py": "def a(): ..."},
        "lib.a",
        "def lib.a.a",
    ),
    ("gone upstream", {"lib/__init__.py": "from .a import gone", "lib/a.py": ""}, "lib.gone", "? lib.gone"),
    ("stub", {"lib/__init__.py": "", "lib/a.py": "", "lib/a.pyi": "def f() -> int: ..."}, "lib.a.f", "def lib.a.f"),
    (
        "only a stub",
        {"lib/__init__.py": "", "lib/_c.pyi": "class C: ..."},
        "lib._c.C",
        "class lib._c.C",
    ),
    ("lazy table", LAZY, "lib.C", "class lib.a.C"),
    ("not in the lazy table", LAZY, "lib.D", "missing lib.D"),
    ("star from outside", "from _speedups import *", "lib.anything", "?"),
    ("open __getattr__", "def __getattr__(name):\n    return compute(name)", "lib.anything", "?"),
)
def test_modules(provider, expression, value):
    assert evaluated(provider, expression) == value


@table(
    (
        "both branches",
        "import sys\nif sys.platform == 'x':\n    class C: ...\nelse:\n    class D: ...\n    C = D",
        "lib.C",
        "class lib.C | class lib.D",
    ),
    (
        "import with fallback",
        {
            "lib/__init__.py": "try:\n    from fast import C\nexcept ImportError:\n    from lib.a import C",
            "lib/a.py": "class C: ...",
        },
        "lib.C",
        "outside fast.C | class lib.a.C",
    ),
    (
        "for annotations only",
        {
            "lib/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lib.a import C\n",
            "lib/a.py": "class C: ...",
        },
        "lib.C",
        "? lib.C",
    ),
    (
        "shown of what a __getattr__ serves by a helper",
        {
            "lib/__init__.py": """
                from typing import TYPE_CHECKING
                from .load import served
                if TYPE_CHECKING:
                    from lib.a import C
                _WHERE = {"C": "a"}
                def __getattr__(name):
                    return served(name, _WHERE.get(name), __package__)
            """,
            "lib/load.py": "def served(name, module, package): ...",
            "lib/a.py": "class C: ...",
        },
        "lib.C",
        "class lib.a.C",
    ),
    (
        "shown of what a __getattr__ serves somehow",
        {
            "lib/__init__.py": (
                "from typing import TYPE_CHECKING\nfrom .load import served\n"
                "if TYPE_CHECKING:\n    from lib.a import C\n"
                "__getattr__, __all__ = served(__name__, ['C'])"
            ),
            "lib/load.py": "def served(name, names): ...",
            "lib/a.py": "class C: ...",
        },
        "lib.C",
        "class lib.a.C",
    ),
    (
        "annotation sees it",
        {
            "lib/__init__.py": (
                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lib.a import C\ndef f() -> 'C': ..."
            ),
            "lib/a.py": "class C: ...",
        },
        "lib.f()",
        "lib.a.C()",
    ),
    ("one branch", "if flag:\n    def f(): ...", "lib.f", "def lib.f"),
)
def test_conditional_definitions(provider, expression, value):
    assert evaluated(provider, expression) == value


@table(
    ("instance", CLASS, "lib.Base()", "lib.Base()"),
    ("method", CLASS, "lib.Base().part", "method lib.Base.part"),
    ("unbound", CLASS, "lib.Base.part", "def lib.Base.part"),
    ("inherited", CLASS, "lib.Derived().make", "method lib.Base.make"),
    ("overridden", CLASS, "lib.Derived().part", "method lib.Derived.part"),
    ("property", CLASS, "lib.Base().first", "lib.Part()"),
    ("property on the class", CLASS, "lib.Base.first", "def lib.Base.first"),
    ("through super", CLASS, "lib.Derived().part()", "lib.Part()"),
    ("classmethod makes what it is called on", CLASS, "lib.Derived.make()", "lib.Derived()"),
    ("staticmethod", CLASS, "lib.Base.other()", "lib.Part()"),
    ("set in the base's __init__", CLASS, "lib.Derived().parts[0]", "lib.Part()"),
    ("class attribute", CLASS, "lib.Part.limit", "outside builtins.int()"),
    ("missing on an instance", CLASS, "lib.Base().gone", "missing lib.Base.gone"),
    ("missing on a class", CLASS, "lib.Base.gone", "missing lib.Base.gone"),
    ("every object has it", CLASS, "lib.Base().__dict__", "? lib.Base.__dict__"),
    ("its class", CLASS, "lib.Base().__class__", "class lib.Base"),
    ("type()", CLASS, "type(lib.Base())", "class lib.Base"),
    ("getattr", CLASS, "getattr(lib.Base(), 'part')", "method lib.Base.part"),
    ("getattr with a default", CLASS, "getattr(lib.Base(), 'gone', None)", "?"),
    (
        "method resolution order",
        "class A:\n    def f(self): ...\nclass B(A): ...\nclass C(A):\n    def f(self): ...\nclass D(B, C): ...",
        "lib.D().f",
        "method lib.C.f",
    ),
    ("base outside", "import torch\nclass C(torch.Tensor): ...", "lib.C().x", "perhaps missing lib.C.x"),
    ("base unknown", "class C(make()): ...", "lib.C().x", "?"),
    ("inherits from itself", "class C(C): ...", "lib.C().x", "?"),
    ("__getattr__", "class C:\n    def __getattr__(self, name): ...", "lib.C().x", "?"),
    ("metaclass member", "class M(type):\n    def f(cls): ...\nclass C(metaclass=M): ...", "lib.C.f", "method lib.M.f"),
    ("enum member", "import enum\nclass E(enum.Enum):\n    A = 1", "lib.E.A", "lib.E()"),
    ("nested class", "class C:\n    class D:\n        def f(self): ...", "lib.C.D().f", "method lib.C.D.f"),
    (
        "setter beside the getter",
        "class C:\n    @property\n    def x(self) -> 'C': ...\n    @x.setter\n    def x(self, v): ...",
        "lib.C().x",
        "lib.C()",
    ),
)
def test_classes(provider, expression, value):
    assert evaluated(provider, expression) == value


@table(
    ("annotation", "class C: ...\ndef f() -> C: ...", "lib.f()", "lib.C()"),
    ("return statement", "class C: ...\ndef f():\n    return C()", "lib.f()", "lib.C()"),
    ("quoted", "class C: ...\ndef f() -> 'C | None': ...", "lib.f()", "lib.C() | None"),
    (
        "Self",
        "from typing import Self\nclass A:\n    def f(self) -> Self: ...\nclass B(A): ...",
        "lib.B().f()",
        "lib.B()",
    ),
    ("Self of a factory", CLASS, "lib.Derived.make().part()", "lib.Part()"),
    ("unannotated", "def f(x):\n    return x", "lib.f(1)", "?"),
    ("coroutine", "class C: ...\nasync def f() -> C: ...", "lib.f()", "awaitable<lib.C()>"),
    ("await", "class C: ...\nasync def f() -> C: ...", "await lib.f()", "lib.C()"),
    ("forgotten await", "class C: ...\nasync def f() -> C: ...", "lib.f().x", "?"),
    ("__call__", "class C:\n    def __call__(self) -> int: ...", "lib.C()()", "outside builtins.int()"),
    (
        "nn.Module calls forward",
        "import torch\nclass M(torch.nn.Module):\n    def forward(self, x) -> 'M': ...",
        "lib.M()(1)",
        "lib.M()",
    ),
    ("partial", "from functools import partial\ndef f(a, b) -> int: ...\ng = partial(f, 1, b=2)", "lib.g",
     "partial(def lib.f, 1, b)"),
    ("called partial", "from functools import partial\ndef f(a) -> int: ...\ng = partial(f, 1)", "lib.g()",
     "outside builtins.int()"),
    ("cast", "from typing import cast\nclass C: ...\nx = cast(C, get())", "lib.x", "lib.C()"),
    ("cast to text", "from typing import cast\nclass C: ...\nx = cast('C', get())", "lib.x", "lib.C()"),
    ("import_module", "import importlib\nm = importlib.import_module('lib')", "lib.m", "module lib"),
    ("deepcopy", "import copy\nclass C: ...\nx = copy.deepcopy(C())", "lib.x", "lib.C()"),
    ("task", "import asyncio\nclass C: ...\nasync def f() -> C: ...\nt = asyncio.create_task(f())", "await lib.t",
     "lib.C()"),
    ("run", "import asyncio\nclass C: ...\nasync def f() -> C: ...\nx = asyncio.run(f())", "lib.x", "lib.C()"),
    ("outside class", "import torch\nx = torch.Tensor(1)", "lib.x", "outside torch.Tensor()"),
    ("endless recursion", "def f():\n    return f()", "lib.f()", "?"),
)  # fmt: skip
def test_calls(provider, expression, value):
    assert evaluated(provider, expression) == value


ITEMS = """
from typing import Annotated, Awaitable, Callable, Iterator, List, Literal, Optional, Union
class C: ...
def f() -> {}: ...
"""


@table(
    ("list", ITEMS.format("list[C]"), "lib.f()[0]", "lib.C()"),
    ("List", ITEMS.format("List[C]"), "lib.f()[0]", "lib.C()"),
    ("slice", ITEMS.format("list[C]"), "lib.f()[1:][0]", "lib.C()"),
    ("dict", ITEMS.format("dict[str, C]"), "lib.f()['a']", "lib.C()"),
    ("dict.get", ITEMS.format("dict[str, C]"), "lib.f().get('a')", "lib.C()"),
    ("dict.items", ITEMS.format("dict[str, C]"), "[v for k, v in lib.f().items()][0]", "lib.C()"),
    ("tuple", ITEMS.format("tuple[int, C]"), "lib.f()[1]", "lib.C()"),
    ("tuple, from the end", ITEMS.format("tuple[int, C]"), "lib.f()[-1]", "lib.C()"),
    ("tuple, too far", ITEMS.format("tuple[int, C]"), "lib.f()[2]", "?"),
    ("open tuple", ITEMS.format("tuple[C, ...]"), "lib.f()[7]", "lib.C()"),
    ("optional", ITEMS.format("Optional[C]"), "lib.f()", "lib.C() | None"),
    ("attribute of optional", ITEMS.format("Optional[C]"), "lib.f().x", "missing lib.C.x"),
    ("union", ITEMS.format("Union[C, int]"), "lib.f()", "lib.C() | outside builtins.int()"),
    ("annotated", ITEMS.format("Annotated[C, 1]"), "lib.f()", "lib.C()"),
    ("type", ITEMS.format("type[C]"), "lib.f()()", "lib.C()"),
    ("iterator", ITEMS.format("Iterator[C]"), "next(lib.f())", "lib.C()"),
    ("list()", ITEMS.format("Iterator[C]"), "list(lib.f())[0]", "lib.C()"),
    ("sorted", ITEMS.format("set[C]"), "sorted(lib.f())[0]", "lib.C()"),
    ("enumerate", ITEMS.format("list[C]"), "[c for i, c in enumerate(lib.f())][0]", "lib.C()"),
    ("zip", ITEMS.format("list[C]"), "[c for i, c in zip([1], lib.f())][0]", "lib.C()"),
    ("filter", ITEMS.format("list[C]"), "next(filter(None, lib.f()))", "lib.C()"),
    ("callable", ITEMS.format("Callable[[int], C]"), "lib.f()(1)", "lib.C()"),
    ("awaitable", ITEMS.format("Awaitable[C]"), "await lib.f()", "lib.C()"),
    ("literal", ITEMS.format("Literal['a']"), "lib.f()", "'a'"),
    ("bare list", ITEMS.format("list"), "lib.f()[0]", "?"),
    ("list display", "class C: ...\nx = [C(), C()]", "lib.x[0]", "lib.C()"),
    ("dict display", "class C: ...\nx = {'a': C()}", "lib.x['a']", "lib.C()"),
    ("unpacked", "class C: ...\ndef f() -> tuple[int, C]: ...\na, b = f()", "lib.b", "lib.C()"),
    ("unpacked, other length", "class C: ...\ndef f() -> tuple[int, C]: ...\na, b, c = f()", "lib.b", "? lib.b"),
    ("__getitem__", "class C:\n    def __getitem__(self, i) -> int: ...", "lib.C()[0]", "outside builtins.int()"),
    ("__iter__", "from typing import Iterator\nclass C:\n    def __iter__(self) -> Iterator[int]: ...",
     "[x for x in lib.C()][0]", "outside builtins.int()"),
    ("generator", "from typing import Iterator\nclass C: ...\ndef f() -> Iterator[C]:\n    yield C()", "next(lib.f())",
     "lib.C()"),
    ("named tuple", "from typing import NamedTuple\nclass C: ...\nclass P(NamedTuple):\n    a: int\n    b: C\n"
     "x, y = P(1, C())", "lib.y", "lib.C()"),
    ("string index", "class C: ...\nx = (C(), 1)", "lib.x[0]", "lib.C()"),
)  # fmt: skip
def test_containers(provider, expression, value):
    assert evaluated(provider, expression) == value


@pytest.mark.parametrize(
    ("provider", "value"),
    [
        ("class C:\n    def __enter__(self) -> int: ...", "outside builtins.int()"),
        ("class C:\n    def __enter__(self): return self", "lib.C()"),
        ("class B:\n    def __enter__(self):\n        return self\nclass C(B): ...", "lib.C()"),
        ("import contextlib\nclass C(contextlib.AbstractContextManager): ...", "lib.C()"),
        ("class C:\n    async def __aenter__(self) -> int: ...", "outside builtins.int()"),
    ],
)
def test_with(provider, value):
    assert said(world(provider).evaluate(Entered(term("lib.C()")))) == value


def test_context_manager_functions():
    provider = """
        from contextlib import contextmanager
        from typing import Iterator
        class C: ...
        @contextmanager
        def f() -> Iterator[C]:
            yield C()
    """
    assert said(world(provider).evaluate(Entered(term("lib.f()")))) == "lib.C()"


def test_async_for():
    provider = """
        from typing import AsyncGenerator
        class C: ...
        async def f() -> AsyncGenerator[C, None]:
            yield C()
    """
    assert said(world(provider).evaluate(Element(term("lib.f()"), is_async=True))) == "lib.C()"


def test_the_consumers_own_classes_are_part_of_the_world():
    found = world("class Base:\n    def f(self): ...", "class Mine(lib.Base): ...").evaluate(term("Mine"))
    assert isinstance(found, ClassValue)
    assert [cls.path for cls in found.ref.classes()] == ["app.Mine", "lib.Base"]


def test_a_name_that_two_trees_claim_belongs_to_the_one_that_has_it():
    both = world({"lib/__init__.py": "", "app/other.py": "def f(): ..."})
    assert said(both.resolve("app.other.f")) == "def app.other.f"


def test_what_is_evaluated_is_remembered():
    once = world("class C: ...")
    assert once.evaluate(term("lib.C")) is once.evaluate(term("lib.C"))
    assert once.class_("lib.C") == once.class_("lib.C")


def test_deep_nesting_ends():
    deep = "class C:\n    def f(self) -> 'C': ..."
    expression = "lib.C()" + ".f()" * 200
    assert isinstance(world(deep).evaluate(term(expression)), UnknownValue)


def test_none_is_no_alternative_of_its_own():
    (only,) = alternatives(
        world("from typing import Optional\ndef f() -> Optional[int]: ...").evaluate(term("lib.f()"))
    )
    assert said(only) == "outside builtins.int()"


@pytest.mark.parametrize(
    ("annotation", "chained"),
    [("list[C]", "chain(lib.f(), lib.f())"), ("list[list[C]]", "chain.from_iterable(lib.f())")],
)
def test_chained_iterables_hold_what_their_parts_hold(annotation, chained):
    where = world(ITEMS.format(annotation), "import itertools\nimport lib\n")
    assert said(where.evaluate(term(f"[c for c in itertools.{chained}][0]"))) == "lib.C()"
