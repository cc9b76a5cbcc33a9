"""What the walk over a consumer file records: uses, the guards around them, what becomes of values, growing dicts."""

from __future__ import annotations

from textwrap import indent

import pytest
from worlds import analysed, said, world

from auditor.model import Use
from auditor.terms import Mapping


def uses(source: str, kind: str | None = None) -> list[Use]:
    return [
        use for use in analysed(f"import lib\n{source}").uses if kind in (None, use.kind) and use.text != "import lib"
    ]


def the_call(source: str, callee: str = "lib.f") -> Use:
    """The one call of `lib.f`."""
    (use,) = [use for use in uses(source, "call") if use.text == callee]
    return use


# uses


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("lib.f(1)", [("call", "lib.f"), ("attribute", "lib.f")]),
        ("lib.a.b", [("attribute", "lib.a.b"), ("attribute", "lib.a")]),
        ("from lib import f as g", [("import", "from lib import f")]),
        ("import lib.a", [("import", "import lib.a")]),
        ("from lib import *", [("import", "from lib import *")]),
        ("import other\nother.f()", []),
        ("print(len('a'))", []),
        ("x = 'lib.a.B'", [("string", "lib.a.B")]),
        ("x = 'lib.a:B'", [("string", "lib.a:B")]),
        ("x = 'lib is fine. Really'", []),
        ("x = 'lib'", []),
        ("log = getLogger('lib.a')", []),
        ("lib.f = lambda: 0", [("patch", "lib.f")]),
        ("lib.a.x = 1", [("attribute", "lib.a"), ("patch", "lib.a.x")]),
        ("class C(lib.B): ...", [("attribute", "lib.B"), ("class", "C")]),
        ("class C: ...", []),
        ("@lib.d\ndef f(): ...", [("attribute", "lib.d")]),
        ("def f(x: lib.T = lib.D) -> lib.R: ...", [("attribute", n) for n in ("lib.D", "lib.T", "lib.R")]),
        ("x: lib.T = 1", [("attribute", "lib.T")]),
        ("raise lib.E", [("attribute", "lib.E")]),
        ("assert lib.ok", [("attribute", "lib.ok")]),
        ("try: ...\nexcept lib.E: ...", [("attribute", "lib.E")]),
        ("match x:\n    case lib.C(): ...", [("attribute", "lib.C")]),
        ("for x in lib.xs: ...", [("attribute", "lib.xs")]),
        ("del lib.x", []),
        ("getattr(lib, 'x')", [("attribute", "lib.x")]),
        ("getattr(lib, 'x', None)", []),
        ("getattr(lib, name)", []),
        ("import other\ngetattr(other, 'x')", []),
        (
            "from unittest import mock\nmock.patch.object(lib.a, 'x')",
            [("attribute", "lib.a.x"), ("attribute", "lib.a")],
        ),
        ("from unittest import mock\nmock.patch.object(lib, 'x', create=True)", []),
        ("def t(monkeypatch):\n    monkeypatch.setattr(lib, 'x', 1)", [("attribute", "lib.x")]),
        ("def t(monkeypatch):\n    monkeypatch.setattr(lib, 'x', 1, raising=False)", []),
        ("[lib.f for _ in y if lib.g]", [("attribute", "lib.g"), ("attribute", "lib.f")]),
        ("lambda lib: lib.f", []),
        ("f'{lib.x}'", [("attribute", "lib.x")]),
    ],
)
def test_what_is_a_use(source, found):
    assert [(use.kind, use.text) for use in uses(source) if use.text != "getLogger"] == found


@pytest.mark.parametrize(
    ("source", "scope"),
    [
        ("lib.f()", ""),
        ("def g():\n    lib.f()", "g"),
        ("class C:\n    def m(self):\n        lib.f()", "C.m"),
        ("def g():\n    def h():\n        lib.f()", "g.h"),
        ("class C:\n    x = lib.f()", "C"),
    ],
)
def test_scopes(source, scope):
    assert the_call(source).scope == scope


def test_spans_are_of_the_text_in_characters():
    (use,) = [use for use in uses("x = 'äöü'; y = lib.f(1)") if use.kind == "call"]
    assert (use.span.line, use.span.column, use.span.end_column) == (2, 16, 24)
    assert use.name_span is not None
    assert (use.name_span.column, use.name_span.end_column) == (20, 21)


def test_arguments():
    arguments = the_call("lib.f(1, *a, b=2, **c)").arguments
    assert [(a.text, a.name, a.star) for a in arguments] == [
        ("1", None, ""),
        ("a", None, "*"),
        ("2", "b", ""),
        ("c", None, "**"),
    ]


def test_a_class_knows_where_its_methods_stand():
    (use,) = uses("class C(lib.B):\n    def f(self): ...\n    async def g(self): ...", "class")
    assert [(a.name, a.span.line, a.span.column) for a in use.arguments] == [("f", 3, 9), ("g", 4, 15)]


def test_a_patch_knows_what_is_assigned():
    (use,) = uses("def mine(): ...\nlib.f = mine", "patch")
    assert use.alias == "mine"
    assert said(world("", "def mine(): ...").evaluate(use.value)) == "def app.mine"


@pytest.mark.parametrize(
    "source",
    [
        "def g(x: lib.C):\n    x.m()",
        "def g(*xs: lib.C):\n    for x in xs:\n        x.m()",
        "def g(*xs: lib.C):\n    xs[1].m()",
        "def g(**xs: lib.C):\n    xs['x'].m()",
        "def g(**xs: lib.C):\n    for x in xs.values():\n        x.m()",
        "def g(**xs: lib.C):\n    for _, x in xs.items():\n        x.m()",
        "x = None\ndef h():\n    global x\n    x = lib.C()\ndef g():\n    x.m()",
        "def h():\n    global x\n    x = lib.C()\ndef g():\n    x.m()",
        "def g():\n    getattr(lib, 'C')().m()",
        "def h():\n    class A:\n        def f(self):\n            self.x = lib.C()\n"
        "        def g(self):\n            self.x.m()",
        "def h():\n    class A(lib.C):\n        def g(self):\n            self.m()",
        "def h():\n    class A(lib.C):\n        def g(self):\n            super().m()",
        "def h():\n    class A:\n        x = lib.C()\n    A().x.m()",
        "def h():\n    class A:\n        def f(self):\n            return lib.C()\n    A().f().m()",
        "def h(c: lib.C):\n    class A:\n        def f(self):\n            c.m()",
        "class B:\n    def h(self):\n        class A:\n            def f(self):\n                self.x = lib.C()\n"
        "            def g(self):\n                self.x.m()",
        "def g():\n    x = lib.C()\n    x.m()",
        "x = lib.C()\ndef g():\n    x.m()",
        "def g():\n    with lib.C() as x:\n        x.m()",
        "class A:\n    def __init__(self):\n        self.x = lib.C()\n    def g(self):\n        self.x.m()",
        "def g(y):\n    if isinstance(y, lib.C):\n        y.m()",
        "def g(y):\n    if not isinstance(y, lib.C):\n        return\n    else:\n        y.m()",
        "def g(y):\n    assert isinstance(y, lib.C)\n    y.m()",
        "def g():\n    (x := lib.C()).m()",
        "def g(flag):\n    x = lib.C() if flag else lib.C()\n    x.m()",
        "def g():\n    x, y = 1, lib.C()\n    y.m()",
        "def g(xs: list[lib.C]):\n    for x in xs:\n        x.m()",
        "from typing import Optional\ndef g(x: Optional[lib.C]):\n    x.m()",
        "def g(x: 'lib.C | None'):\n    x.m()",
        "def g(xs: list[lib.C]):\n    [x.m() for x in xs]",
        "def make() -> lib.C: ...\nmake().m()",
        "d = {'x': lib.C()}\ndef g():\n    d.get('x').m()",
        "d = {'x': lib.C()}\nfor k, v in d.items():\n    v.m()",
        "def g():\n    d = {'x': lib.C()}\n    d.pop('x').m()",
        "from typing import TypeVar\nT = TypeVar('T')\ndef same(x: T) -> T: ...\nsame(lib.C()).m()",
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n"
        "    def get(self) -> T: ...\ndef g(b: Box[lib.C]):\n    b.get().m()",
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n"
        "    def get(self) -> T: ...\nclass Full(Box[lib.C]): ...\nFull().get().m()",
        "from typing import TypeVar\nT = TypeVar('T')\nclass A(lib.C):\n"
        "    def to(self: T) -> T: ...\n    def g(self):\n        self.to().m()",
        "def make():\n    x = lib.C()\n    return x\nmake().m()",
        "class A(lib.C):\n    def g(self):\n        self.m()",
        "class A(lib.C):\n    def g(self):\n        super().m()",
        "class A(lib.C):\n    @classmethod\n    def g(cls):\n        cls.m",
        "def g(flag):\n    try:\n        x = lib.C()\n    except ValueError:\n        x = lib.C()\n    x.m()",
    ],
)
def test_values_are_followed(source):
    """Wherever the receiver comes from, the method is found on the provider's class."""
    analysis = analysed(f"import lib\n{source}")
    method = next(use for use in analysis.uses if use.text.endswith(".m"))
    assert said(_refined(source).evaluate(method.term)) in ("method lib.C.m", "def lib.C.m")


def _refined(consumer: str):
    """A world that knows what the walk found out, as the pipeline's does."""
    from auditor.consumer import files

    plain = world("class C:\n    def m(self): ...\n    def __enter__(self):\n        return self", consumer)
    app = plain.trees[0]
    app.apis["app"] = files._refined(app.apis["app"], analysed(f"import lib\n{consumer}"))
    return plain


def test_receivers_of_unknown_class_are_kept_apart():
    analysis = analysed("import lib\ndef g(x):\n    x.m(1)\n    lib.f(x)")
    assert [(use.kind, use.text) for use in analysis.loose] == [("call", "x.m"), ("attribute", "x.m")]


@pytest.mark.parametrize("first", ["self", "cls"])
def test_keyword_only_parameters_are_never_the_receiver(first):
    source = f"class A(lib.C):\n    def g(*args, {first}):\n        {first}.m()"
    assert [use.text for use in analysed(f"import lib\n{source}").loose] == [f"{first}.m"] * 2


def test_imports_of_the_file():
    analysis = analysed("import a.b\nfrom c.d import e\ndef g():\n    import lib")
    assert analysis.imports == ("a", "c", "lib")


# guards


def guards(source: str, callee: str = "lib.f") -> list[str]:
    """The guards around the one call, each in a few words."""
    return [
        " ".join(filter(None, ["not" if g.negated else "", g.kind, g.package, g.operator, g.version, g.name, g.part]))
        for g in the_call(source, callee).guards
    ]


def under(test: str, before: str = "") -> str:
    return f"{before}\nif {test}:\n    lib.f()"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (under("lib.__version__ >= '0.8'"), ["version lib >= 0.8"]),
        (under("'0.8' <= lib.__version__"), ["version lib >= 0.8"]),
        (under("not lib.__version__ < '0.8'"), ["not version lib < 0.8"]),
        (under("version.parse(lib.__version__) >= version.parse('0.8')"), ["version lib >= 0.8"]),
        (under("Version(lib.__version__) == Version('0.8')"), ["version lib == 0.8"]),
        (under("version('lib') >= '0.8'"), ["version lib >= 0.8"]),
        (under("importlib.metadata.version('lib') < '0.8'"), ["version lib < 0.8"]),
        (under("lib.__version_tuple__ >= (0, 8)"), ["version lib >= 0.8"]),
        (under("Version(lib.__version__).release >= (0, 8, 1)"), ["version lib >= 0.8.1"]),
        (under("tuple(int(x) for x in lib.__version__.split('.')) >= (0, 8)"), ["version lib >= 0.8"]),
        (under("V >= '0.8'", "from lib import __version__ as V"), ["version lib >= 0.8"]),
        (under("NEW", "NEW = lib.__version__ >= '0.8'"), ["version lib >= 0.8"]),
        (under("V >= '0.8'", "V = Version(lib.__version__)\nif not V:\n    V = None"), ["version lib >= 0.8"]),
        (under("not NEW", "NEW = lib.__version__ >= '0.8'"), ["not version lib >= 0.8"]),
        (under("V >= MIN", "V = lib.__version__\nMIN = Version('0.8')"), ["version lib >= 0.8"]),
        (under("new()", "def new():\n    return lib.__version__ >= '0.8'"), ["version lib >= 0.8"]),
        (under("is_lib_available('0.8')"), ["version lib >= 0.8"]),
        (under("is_lib_available(min_version='0.8')"), ["version lib >= 0.8"]),
        (under("is_version_ge('lib', '0.8')"), ["version lib >= 0.8"]),
        (under("operator.ge(Version(lib.__version__), Version('0.8'))"), ["version lib >= 0.8"]),
        (under("lib.__version__ >= '0.8' and flag"), ["version lib >= 0.8"]),
        (under("lib.__version__ >= '0.8' or flag"), []),
        (under("not (lib.__version__ >= '0.8' or flag)"), ["not version lib >= 0.8"]),
        (under("lib.__version__ >= '0.8' or lib.__version__ == '0.7'"), ["any"]),
        (under("V('1') <= V(lib.__version__) < V('2')"), ["version lib >= 1", "version lib < 2"]),
        (under("not V('1') <= V(lib.__version__) < V('2')"), ["any"]),
        (under("md('lib') < '2'", "from importlib.metadata import version as md"), ["version lib < 2"]),
        (under("lib.__version__.startswith('1.')"), ["version lib startswith 1."]),
        (under("lib.__version__.startswith(('1.2', '1.3'))"), ["version lib startswith 1.2 1.3"]),
        (under("text.startswith('1.')"), []),
        (under("Version(lib.__version__).major < 2"), ["version lib < 2 0"]),
        (under("Version(lib.__version__).minor < 2"), ["version lib < 2 1"]),
        (under("int(lib.__version__.split('.')[0]) < 2"), ["version lib < 2 0"]),
        (under("lib.__version__.split('.')[0] == '1'"), ["version lib == 1 0"]),
        (under("tuple(map(int, lib.__version__.split('.')[:2])) < (1, 2)"), ["version lib < 1.2 :2"]),
        (under("len(lib.__version__) < 2"), []),
        (under("lib.__version__ in ('1.0', '1.1')"), ["version lib in 1.0 1.1"]),
        (under("lib.__version__ not in {'1.0'}"), ["not version lib in 1.0"]),
        (under("version('lib') in SpecifierSet('>=1, <2')"), ["version lib in >=1,<2"]),
        (under("SpecifierSet('<2').contains(lib.__version__)"), ["version lib in <2"]),
        (under("version('lib') in S", "S = SpecifierSet('<2')"), ["version lib in <2"]),
        (under("ge('2.0')", "def ge(v):\n    return parse(lib.__version__) >= parse(v)"), ["version lib >= 2.0"]),
        (under("ge()", "def ge(v='2.0'):\n    return parse(lib.__version__) >= parse(v)"), ["version lib >= 2.0"]),
        (under("ge(*x)", "def ge(v):\n    return parse(lib.__version__) >= parse(v)"), []),
        (under("OLD", "from app.ver import OLD"), ["flag app.ver.OLD"]),
        (under("not ver.OLD", "from app import ver"), ["not flag app.ver.OLD"]),
        (under("is_old()", "from app.ver import is_old"), ["flag app.ver.is_old()"]),
        (under("ge('1.2')", "from app.ver import ge"), ["flag 1.2 app.ver.ge(*)"]),
        (under("ge(x)", "from app.ver import ge"), []),
        (under("old", "from other import old"), []),
        ("match lib.__version__:\n    case '1.0' | '1.1':\n        lib.f()", ["any"]),
        ("match lib.__version__:\n    case '1.0': ...\n    case _:\n        lib.f()", ["not version lib == 1.0"]),
        ("x = lib.f() if lib.__version__ < '2' else 0", ["version lib < 2"]),
        ("x = 0 if lib.__version__ < '2' else lib.f()", ["not version lib < 2"]),
        ("lib.__version__ < '2' or lib.f()", ["not version lib < 2"]),
        ("[lib.f() for x in y if lib.__version__ < '2']", ["version lib < 2"]),
        ("assert lib.__version__ < '2'\nlib.f()", ["version lib < 2"]),
        ("def g():\n    if lib.__version__ < '2': ...\n    else:\n        return\n    lib.f()", ["version lib < 2"]),
        ("def g():\n    old = lib.__version__ < '2'\n    if old:\n        lib.f()", ["version lib < 2"]),
        ("old = lib.__version__ < '2'\ndef g(old):\n    if old:\n        lib.f()", []),
        ("def g():\n    old = lib.__version__ < '2'\n    old = x\n    if old:\n        lib.f()", []),
        ("class A:\n    old = lib.__version__ < '2'\n    def g(self):\n        if self.old:\n            lib.f()",
         ["version lib < 2"]),
        ("class A:\n    def __init__(self):\n        self.old = lib.__version__ < '2'\n"
         "    def g(self):\n        if not self.old:\n            lib.f()", ["not version lib < 2"]),
        ("class A:\n    @property\n    def old(self):\n        return lib.__version__ < '2'\n"
         "    def g(self):\n        if self.old:\n            lib.f()", ["version lib < 2"]),
        (under("sys.version_info >= (3, 11)"), []),
        (under("n >= 3"), []),
        (under("NEW", "NEW = flag()\nNEW = not NEW"), []),
        (under("new()", "def new():\n    return new()"), []),
        ("if lib.__version__ >= '0.8': ...\nelse:\n    lib.f()", ["not version lib >= 0.8"]),
        ("if lib.__version__ < '0.8': ...\nelif lib.__version__ < '0.9':\n    lib.f()",
         ["not version lib < 0.8", "version lib < 0.9"]),
        ("def g():\n    if lib.__version__ < '0.8':\n        return\n    lib.f()", ["not version lib < 0.8"]),
        ("if lib.__version__ < '0.8':\n    raise E\nlib.f()", ["not version lib < 0.8"]),
        ("if lib.__version__ < '0.8':\n    def g():\n        lib.f()", ["version lib < 0.8"]),
    ],
)  # fmt: skip
def test_version_tests(source, found):
    assert guards(source) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (under("hasattr(lib, 'f')"), ["hasattr f"]),
        (under("not hasattr(lib, 'f')"), ["not hasattr f"]),
        ("hasattr(lib, 'f') and lib.f()", ["hasattr f"]),
        ("hasattr(lib, 'f') or lib.f()", ["not hasattr f"]),
        ("def g():\n    if not hasattr(lib, 'f'):\n        return\n    lib.f()", ["hasattr f"]),
        (under("TYPE_CHECKING"), ["type-checking"]),
        (under("typing.TYPE_CHECKING"), ["type-checking"]),
        (under("'x' in inspect.signature(lib.g).parameters"), ["parameter x"]),
        (under("'x' not in inspect.signature(lib.g).parameters"), ["not parameter x"]),
        (under("'x' in P", "P = inspect.signature(lib.g).parameters"), ["parameter x"]),
        (under("'x' in lib.C.__dataclass_fields__"), ["parameter x"]),
        (under("'x' in names"), []),
    ],
)
def test_other_tests(source, found):
    assert guards(source) == found


TRY = "try:\n{}\nexcept {}:\n{}"


def tried(body: str, exception: str, handler: str) -> str:
    return TRY.format(indent(body, "    "), exception, indent(handler, "    "))


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (tried("from lib import x", "ImportError", "from old import x"), ["import-fallback ImportError"]),
        (tried("from lib import x", "ImportError", "def x(): ..."), ["import-fallback ImportError"]),
        (tried("from lib import x", "ImportError", "x = None"), ["swallowed ImportError"]),
        (tried("from lib import x", "ImportError", "pass"), ["swallowed ImportError"]),
        (tried("from lib import x", "(ImportError, AttributeError)", "pass"),
         ["swallowed ImportError", "swallowed AttributeError ImportError"]),
        (tried("from lib import x", "ImportError", "raise"), []),
        (tried("from lib import x", "ImportError as e", "log(e)\nraise RuntimeError from e"), []),
        (tried("from lib import x", "ValueError", "pass"), []),
        ("with contextlib.suppress(ImportError):\n    from lib import x", ["swallowed ImportError"]),
        ("try:\n    from lib import x\nfinally:\n    pass", []),
    ],
)  # fmt: skip
def test_guarded_imports(source, found):
    (use,) = uses(source, "import")
    assert [f"{g.kind} {g.name}" for g in use.guards] == found


def test_a_handler_runs_where_the_import_fails():
    (old,) = [u for u in uses(tried("from lib import x", "ImportError", "from lib.old import x")) if "old" in u.text]
    (guard,) = old.guards
    assert (guard.kind, guard.negated, guard.of.path) == ("importable", True, "lib.x")


@pytest.mark.parametrize(
    ("exception", "found"),
    [
        ("AttributeError", ["swallowed AttributeError"]),
        ("TypeError", ["swallowed TypeError"]),
        ("Exception", ["swallowed ImportError", "swallowed Exception"]),
        ("KeyError", []),
    ],
)
def test_guarded_calls(exception, found):
    assert guards(tried("lib.f()", exception, "pass")) == found


@pytest.mark.parametrize(
    ("body", "exception", "handler", "found"),
    [
        ("lib.f(1)", "TypeError", "lib.f()", ["alternative TypeError"]),
        ("lib.f(1)", "Exception", "lib.f()", ["swallowed ImportError", "alternative Exception"]),
        ("x = lib.f()", "AttributeError", "x = lib.g()", ["alternative AttributeError"]),
        ("x = lib.f()", "AttributeError", "x = None", ["swallowed AttributeError"]),
        ("x = lib.f()", "AttributeError as e", "x = str(e)", ["swallowed AttributeError"]),
        ("log.info(lib.f())", "TypeError", "log.info(1)", ["swallowed TypeError"]),
    ],
)
def test_a_handler_that_does_it_in_another_way(body, exception, handler, found):
    (first, *_) = [u for u in uses(tried(body, exception, handler), "call") if u.text == "lib.f"]
    assert [f"{g.kind} {g.name}" for g in first.guards] == found


def test_a_guard_ends_with_its_block():
    assert guards("if lib.__version__ > '1':\n    pass\nlib.f()") == []
    assert guards("try:\n    import lib.x\nexcept ImportError:\n    pass\nlib.f()") == []
    assert guards("def g():\n    if lib.__version__ > '1':\n        return\ndef h():\n    lib.f()") == []


# what becomes of values


@pytest.mark.parametrize(
    ("source", "usages"),
    [
        ("lib.f()", [("discard", "")]),
        ("lib.f()[0]", [("subscript", "0")]),
        ("lib.f().x", [("attribute", "x")]),
        ("a, b = lib.f()", [("unpack", "2")]),
        ("a, *b = lib.f()", [("unpack", "2+")]),
        ("for x in lib.f(): ...", [("iterate", "")]),
        ("[x for x in lib.f()]", [("iterate", "")]),
        ("list(lib.f())", [("iterate", "list")]),
        ("print(lib.f())", [("argument", "print")]),
        ("g(x=lib.f())", [("argument", "")]),
        ("if lib.f(): ...", [("truth", "")]),
        ("not lib.f()", [("truth", "")]),
        ("lib.f() is None", [("none-test", "")]),
        ("lib.f() == 1", []),
        ("def g():\n    return lib.f()", [("return", "")]),
        ("async def g():\n    await lib.f()", [("await", "")]),
        ("x = lib.f()\nx[0]", [("subscript", "0")]),
        ("x = lib.f()\nx = 1\nx[0]", []),
        ("x = lib.f()\nimport x\nx.y", []),
        ("def g():\n    x = lib.f()\n    return x", [("return", "")]),
        ("def g():\n    x = lib.f()\ndef h(x):\n    x[0]", []),
        ("async def g():\n    x = await lib.f()\n    x[0]", [("await", ""), ("subscript", "0")]),
        ("if (x := lib.f()):\n    x[0]", [("subscript", "0")]),
        ("x = lib.f()\nfor x in y:\n    x[0]", []),
    ],
)
def test_usages(source, usages):
    assert [(u.how, u.detail) for u in the_call(source).usages] == usages


# dicts of keyword arguments


@pytest.mark.parametrize(
    ("lines", "keys", "is_open"),
    [
        ("kw = {'a': 1}", "a", False),
        ("kw = dict(a=1, b=2)", "a b", False),
        ("kw = {}\nkw['a'] = 1", "a", False),
        ("kw = {'a': 1}\nkw['a'] = 2", "a", False),
        ("kw = {'a': 1}\nkw.update(b=2)", "a b", False),
        ("kw = {'a': 1}\nkw.update({'b': 2})", "a b", False),
        ("kw = {'a': 1}\nkw.update(other)", "a", True),
        ("kw = {'a': 1}\nkw.setdefault('b', 2)", "a b", False),
        ("kw = {'a': 1, 'b': 2}\nkw.pop('b')", "a", False),
        ("kw = {'a': 1, 'b': 2}\nx = kw.pop('b', None)", "a", False),
        ("kw = {'a': 1, 'b': 2}\nprint(kw.pop('b', None))", "a", False),
        ("kw = {'a': 1, 'b': 2}\ndel kw['b']", "a", False),
        ("kw = {'a': 1}\nkw.clear()", "", False),
        ("kw = {'a': 1}\nkw |= {'b': 2}", "a b", False),
        ("kw = {'a': 1}\nkw = {**kw, 'b': 2}", "a b", False),
        ("kw = {'a': 1} | {'b': 2}", "a b", False),
        ("kw = {'a': 1}.copy()", "a", False),
        ("base = {'a': 1}\nkw = base.copy()\nkw['b'] = 2", "a b", False),
        ("kw = {'a': 1}\nif flag:\n    kw['b'] = 2", "a b", False),
        ("if flag:\n    kw = {'a': 1}\nelse:\n    kw = {'b': 1}", "a b", False),
        ("kw = {'a': 1}\nfor x in y:\n    kw['b'] = x", "a b", False),
        ("kw = {name: 1}", "", True),
        ("kw: dict = {'a': 1}", "a", False),
        ("kw = {'a': 1}\nkw[name] = 1", "a", True),
        ("kw = dict(zip(names, values))", "", True),
        ("kw = {k: v for k, v in pairs}", None, True),
        ("kw = other", None, True),
    ],
)
@pytest.mark.parametrize("where", ["module", "function"])
def test_keyword_dicts(lines, keys, is_open, where):
    source = f"{lines}\nlib.f(**kw)"
    if where == "function":
        source = "def g(flag, other, name, names, values, pairs, y):\n" + indent(source, "    ")
    (argument,) = the_call(source).arguments
    if keys is None:
        assert not isinstance(argument.term, Mapping)
    else:
        assert isinstance(argument.term, Mapping)
        assert [key for key, _ in argument.term.items] == keys.split()
        assert argument.term.open == is_open


@pytest.mark.parametrize(
    ("lines", "conditional"),
    [
        ("kw = {'a': 1}", {}),
        ("kw = {}\nif flag:\n    kw['a'] = 1", {"a": []}),
        ("kw = {}\nif OLD:\n    kw['a'] = 1", {"a": ["version <"]}),
        ("kw = {}\nif not OLD:\n    kw['a'] = 1", {"a": ["not version <"]}),
        ("kw = {}\nif OLD:\n    kw['a'] = 1\nelse:\n    kw['a'] = 2", {}),
        ("if OLD:\n    kw = {'a': 1}\nelse:\n    kw = {'b': 1}", {"a": ["version <"], "b": ["not version <"]}),
        ("kw = {'a': 1} if OLD else {}", {"a": ["version <"]}),
        ("kw = {**({'a': 1} if OLD else {}), 'b': 2}", {"a": ["version <"]}),
        ("kw = {'b': 1, **({'b': 2} if OLD else {})}", {}),
        ("kw = {'a': 1}\nif OLD:\n    kw.pop('a')", {"a": ["not version <"]}),
        ("kw = {}\nif OLD:\n    kw['a'] = 1\nkw['a'] = 2", {}),
        ("kw = {}\nif OLD:\n    kw['a'] = 1\nkw.setdefault('a', 2)", {}),
        ("kw = {}\nif OLD:\n    kw['a'] = 1\nif flag:\n    pass", {"a": ["version <"]}),
        ("kw = {}\nif 'a' in inspect.signature(lib.f).parameters:\n    kw['a'] = 1", {"a": ["parameter"]}),
    ],
)
def test_keys_that_are_there_only_sometimes(lines, conditional):
    (argument,) = the_call(f"OLD = lib.__version__ < '2'\n{lines}\nlib.f(**kw)").arguments
    assert {
        key: [" ".join(filter(None, ["not" if g.negated else "", g.kind, g.operator])) for g in guards]
        for key, guards in argument.term.conditions
    } == conditional


def test_the_functions_own_kwargs_stay_open():
    (argument,) = the_call("def g(**kw):\n    kw['a'] = 1\n    lib.f(**kw)").arguments
    assert [key for key, _ in argument.term.items] == ["a"]
    assert argument.term.open


def test_a_function_that_returns_a_dict_says_its_keys():
    analysis = analysed("import lib\ndef g():\n    kw = {'a': 1}\n    kw['b'] = 2\n    return kw")
    assert [key for key, _ in analysis.results["g"].items] == ["a", "b"]


def test_attributes_set_on_self():
    analysis = analysed(
        "class A:\n    def __init__(self):\n        self.x = lib.C()\n    def f(self):\n        self.x = None\n"
    )
    assert set(analysis.attributes["A"]) == {"x"}
