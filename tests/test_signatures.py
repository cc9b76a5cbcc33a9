"""Reading one module's source: what every kind of statement contributes to the API."""

from __future__ import annotations

import ast
from textwrap import dedent

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from auditor.api import AttributeApi, ClassApi, FunctionApi, ModuleApi, Reexport
from auditor.provider.signatures import read_module
from auditor.terms import Call, Choice, Constant, Import, Instance, Member, Name, Sequence, Subscript, Unpacked


def read(source: str | bytes, *, name: str = "pkg.mod", is_package: bool = False, is_stub: bool = False) -> ModuleApi:
    """Read a fixture; what is read must survive being stored."""
    raw = source if isinstance(source, bytes) else dedent(source).encode("utf-8", "surrogatepass")
    module = read_module(name, raw, is_package=is_package, is_stub=is_stub)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(module), type=ModuleApi) == module
    return module


def function(source: str, name: str = "f", **options: bool) -> FunctionApi:
    """The only definition of function `name` in a fixture."""
    (found,) = read(source, **options).names[name]
    assert isinstance(found, FunctionApi)
    return found


def class_(source: str, name: str = "C") -> ClassApi:
    (found,) = read(source).names[name]
    assert isinstance(found, ClassApi)
    return found


# Functions


def test_parameters_have_kinds_defaults_and_annotations() -> None:
    found = function("def f(a, b: int = 1, /, c: 'list[X]' = (2,), *args: str, d, e=None, **kw): ...")
    assert [(p.name, p.kind, p.default, p.annotation) for p in found.parameters] == [
        ("a", "positional-only", None, None),
        ("b", "positional-only", "1", "int"),
        ("c", "positional-or-keyword", "(2,)", "'list[X]'"),
        ("args", "var-positional", None, "str"),
        ("d", "keyword-only", None, None),
        ("e", "keyword-only", "None", None),
        ("kw", "var-keyword", None, None),
    ]
    assert found.parameters[2].type == Subscript(Name("pkg.mod", "list"), (Name("pkg.mod", "X"),))


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("def f() -> A: return 1", Instance(Name("pkg.mod", "A"))),
        ("def f(): return A(1)", Call(Name("pkg.mod", "A"), (Constant("int", "1"),))),
        ("def f(x: A): return x", Instance(Name("pkg.mod", "A"))),
        ("def f(x: A):\n  y = x.b\n  return y", Member(Instance(Name("pkg.mod", "A")), "b")),
        ("def f():\n  from q import B\n  return B", Import("q.B")),
        ("def f():\n  if 1: return A\n  return B", Choice((Name("pkg.mod", "A"), Name("pkg.mod", "B")))),
        ("def f(): print()", Constant("NoneType", "None")),
        ("def f():\n  with A() as b: yield b", None),
        ("async def f() -> A: ...", Instance(Name("pkg.mod", "A"))),
        ("def f(): raise NotImplementedError", None),
        ("def f(*args: A): return args", Sequence("tuple", (Instance(Name("pkg.mod", "A")),))),
    ],
)
def test_result(source: str, result: object) -> None:
    found = function(source)
    if result is None:
        assert found.result is None or isinstance(found.result, Sequence)
    else:
        assert found.result == result


def test_a_local_made_of_itself_ends() -> None:
    found = function("def f(x):\n  y = x\n  y = g(y)\n  z = h(z)\n  return y, z")
    assert isinstance(found.result, Sequence)


def test_locals_that_double_stay_small() -> None:
    body = "".join(f"  a{i + 1} = g(a{i}, a{i})\n" for i in range(60))
    found = function(f"def f(a0):\n{body}  return a60")
    assert len(msgspec.msgpack.encode(found)) < 5000


def test_methods_know_their_class() -> None:
    found = class_(
        """
        class C:
            def me(self): return self
            @classmethod
            def make(cls): return cls()
            @staticmethod
            def free(x): return x
        """
    )
    results = {name: definitions[0].result for name, definitions in found.members.items()}  # type: ignore[union-attr]
    own = Name("pkg.mod", "C")
    assert results["me"] == Instance(own)
    assert results["make"] == Call(own)
    assert results["free"] != Instance(own)


@pytest.mark.parametrize(
    ("source", "is_async", "is_generator"),
    [
        ("async def f(): ...", True, False),
        ("def f():\n  x = (yield 1) or 2", False, True),
        ("async def f():\n  yield 1", True, True),
        ("def f():\n  def g(): yield\n  return g", False, False),
        ("def f():\n  return [(yield)]", False, True),
        ("def f():\n  'yield'", False, False),
    ],
)
def test_async_and_generator(source: str, is_async: bool, is_generator: bool) -> None:
    found = function(source)
    assert (found.is_async, found.is_generator) == (is_async, is_generator)


def test_overloads_gather_at_the_implementation() -> None:
    source = """
        from typing import overload
        @overload
        def f(a: int) -> int: ...
        @overload
        def f(a: str) -> str: ...
        def f(a): return a
        """
    found = function(source)
    assert [o.returns for o in found.overloads] == ["int", "str"]
    assert found.returns is None


def test_overloads_without_implementation_stay() -> None:
    found = function(
        "from typing import overload\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\n", is_stub=True
    )
    assert [o.parameters[0].annotation for o in found.overloads] == ["int", "str"]


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ("kw.pop('a'); kw.get('b', 1); kw['c']", ("a", "b", "c")),
        ("return 'a' in kw", ("a",)),
        ("kw['a'] = 1", ()),
        ("own = kw.copy()\n  own.pop('x')", ("x",)),
        ("own = dict(kw)\n  own['x']", ("x",)),
        ("other.pop('x')", ()),
        ("kw.pop(name)", ()),
    ],
)
def test_keys_taken_from_kwargs(body: str, keys: tuple[str, ...]) -> None:
    assert function(f"def f(other, **kw):\n  {body}\n").kwargs_keys == keys


@pytest.mark.parametrize(
    ("body", "refuses"),
    [
        ("if kw:\n    raise TypeError(kw)", True),
        ("kw.pop('a', None)\n  if kw:\n    first = next(iter(kw))\n    raise TypeError(first)", True),
        ("if kw:\n    warn(kw)", False),
        ("if kw:\n    raise TypeError\n  g(**kw)", False),
        ("for k in KNOWN:\n    kw.pop(k)\n  if kw:\n    raise TypeError", False),
        ("take(kw)\n  if kw:\n    raise TypeError", False),
        ("if strict:\n    if kw:\n      raise TypeError", False),
        ("if other:\n    raise TypeError", False),
    ],
)
def test_kwargs_that_are_refused(body: str, refuses: bool) -> None:
    assert function(f"def f(other, **kw):\n  {body}\n").refuses_rest is refuses


@pytest.mark.parametrize(
    ("source", "stands"),
    [
        ("def f(*a, **k):\n  return g(*a, **k)", True),
        ("def f(*a, **k):\n  'Doc.'\n  from m import g\n  warn('use g')\n  return g(*a, **k)", True),
        ("def f(self, *a, **k):\n  return self.g(*a, **k)", True),
        ("def f(*a, **k):\n  k.pop('x')\n  return g(*a, **k)", False),
        ("def f(*a, **k):\n  return g(1, *a, **k)", False),
        ("def f(*a, **k):\n  return g(*a, x=1, **k)", False),
        ("def f(*a, **k):\n  return g(*k, **a)", True),
        ("def f(*a, **k):\n  return g(*a, **other)", False),
        ("def f(*a, **k):\n  return make(k)(*a, **k)", False),
        ("def f(*a, **k):\n  return [g(*a, **k)]", False),
        ("def f(*a):\n  return g(*a)", False),
    ],
)
def test_what_a_function_stands_for(source: str, stands: bool) -> None:
    assert (function(source).stands_for is not None) is stands


def test_forwards() -> None:
    found = class_(
        """
        class C(B):
            def __init__(self, *args, **kwargs):
                super().__init__(1, *args, a=2, **kwargs)
                self.make(**{**kwargs, "b": 1})
                partial(run, 1, **kwargs)
                run(kwargs)
                run(**other)
        """
    )
    init = found.members["__init__"][0]
    assert isinstance(init, FunctionApi)
    shown = [(f.positional, f.keywords, f.passes_args, f.passes_kwargs) for f in init.forwards]
    assert shown == [(1, ("a",), True, True), (0, (), False, True), (1, (), False, True)]
    assert init.forwards[1].function == Member(Instance(Name("pkg.mod", "C")), "make")
    assert init.forwards[2].function == Name("pkg.mod", "run")


def test_raises_carry_the_nearest_condition() -> None:
    found = function(
        """
        def f(x):
            if x:
                if x.y:
                    raise ValueError("a")
                else:
                    raise TypeError
            elif not x:
                assert x.z, "text"
            if x is None:
                pass
            else:
                raise E
            try:
                pass
            except KeyError:
                raise
        """
    )
    assert [(r.text, r.condition, r.line) for r in found.raises] == [
        ("ValueError('a')", "x.y", 5),
        ("TypeError", "not x.y", 7),
        ("assert x.z", "not x", 9),
        ("E", "x is not None", 13),
    ]


def test_raises_are_capped() -> None:
    assert len(function("def f():\n" + "  if x: raise E\n" * 200).raises) == 40


def test_returned_texts() -> None:
    found = function("def f(a):\n  if a: return [ a ]\n  return (a if a else\n    None)\n  return")
    assert found.returned == ("[a]", "a if a else None")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("return xs[0] if one else xs", ("one",)),
        ("if one: return xs[0]\n  return xs", ("one",)),
        ("if not one:\n    return xs\n  else:\n    return xs[-1]", ("one",)),
        ("single = one is not None\n  return xs[0] if single else xs", ("one",)),
        ("if two: pick = None\n  else: pick = one\n  return xs[0] if pick else xs", ("one", "two")),
        ("if one: return xs, two\n  return xs", ("one",)),
        ("return (xs, 1) if one else Result(xs)", ("one",)),
        ("return [xs] if one else xs", ("one",)),
        ("def g():\n    return xs[0] if one else xs\n  return wrap(g())", ("one",)),
        ("def g():\n    return xs[0] if one else xs\n  return xs", ()),
        ("def g(one):\n    return xs[0] if one else xs\n  return g(two)", ()),
        ("return xs[0] if self.one else xs", ()),
        ("out = []\n  some = (xs[0],) if one else xs\n  for x in some: out.append(x)\n  return out", ()),
        ("return xs if one else None", ()),
        ("return first(xs) if one else xs", ()),
        ("if one: return A(xs)\n  return B(xs)", ()),
        ("ok = check(one)\n  return xs[0] if ok else xs", ()),
        ("return xs", ()),
    ],
)
def test_parameters_that_decide_the_shape_of_a_reply(body: str, names: tuple[str, ...]) -> None:
    found = class_(f"class C:\n def f(self, xs, one=None, two=None):\n  {body}\n")
    (method,) = found.members["f"]
    assert isinstance(method, FunctionApi)
    assert method.reply_parameters == names


_EXECUTOR = """
class MultiprocExecutor(Executor):
    def collective_rpc(self, method, timeout=None, args=(), kwargs=None, non_block=False, unique_reply_rank=None):
"""
_OLD_BODY = """
        workers = (self.workers[unique_reply_rank],) if unique_reply_rank is not None else self.workers
        responses = []
        def get_response(w, dequeue_timeout=None):
            status, result = w.dequeue(timeout=dequeue_timeout)
            return result
        for w in workers:
            result = get_response(w, None if timeout is None else timeout - 1)
            responses.append(result)
        return responses
"""
_NEW_BODY = """
        if kwargs is not None:
            output_rank = None
            aggregate = partial(kwargs.aggregate, output_rank=unique_reply_rank or 0)
        else:
            output_rank = unique_reply_rank
            aggregate = lambda x: x
        response_mqs = self.response_mqs
        if output_rank is not None:
            response_mqs = (response_mqs[output_rank],)
        def get_response():
            responses = []
            for mq in response_mqs:
                responses.append(mq.dequeue())
            return responses[0] if output_rank is not None else responses
        if non_block:
            future = FutureWrapper(self.futures_queue, aggregate=aggregate)
            return future
        return aggregate(get_response())
"""


@pytest.mark.parametrize(("body", "names"), [(_OLD_BODY, ()), (_NEW_BODY, ("kwargs", "unique_reply_rank"))])
def test_replies_of_an_executor_before_and_after_its_change(body: str, names: tuple[str, ...]) -> None:
    (method,) = class_(_EXECUTOR + body, "MultiprocExecutor").members["collective_rpc"]
    assert isinstance(method, FunctionApi)
    assert method.reply_parameters == names


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("Does.\n\n    Returns:\n        A list of\n        things.\n\n    Raises:\n        X", "A list of things."),
        ("Does.\n\n    Returns: a list", "a list"),
        ("Does.\n\n    Returns\n    -------\n    x : int\n        A number.\n\n    Notes", "x : int A number."),
        ("Does.\n\n    :param x: no\n    :return: a pair\n    :rtype: tuple", "a pair"),
        (
            "Returns single result if asked,\n    otherwise list. More.",
            "Returns single result if asked, otherwise list",
        ),
        ("It does. Returns nothing much.", "Returns nothing much"),
        ("The returned value is odd.", None),
        ("Nothing to say.", None),
    ],
)
def test_documented_return(document: str, said: str | None) -> None:
    assert function(f'def f():\n    """{document}"""\n').documented_return == said


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("@deprecated('use g')\ndef f(): ...", "use g"),
        ("@typing_extensions.deprecated('use ' 'g', category=None)\ndef f(): ...", "use g"),
        ("@deprecated\ndef f(): ...", "deprecated"),
        ("def f():\n  'doc'\n  warnings.warn('gone soon', DeprecationWarning, stacklevel=2)", "gone soon"),
        ("def f():\n  warn(message='x', category=FutureWarning)\n  warn('y', category=FutureWarning)", "y"),
        ("def f(x):\n  if x: warnings.warn('x is old', DeprecationWarning)", None),
        ("def f():\n  warnings.warn('careful')", None),
        ("@deprecate_kwargs('x')\ndef f(): ...", None),
    ],
)
def test_deprecated(source: str, message: str | None) -> None:
    assert function(source).deprecated == message


@pytest.mark.parametrize(
    ("body", "is_stub"),
    [
        ("...", True),
        ("pass", True),
        ("'doc'", True),
        ("raise NotImplementedError('x')", True),
        ("raise ValueError", False),
        ("return", False),
    ],
)
def test_stub_bodies(body: str, is_stub: bool) -> None:
    assert function(f"def f():\n  {body}").is_stub_body is is_stub


def test_decorators_keep_text_and_function() -> None:
    found = function("@a.b(1, x='y')\n@c\ndef f(): ...")
    assert [(d.text, d.function) for d in found.decorators] == [
        ("a.b(1, x='y')", Member(Name("pkg.mod", "a"), "b")),
        ("c", Name("pkg.mod", "c")),
    ]


# Classes


def test_class_header() -> None:
    found = class_("@final\nclass C(a.B, Generic[T], metaclass=Meta, total=False): ...")
    assert found.base_texts == ("a.B", "Generic[T]")
    assert found.bases[0] == Member(Name("pkg.mod", "a"), "B")
    assert found.keywords == (("metaclass", "Meta"), ("total", "False"))
    assert found.metaclass == Name("pkg.mod", "Meta")
    assert found.decorators[0].text == "final"


def test_members_in_order_with_values() -> None:
    found = class_("class C:\n  a: int = 1\n  b: 'X'\n  c = a\n  class D: ...\n  def e(self) -> D: ...\n  x, y = 1, 2")
    assert list(found.members) == ["a", "b", "c", "D", "e", "x", "y"]
    (a,), (c,), (e,) = found.members["a"], found.members["c"], found.members["e"]
    assert isinstance(a, AttributeApi)
    assert (a.annotation, a.value) == ("int", "1")
    assert isinstance(c, AttributeApi)
    assert c.term == Member(Name("pkg.mod", "C"), "a")
    assert isinstance(e, FunctionApi)
    assert e.result == Instance(Member(Name("pkg.mod", "C"), "D"))


def test_setters_leave_the_getter_last() -> None:
    found = class_("class C:\n  @property\n  def x(self) -> int: ...\n  @x.setter\n  def x(self, v): ...\n")
    setter, getter = found.members["x"]
    assert isinstance(getter, FunctionApi)
    assert (getter.returns, getter.has("property")) == ("int", True)
    assert isinstance(setter, FunctionApi)
    assert setter.has("setter")


def test_instance_attributes_from_any_method() -> None:
    found = class_(
        """
        class C:
            __slots__ = ("s", "a")
            def __init__(self, a: A, b):
                self.a = a
                self.b: B = b
                self.c, self.d = pair()
                setattr(self, "e", 1)
                object.__setattr__(self, "f", 2)
                self.__dict__.update(g=3, **{})
                setattr(self, name, 1)
                other.x = 1
                for self.i in a: pass
                def inner():
                    self.n = 1
            def later(this):
                if this: this.a = None
                with open() as this.w: pass
            @classmethod
            def cm(cls): cls.k = 1
            @staticmethod
            def sm(self): self.no = 1
        """
    )
    assert list(found.instance) == ["a", "b", "c", "d", "e", "f", "g", "i", "n", "w", "k", "s"]
    assert [a.term for a in found.instance["a"]] == [Instance(Name("pkg.mod", "A")), Constant("NoneType", "None")]
    assert found.instance["b"][0].type == Name("pkg.mod", "B")
    assert found.instance["d"][0].term == Unpacked(Call(Name("pkg.mod", "pair")), 1, 2)
    assert all(a.in_init for a in found.instance["a"])


def test_class_deprecation() -> None:
    assert class_("@deprecated('use D')\nclass C: ...").deprecated == "use D"


# Modules


@pytest.mark.parametrize(
    ("statement", "is_package", "names"),
    [
        ("import a.b.c", False, {"a": "a"}),
        ("import a.b as c", False, {"c": "a.b"}),
        ("from a import b as c, d", False, {"c": "a.b", "d": "a.d"}),
        ("from . import x", False, {"x": "pkg.x"}),
        ("from . import x", True, {"x": "pkg.mod.x"}),
        ("from .y import x", True, {"x": "pkg.mod.y.x"}),
        ("from ..y import x", True, {"x": "pkg.y.x"}),
        ("from .....y import x", False, {"x": "y.x"}),
    ],
)
def test_imports(statement: str, is_package: bool, names: dict[str, str]) -> None:
    found = read(statement, is_package=is_package).names
    assert {name: d.path for name, (d,) in found.items() if isinstance(d, Reexport)} == names


def test_wildcards() -> None:
    assert read("from .a import *\nfrom b.c import *\nfrom .a import *").wildcards == ("pkg.a", "b.c")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("__all__ = ['a', 'b']", ("a", "b")),
        ("__all__ = ('a',) + ('b',)", ("a", "b")),
        ("__all__: list[str] = ['a']\n__all__ += ['b']", ("a", "b")),
        ("__all__ = ['a']\n__all__.extend(['b'])\n__all__.append('c')\n__all__.remove('a')", ("b", "c")),
        ("__all__ = [*['a'], 'b']", ("a", "b")),
        ("__all__ = []\nif x:\n  __all__ += ['a']", ("a",)),
        ("__all__ = mod.__all__ + ['a']", None),
        ("__all__ = [*mod.__all__]", None),
        ("__all__ = ['a']\n__all__ += mod.__all__", None),
        ("__all__ = [n for n in dir()]\n__all__ = ['b']", ("b",)),
        ("x = 1", None),
    ],
)
def test_exports(source: str, names: tuple[str, ...] | None) -> None:
    assert read(source).exports == names


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("x = 1\nx = 2", [2]),
        ("if a:\n  x = 1\nelse:\n  x = 2", [2, 4]),
        ("x = 1\nif a:\n  x = 2", [1, 3]),
        ("x = 1\nif a:\n  x = 2\nelse:\n  x = 3", [3, 5]),
        ("x = 1\nif a:\n  x = 2\nelif b:\n  x = 3", [1, 3, 5]),
        ("if a:\n  x = 1\nx = 2", [3]),
        ("if a:\n  if b:\n    x = 1\n  x = 2", [4]),
        ("try:\n  import x\nexcept ImportError:\n  x = None", [2, 4]),
        ("try:\n  import x\nexcept ImportError as e:\n  raise E from e", [2]),
        ("if False:\n  x = 1\nelse:\n  x = 2", [4]),
        ("import sys\nif sys.version_info >= (3, 8):\n  x = 1\nelse:\n  x = 2", [3]),
        ("import sys\nif sys.version_info[:2] < (3, 9):\n  x = 1\nelse:\n  x = 2", [5]),
        ("import sys\nif sys.version_info >= (3, 12):\n  x = 1\nelse:\n  x = 2", [3, 5]),
        ("import sys\nif sys.platform == 'win32':\n  x = 1\nelse:\n  x = 2", [3, 5]),
        ("if sys.version_info[0] == 2:\n  x = 1\nelse:\n  x = 2", [4]),
        ("if __name__ == '__main__':\n  x = 1\nx = 2", [3]),
        ("x = 1\ndel x\nif a: x = 3", [3]),
        ("for x in y: pass", [1]),
        ("with a() as x: pass", [1]),
        ("with suppress(ImportError):\n  import x\n", [2]),
        ("(x, [*y]) = z", [1]),
        ("globals()['x'] = 1", [1]),
        ("x: int", [1]),
        ("def f():\n  global x\n  x = 1", [1]),
        ("match a:\n  case 1:\n    x = 1\n  case _:\n    x = 2", [3, 5]),
    ],
)
def test_alternatives(source: str, lines: list[int]) -> None:
    assert [definition.line for definition in read(source).names["x"]] == lines


def test_optional_imports() -> None:
    found = read("try:\n  import x\n  import y\nexcept ImportError:\n  x = None\nimport z").names
    assert [(type(d).__name__, getattr(d, "optional", None)) for d in found["x"]] == [
        ("Reexport", True),
        ("AttributeApi", None),
    ]
    assert [d.optional for d in found["z"] if isinstance(d, Reexport)] == [False]


def test_type_checking_marks_alternatives() -> None:
    found = read(
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from a import B
            C: int
            class D: ...
        else:
            B = object
        from a import E
        """
    ).names
    assert [getattr(d, "runtime", None) for d in found["B"]] == [False, True]
    assert [getattr(d, "runtime", None) for name in "CDE" for d in found[name]] == [False, False, True]


def test_rebinding_keeps_the_term() -> None:
    (found,) = read("from a import B\nC = B\n").names["C"]
    assert isinstance(found, AttributeApi)
    assert (found.term, found.value) == (Name("pkg.mod", "B"), "B")


# Lazy names

VLLM_STYLE = """
    import typing
    TABLE = {"LLM": ".entrypoints.llm:LLM", "helper": ".utils:help_me"}
    if typing.TYPE_CHECKING:
        from .entrypoints.llm import LLM
    else:
        def __getattr__(name: str) -> typing.Any:
            from importlib import import_module
            if name in TABLE:
                module_name, attr_name = TABLE[name].split(":")
                module = import_module(module_name, __package__)
                return getattr(module, attr_name)
            else:
                raise AttributeError(f"module {__package__} has no attribute {name}")
    """
LAZY_MODULE = """
    import sys
    from ..utils import _LazyModule
    _import_structure = {"sub.one": ["A"], "two": ["B"]}
    try:
        if not is_torch_available():
            raise OptionalDependencyNotAvailable()
    except OptionalDependencyNotAvailable:
        _import_structure["utils.dummy_pt_objects"] = [n for n in dir(dummy_pt_objects)]
    else:
        _import_structure["two"].append("C")
        _import_structure["two"] += ["D"]
        _import_structure["three"] = ["E"]
        _import_structure["three"].extend(["F"])
    _import_structure = {k: set(v) for k, v in _import_structure.items()}
    sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure, module_spec=__spec__)
    """


@pytest.mark.parametrize(
    ("source", "lazy", "is_open"),
    [
        (VLLM_STYLE, {"LLM": "pkg.mod.entrypoints.llm.LLM", "helper": "pkg.mod.utils.help_me"}, False),
        (
            LAZY_MODULE,
            {
                "A": "pkg.mod.sub.one.A",
                "B": "pkg.mod.two.B",
                "C": "pkg.mod.two.C",
                "D": "pkg.mod.two.D",
                "E": "pkg.mod.three.E",
                "F": "pkg.mod.three.F",
            },
            False,
        ),
        (
            "def __getattr__(n):\n  if n == 'x':\n    from .y import z\n    return z\n  raise AttributeError(n)",
            {"x": "pkg.mod.y.z"},
            False,
        ),
        (
            "def __getattr__(n):\n  if n in ('a', 'b'):\n    import importlib\n"
            "    return importlib.import_module('.' + n, __name__)\n  raise AttributeError",
            {"a": "pkg.mod.a", "b": "pkg.mod.b"},
            False,
        ),
        (
            "_T = {'a': ('x', 'y')}\ndef __getattr__(n):\n  try:\n    m, k = _T[n]\n  except KeyError:\n"
            "    raise AttributeError(n) from None\n  return getattr(import_module(f'{__name__}.{m}'), k)",
            {"a": "pkg.mod.x.y"},
            False,
        ),
        (
            "_M = {'sub': ['A', 'B']}\n_T = {n: m for m, ns in _M.items() for n in ns}\n"
            "def __getattr__(n):\n  if (m := _T.get(n)) is None:\n    raise AttributeError(n)\n"
            "  return getattr(import_module('.' + m, __name__), n)",
            {"A": "pkg.mod.sub.A", "B": "pkg.mod.sub.B"},
            False,
        ),
        (
            "def __getattr__(n):\n  match n:\n    case 'a' | 'b': return value()\n    case _: raise AttributeError",
            {"a": "", "b": ""},
            False,
        ),
        (
            "def __getattr__(n):\n  if n == 'gone': raise AttributeError('moved')\n  raise AttributeError(n)",
            {},
            False,
        ),
        ("def __getattr__(n):\n  if n not in globals(): raise AttributeError(n)\n  return globals()[n]", {}, False),
        ("def __getattr__(n):\n  return compute(n)", {}, True),
        ("from x import __getattr__", {}, True),
        ("__getattr__ = make(__name__)", {}, True),
        ("import sys\nsys.modules[__name__] = Magic()", {}, True),
        (
            "import sys\nclass Magic(type(sys)):\n  def __init__(self, n, t): sys.modules[n] = self\n"
            "Magic(__name__, {'m': ['A'], '.': ['b']}, 'gone')",
            {"A": "pkg.mod.m.A", "b": "pkg.mod.b"},
            False,
        ),
        ("import sys\nMagic(__name__)\nsys.modules", {}, True),
        ("import sys\nfrom logs import get\nget(__name__)\nsys.modules", {}, False),
        ("import sys\nsys.modules[__name__].__class__ = Magic", {}, True),
        (
            "import lazy_loader as lazy\n__getattr__, __dir__, __all__ = lazy.attach(\n"
            "  __name__, submodules=['s'], submod_attrs={'m': ['A']})",
            {"s": "pkg.mod.s", "A": "pkg.mod.m.A"},
            False,
        ),
        ("import lazy_loader\n__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)", {}, True),
        (
            "import importlib\n"
            "def lazily(package, table=None, extra=()):\n"
            "  if table is None: table = {}\n"
            "  where = {name: module for module, names in table.items() for name in names}\n"
            "  def __getattr__(n):\n"
            "    if n in extra: return importlib.import_module(f'{package}.{n}')\n"
            "    if n in where: return getattr(importlib.import_module(f'{package}.{where[n]}'), n)\n"
            "    raise AttributeError(n)\n"
            "  return __getattr__, list(where)\n"
            "__getattr__, __all__ = lazily(__name__, table={'m': ['A', 'B']}, extra=['s'])",
            {"s": "pkg.mod.s", "A": "pkg.mod.m.A", "B": "pkg.mod.m.B"},
            False,
        ),
        (
            "def gone(names):\n"
            "  def __getattr__(n):\n"
            "    if n in names: raise AttributeError(names[n])\n"
            "    raise AttributeError(n)\n"
            "  return __getattr__\n"
            "__getattr__ = gone({'old': 'moved'})",
            {},
            False,
        ),
        ("def f(t):\n  def __getattr__(n): return t[n]\n  return __getattr__\n__getattr__ = f(*load())", {}, True),
        ("import a\nfor n in ['x', 'y']: globals()[n] = getattr(a, n)", {"x": "a.x", "y": "a.y"}, False),
        ("for n in names(): globals()[n] = 1", {}, True),
        ("globals().update({'x': 1})", {"x": ""}, False),
        ("globals().update(load())", {}, True),
        ("x = 1", {}, False),
    ],
)
def test_lazy_names(source: str, lazy: dict[str, str], is_open: bool) -> None:
    found = read(source, is_package=True)
    assert (found.lazy, found.lazy_open) == (lazy, is_open)


def test_names_shown_to_type_checkers_only_are_marked() -> None:
    found = read(VLLM_STYLE, is_package=True)
    assert [d.runtime for d in found.names["LLM"] if isinstance(d, Reexport)] == [False]


def test_a_getattr_that_asks_another_module_is_a_wildcard() -> None:
    found = read(
        "def __getattr__(n):\n  from pkg import _new\n  ret = getattr(_new, n, None)\n"
        "  if ret is None: raise AttributeError(n)\n  return ret"
    )
    assert (found.wildcards, found.lazy_open) == (("pkg._new",), False)


def test_structures_found_on_disk_are_what_type_checkers_see() -> None:
    found = read(
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .configuration_x import *
        else:
            import sys
            _file = globals()["__file__"]
            sys.modules[__name__] = _LazyModule(__name__, _file, define_import_structure(_file), module_spec=__spec__)
        """,
        is_package=True,
    )
    assert (found.wildcards, found.lazy_open) == (("pkg.mod.configuration_x",), False)


def test_prefixed_structures_name_a_subpackage() -> None:
    found = read(
        """
        import sys
        _import_structure = {"a": ["A"]}
        import_structure = define_import_structure(Path(__file__).parent / "models", prefix="models")
        import_structure[frozenset({})].update(_import_structure)
        sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], import_structure)
        """,
        is_package=True,
    )
    assert (found.lazy, found.wildcards) == ({"A": "pkg.mod.a.A"}, ("pkg.mod.models",))


# Hostile sources


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"def f(:", "syntax error"),
        (b"x = 1\x00", "null"),
        (b"# coding: nonsense\nx = 1", "unknown encoding"),
        (b"\xff\xfe", "encoding"),
        (b"# coding: zlib\nx = 1", "encoding"),
        (b"x = " + b"(" * 10_000 + b")" * 10_000, ""),
        (b"x = " + b"-" * 100_000 + b"1", ""),
        (b"x = '\\ud800'\n# coding: unicode_escape\ny = '\\ud800'", ""),
    ],
)
def test_unreadable_sources_are_problems(source: bytes, problem: str) -> None:
    found = read(source)
    assert found.problems or source.startswith(b"x = '")
    assert problem in " ".join(found.problems).lower()


@pytest.mark.parametrize(
    "source",
    [
        "if a: x = 1\n" * 20_000,
        "x.y()\n" * 50_000,
        "__all__ = ['a']\n" + "__all__ = __all__ + __all__\n" * 60,
        "__all__ = ['a']\n" + "__all__ += ['a']\n" * 20_000,
        "globals()\nx = ['a']\n" + "x = [*x, *x]\n" * 60 + "x += x\n" * 60 + "x.extend(x)\n" * 60,
        "def f():\n '''Returns" + "\n" * 200_000 + "'''",
        "def f(a):\n" + " if a: return [a] if a else {a} if a else (a, a)\n" * 2000,
        "def f(a):\n" + " a = g(a, a)\n" * 5000 + " return a",
        "T = {str(i): 1 for i in 'abc'}\ndef __getattr__(n):\n for a in T:\n  for b in T: n = T[n]\n",
        "x = " + "+".join(["1"] * 900),
        "x = a" + ".b" * 900,
        "x = a" + "()" * 900,
        "x = " + "[" * 150 + "]" * 150,
        "if a: x = 1\n" + "elif b: x = 2\n" * 900,
        "def f():\n if a: return 1\n" + " elif b: return 2\n" * 900,
        "x = 0x" + "f" * 20_000,
        "".join(f"class C{i}(C{i + 1}):\n{' ' * (i + 1)}x = 1\n{' ' * (i + 1)}" for i in range(40)) + "y = 1",
        "class C(C): ...",
        "x = x",
        "type X = list[X]",
        "\f\nx = 1\n\f",
        "x = 1\r\nif x:\r\n\ty = 2\r\n",
        "x = 1\ry = 2",
        "\ufeffx = 1",
        "été = 1\nclass ﬁ: ...",
        "def f(**kw): return kw['\\ud800'], {'\\ud800': 1}",
        "def f():\n  '''Returns \\ud800 what.'''",
        "@deprecated('\\ud800')\ndef f(): ...",
        "__all__ = ['\\ud800']\n_import_structure = {'\\ud800': ['\\ud800']}",
        "import sys\nsys.modules[__name__] = L({'\\ud800': ['\\ud800']})",
        "def __getattr__(n):\n  while True:\n    n = n + n",
        "T = {}\ndef __getattr__(n):\n" + "  if a(n): b\n" * 40 + "  return T[n]",
        "x: '" + "[" * 200 + "' = 1",
        "async def f():\n  async for x in y:\n    async with x as z: await z",
        "lambda: (yield)",
        "global x",
        "return",
        "del x, (y, [z])\nx.y = 1\nx[0] = 1\nx: int\nx.y: int = 1",
        "from .... import x\nfrom . import *",
    ],
)
def test_odd_sources_are_read(source: str) -> None:
    read(source)


_PIECES = st.sampled_from(
    [
        *("def f(self, *a, **k):\n", "class C(B):\n", "  return x\n", "  yield\n", " if a:\n", "else:\n", "try:\n"),
        *(
            "except ImportError:\n",
            " raise\n",
            "import a.b\n",
            "from . import *\n",
            "__all__ += ['x']\n",
            "x = [1, *y]\n",
        ),
        *(
            "def __getattr__(n):\n",
            " return T[n]\n",
            "T = {'a': 'b:c'}\n",
            "@overload\n",
            "@x.setter\n",
            "  self.x, y = z\n",
        ),
        *(
            "globals()['a'] = 1\n",
            "sys.modules[__name__] = x\n",
            "match x:\n",
            " case 1:\n",
            "with a as b:\n",
            "del x\n",
        ),
        *(
            "for x in y:\n",
            "if TYPE_CHECKING:\n",
            "async ",
            "lambda: ",
            ":=",
            ", **",
            "f'{x!r:{y}}'",
            "(",
            ")",
            "\\",
            "'''",
        ),
        *("\t", "  ", "\n", "\0", "\r", "\f", "é"),
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8", "surrogatepass"))))
@example(b"\xef\xbb\xbf# coding: latin-1\nx = 1")
def test_arbitrary_bytes_never_raise(source: bytes) -> None:
    read(source)


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_PIECES, max_size=25).map("".join), st.booleans())
def test_arbitrary_snippets_never_raise(source: str, is_package: bool) -> None:
    read(source.encode(), is_package=is_package)


def test_syntax_that_is_known_already_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"class C:\n    def f(self, a=1): return a\n"
    tree, parsed = ast.parse(source), read_module("pkg.mod", source, is_package=False)
    monkeypatch.setattr(ast, "parse", lambda *_: pytest.fail("parsed again"))
    assert read_module("pkg.mod", source, is_package=False, tree=tree) == parsed
