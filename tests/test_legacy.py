"""Modules in another Python's syntax: what they define is read, what cannot be read is known to be missing."""

from __future__ import annotations

import ast
import sys
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.api import AttributeApi, ClassApi, FunctionApi, ModuleApi
from auditor.binding import render
from auditor.provider.legacy import recover
from auditor.provider.legacy.lexing import statements, tokens
from auditor.provider.signatures import read_module
from auditor.world.values import Missing, UnknownValue
from auditor.world.world import World

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"


def read(source: str) -> ModuleApi:
    return read_module("pkg.mod", dedent(source).encode(), is_package=False)


def recovered(source: str) -> str:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(source)
    found = recover(source, caught.value)
    assert found is not None
    assert found.code.count("\n") == source.count("\n"), "lines stay where they are"
    assert "left out" not in found.problem, found
    return found.code


OLD = {
    "print": "print 'a', x",
    "print nothing more": "if x: print 'a'",
    "print a negation": "print not x",
    "print a list": "print [a for a in b]",
    "print an f-less call": "print f(x), g(y)",
    "print among others": "a = 1; print 'b'; c = 2",
    "print in an else": "if a: pass\nelse: print 'b'",
    "exec": "exec code",
    "exec in": "exec 'a = 1' in d, e",
    "exec a block": "exec compile(a,\n  b) in d",
    "raise": "raise E, 'message'",
    "raise with a traceback": "raise E, E(1, 2), tb",
    "raise in a line": "if x: raise E, 'a'; y = 1",
    "raise with a format": "raise E, 'a %s' % (a, b)  # why",
    "except": "try: pass\nexcept E, e: pass",
    "except many": "try: pass\nexcept (A, B), e: pass",
    "except into an attribute": "try: pass\nexcept A, self.e: pass",
    "except dotted": "try: pass\nexcept a.b, e:\n    pass",
    "backticks": "x = `y` + `z`",
    "raw unicode": "x = ur'\\d' + UR'''a\nb'''",
    "octal": "def f(mode=0644): pass",
    "octal long": "x = 0777L",
    "long": "x = 10L + 0xFFL",
    "unequal": "x = a <> b",
    "tuple parameter": "def f(a, (b, c), d=(1, 2)): pass",
    "tuple parameter first": "def f((a, (b, c)), *d): print a",
    "tuple parameter on two lines": "def f(a, (b,\n  c)): pass",
    "tuple lambda": "x = lambda (k, v): v",
    "tuple lambda without a space": "x = sorted(y, key=lambda(k, v): (v, k))",
    "tuple lambda on two lines": "x = lambda (k,  # key\n  v): v",
    "tabs": "if x:\n        a = 1\n\tb = 2\n",
    "keyword as attribute": "x = constants.True",
    "keyword as module": "from pkg.async import x",
    "keyword as parameter": "def f(x, async=True): pass",
    "keyword as argument": "f(async=True)",
    "keyword as function": "class C:\n    def async(self): pass",
    "constants": "True, False = 1, 0",
    "constant": "False = 0",
    "unicode escape in bytes": "x = '\\user' + '''\\x'''",
    "bytes": "x = b'é'",
}
NEW = {
    "nested quotes": """x = f"{a["b"]}" """,
    "nested f-strings": """x = f"{f"{f"{1}"}"}" """,
    "f-string on lines": 'x = f"{a[\n  "b"\n]}" ',
    "type parameters": "def f[T: (int, str), *Ts](x: T) -> T: pass",
    "type parameters on lines": "def f[\n    T,  # any\n    U,\n](x): pass",
    "type parameters of a class": "class C[T = int](B[T]): pass",
    "type parameters of a class on lines": "class C[\n  T\n]:\n    x: int",
    "type parameters of a coroutine": "async def f[**P](x): pass",
    "type statement": "type X[T] = list[T]",
    "type statement alone": "type X = int",
    "except star": "try: pass\nexcept* A as e: pass",
    "except many bare": "try: pass\nexcept A, B, C: pass",
    "lazy import": "lazy import a.b",
    "lazy from": "lazy from a import b",
    "starred index": "x = a[*b]",
    "starred annotation": "def f(*args: *Ts): pass",
    "template string": "x = t'{a}' + rt'{b}'",
}


@pytest.mark.parametrize("source", OLD.values(), ids=OLD)
def test_python_2(source: str) -> None:
    ast.parse(recovered(source))
    (problem,) = read(source).problems
    assert problem.startswith("partly read: Python 2 syntax (line "), problem
    assert not read(source).lazy_open


@pytest.mark.parametrize("source", NEW.values(), ids=NEW)
def test_later_versions(source: str) -> None:
    try:
        ast.parse(source)
    except SyntaxError:
        ast.parse(recovered(source))
        (problem,) = read(source).problems
        assert f"syntax newer than Python {RUNNING}" in problem or "Python 2" in problem
    assert not read(source).lazy_open


@pytest.mark.parametrize(
    ("source", "signature"),
    [
        ("def f(a, (b, c), d=0644): print a", "f(a, b_c, d=420)"),
        ("def f(a, async=True): print a", "f(a, async=True)"),
        ("def f(a, b=u'x'):\n  raise E, a", "f(a, b='x')"),
        ("def f(a=`x`): pass", "f(a=repr(x))"),
        ("def f(a=10L, *b, **c): pass", "f(a=10, *b, **c)"),
        ("def f(a=lambda (x, y): x): pass", "f(a=lambda x_y: x)"),
        ("def f[T](a: T, *, b=None): pass", "f(a: T, *, b=None)"),
        ('def f(a, b=1): return f"{a["x"]}"', "f(a, b=1)"),
    ],
)
def test_signatures(source: str, signature: str) -> None:
    (found,) = read(source).names["f"]
    assert isinstance(found, FunctionApi)
    assert render("f", found.parameters, width=200) == signature


def test_the_names_of_keywords_are_theirs() -> None:
    module = read("True = 1\nfrom .async import x\ndef await(): print 1")
    assert set(module.names) == {"True", "x", "await"}
    assert module.names["x"][0].path == "pkg.async.x"  # type: ignore[union-attr]


def test_a_whole_module() -> None:
    module = read(
        """\
        import os, sys
        __all__ = ["A", "f"]
        class A(object):
        \t'''Tabs here'''
        \tdef m(self, x, (y, z)=(1, 2)):
        \t        try:
        \t                exec x in y
        \t        except ValueError, e:
        \t                raise KeyError, "no %r" % (e,), sys.exc_info()[2]
        \t        return `x`
        def f(path, mode=0755):
            if mode <> 0:
                print >>sys.stderr, "mode", mode
            return A()
        """
    )
    assert module.exports == ("A", "f")
    assert set(module.names) == {"os", "sys", "__all__", "A", "f"}
    (cls,) = module.names["A"]
    assert isinstance(cls, ClassApi)
    (method,) = cls.members["m"]
    assert isinstance(method, FunctionApi)
    assert [p.name for p in method.parameters] == ["self", "x", "y_z"]
    assert [(r.text, r.line) for r in method.raises] == [("KeyError('no %r' % (e,), sys.exc_info()[2])", 9)]


# what cannot be rewritten


BROKEN = {
    "in a function": ("def f(a):\n    b = 1\n    a $ b\n    return b\ndef g(): pass", {"f", "g"}, False),
    "a return": ("def f(a):\n    return a $\ndef g(): pass", {"f", "g"}, False),
    "an assignment": ("a = b $ c\nd = 1", {"a", "d"}, False),
    "a header": ("def f(a $ b):\n    return a\n\nd = 1", {"f", "d"}, False),
    "a class header": ("class C($):\n    def f(self): pass\nd = 1", {"C", "d"}, False),
    "a condition": ("if a $ b:\n    x = 1\nelif $:\n    z = 1\nelse:\n    y = 1\n", {"x", "y", "z"}, False),
    "a decorator": ("@a $ b\ndef f(): pass", {"f"}, False),
    "a module's statement": ("$\nd = 1", {"d"}, True),
    "a loop": ("for i in $:\n    x = 1\nd = 1", {"x", "d"}, True),
    "indentation in a function": ("def f():\n    a = 1\n  b = 2\nd = 1", {"f", "d"}, False),
    "an open bracket": ("a = (1,\ndef f(x): pass\nd = 1", {"a", "f", "d"}, False),
    "a member of a class": ("class C:\n    $\n    a = 1\nd = 1", {"C", "d"}, False),
}


@pytest.mark.parametrize(("source", "names", "is_open"), BROKEN.values(), ids=BROKEN)
def test_left_out(source: str, names: set[str], is_open: bool) -> None:
    module = read(source)
    assert set(module.names) - {"b"} == names
    assert module.lazy_open is is_open
    assert "left out" in module.problems[0]


def test_a_class_that_lost_a_member_is_unknown_as_a_whole() -> None:
    (found,) = read("class C:\n    x $ y\n    a = 1\n").names["C"]
    assert isinstance(found, AttributeApi)


def test_what_a_function_returns_is_unknown_where_that_was_left_out() -> None:
    (found,) = read("def f(a):\n    return a $\n").names["f"]
    assert isinstance(found, FunctionApi)
    assert not found.is_stub_body
    assert found.result is not None
    assert "__unread__" in repr(found.result)


@pytest.mark.parametrize("source", ["{% if x %}\n" * 40, "$\n" * 40, "x = '''", "\0", "(" * 300, "if:\n"])
def test_beyond_help(source: str) -> None:
    module = read(source)
    assert module.lazy_open
    assert module.problems


def test_names_of_a_partly_read_module_count() -> None:
    class Tree:
        packages = ("pkg",)

        def module(self, name: str) -> ModuleApi | None:
            if name == "pkg":
                return ModuleApi("pkg", is_package=True)
            sources = {"pkg.mod": "print 'a'\ndef f(): pass", "pkg.lost": "$\ndef f(): pass"}
            return read_module(name, sources[name].encode(), is_package=False) if name in sources else None

        def stub(self, name: str) -> None:
            return None

        def has_module(self, name: str) -> bool:
            return name in ("pkg", "pkg.mod", "pkg.lost")

    world = World([Tree()])
    assert isinstance(world.resolve("pkg.mod.gone"), Missing)
    assert isinstance(world.resolve("pkg.lost.gone"), UnknownValue)


# cutting


@settings(max_examples=200, deadline=None)
@given(st.text("ab \t\n\\'\"frut{}()[]:#0.L`<>=,;@$é\f\0"))
def test_nothing_is_lost(source: str) -> None:
    assert "".join(token.text for token in tokens(source)) == source
    assert "".join(statement.text for statement in statements(source)) == source
    read_module("pkg.mod", source.encode(), is_package=False)
