"""The static constructor of a class is the one that Python, pydantic, attrs and msgspec really give it."""

from __future__ import annotations

import ast
import inspect
import itertools
import pkgutil
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import pydantic
import pytest
from pydantic import v1
from pydantic_settings import BaseSettings

from auditor.api import AttributeApi, ClassApi, Decorator, Definition, FunctionApi, Parameter, ParameterKind
from auditor.binding import CallShape, bind, render
from auditor.provider.constructors import Constructor, constructor, named_tuple_call
from auditor.provider.constructors.facts import SETTINGS_PARAMETERS, SIGNATURES
from auditor.provider.constructors.syntax import signature
from auditor.reading import Environment, read
from auditor.terms import Call, Constant, Member, Name, Term, Unknown

MODULE = "provider"


class External:
    """A base class that the snapshot does not hold."""

    def __init__(self, path: str) -> None:
        self.path = path


class Snapshot:
    """One or more modules read with `ast`, just enough to look at their classes."""

    def __init__(self, **sources: str) -> None:
        self.names: dict[str, dict[str, Any]] = {}
        for module, source in sources.items():
            self.names[module] = {}
            for node in ast.walk(ast.parse(source)):
                self._define(module, node)

    def _define(self, module: str, node: ast.AST) -> None:
        names = self.names[module]
        match node:
            case ast.Import(aliases):
                for alias in aliases:
                    names[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            case ast.ImportFrom(module=origin, names=aliases):
                names.update({a.asname or a.name: f"{origin}.{a.name}" for a in aliases})
            case ast.ClassDef(name=name):
                names.setdefault(name, View(self, module, class_api(node, module)))
            case ast.FunctionDef(name=name):
                names.setdefault(name, function_api(node, module))
            case ast.Assign(targets=[ast.Name(name)]):
                names.setdefault(name, node.value)

    def view(self, name: str, module: str = MODULE) -> View:
        return self.names[module][name]

    def find(self, path: str) -> Any:
        module, _, name = path.rpartition(".")
        found = self.names.get(module, {}).get(name)
        return self.find(found) if isinstance(found, str) and found != path else found

    def canonical(self, term: Term) -> str | None:
        match term:
            case Name(module, name):
                found = self.names[module].get(name)
                if found is None:
                    return f"builtins.{name}"
                path = found if isinstance(found, str) else f"{module}.{name}"
            case Member(of, name):
                outer = self.canonical(of)
                if outer is None:
                    return None
                path = f"{outer}.{name}"
            case _:
                return None
        target = self.find(path)
        return target.path if isinstance(target, View) else path


class View:
    """A class of a snapshot."""

    def __init__(self, snapshot: Snapshot, module: str, api: ClassApi) -> None:
        self.snapshot, self.module, self.api = snapshot, module, api
        self.path = f"{module}.{api.name}"

    def mro(self) -> list[Any]:
        orders = []
        for base in self.api.bases:
            path = self.canonical(base.of if type(base).__name__ == "Subscript" else base) or ""  # type: ignore[union-attr]
            target = self.snapshot.find(path)
            orders.append(target.mro() if isinstance(target, View) else [External(path)])
        heads = [order[0] for order in orders]
        result: list[Any] = [self]
        orders.append(heads)
        while orders := [order for order in orders if order]:
            head = next(o[0] for o in orders if not any(o[0].path in [e.path for e in p[1:]] for p in orders))
            result.append(head)
            orders = [[e for e in order if e.path != head.path] for order in orders]
        return result

    def canonical(self, term: Term) -> str | None:
        return self.snapshot.canonical(term)

    def function(self, path: str) -> FunctionApi | None:
        found = self.snapshot.find(path)
        return found if isinstance(found, FunctionApi) else None

    def class_(self, path: str) -> View | None:
        found = self.snapshot.find(path)
        return found if isinstance(found, View) else None

    def constant(self, term: Term) -> str | None:
        found = self.snapshot.find(self.canonical(term) or "")
        return ast.unparse(found) if isinstance(found, ast.expr) else None


def class_api(node: ast.ClassDef, module: str) -> ClassApi:
    env = Environment(module)
    members: dict[str, tuple[Definition, ...]] = {}
    for name, definition in definitions(node.body, module):
        members[name] = (*members.get(name, ()), definition)
    keywords = tuple((k.arg or "", ast.unparse(k.value)) for k in node.keywords)
    metaclass = next((read(k.value, env) for k in node.keywords if k.arg == "metaclass"), None)
    return ClassApi(
        node.name,
        node.lineno,
        tuple(read(b, env) for b in node.bases),
        tuple(ast.unparse(b) for b in node.bases),
        keywords,
        metaclass,
        decorators(node, module),
        members,
    )


def definitions(body: list[ast.stmt], module: str) -> Iterator[tuple[str, Definition]]:
    env = Environment(module)
    for node in body:
        match node:
            case ast.AnnAssign(target=ast.Name(name)):
                value = None if node.value is None else ast.unparse(node.value)
                term = None if node.value is None else read(node.value, env)
                yield name, AttributeApi(name, node.lineno, ast.unparse(node.annotation), None, value, term)
            case ast.Assign(targets=[ast.Name(name)]):
                yield name, AttributeApi(name, node.lineno, None, None, ast.unparse(node.value), read(node.value, env))
            case ast.FunctionDef(name=name):
                yield name, function_api(node, module)
            case ast.ClassDef(name=name):
                yield name, class_api(node, module)


def decorators(node: ast.ClassDef | ast.FunctionDef, module: str) -> tuple[Decorator, ...]:
    env = Environment(module)
    functions = [(d, d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
    return tuple(Decorator(ast.unparse(whole), read(function, env)) for whole, function in functions)


def function_api(node: ast.FunctionDef, module: str) -> FunctionApi:
    a = node.args
    slots: list[tuple[ast.arg, ParameterKind]] = [(x, "positional-only") for x in a.posonlyargs]
    slots += [(x, "positional-or-keyword") for x in a.args]
    defaults = [None] * (len(slots) - len(a.defaults)) + [ast.unparse(d) for d in a.defaults]
    found = [Parameter(x.arg, kind, d) for (x, kind), d in zip(slots, defaults, strict=True)]
    found += [Parameter(a.vararg.arg, "var-positional")] if a.vararg else []
    for x, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        found.append(Parameter(x.arg, "keyword-only", None if default is None else ast.unparse(default)))
    found += [Parameter(a.kwarg.arg, "var-keyword")] if a.kwarg else []
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
    result = read(returned[-1], Environment(module)) if returned else None
    return FunctionApi(node.name, node.lineno, tuple(found), decorators=decorators(node, module), result=result)


def made(source: str, name: str = "X") -> Constructor:
    found = constructor(Snapshot(provider=source).view(name))
    assert found is not None
    return found


def shown(source: str, name: str = "X") -> str:
    """The static signature as short text: kinds and defaults."""
    bare = [Parameter(p.name, p.kind, p.default) for p in made(HEADER + source, name).parameters]
    return render("", bare, width=10_000)


DATACLASSES = """
# plain
@dataclass
class X:
    a: int
    b: str = 'x'
    c: list = field(default_factory=list)
# called
@dataclasses.dataclass(frozen=True)
class X:
    a: int = 3
# kw_only
@dataclass(kw_only=True)
class X:
    a: int
    b: int = field(kw_only=False)
    c: int = 1
# sentinel
@dataclass
class X:
    a: int
    _: KW_ONLY
    b: int
    c: int = field(default=2, kw_only=False)
# excluded
@dataclass
class X:
    a: int
    b: ClassVar[int] = 2
    c: int = field(init=False)
    d = 4
    def m(self): ...
# initvar
@dataclass
class X:
    a: InitVar[int]
    b: 'InitVar[int]' = 2
    c: dataclasses.InitVar = None
# inherited
@dataclass
class A:
    a: int
    b: int = 1
@dataclass
class X(A):
    c: int = 2
    a: str = 'z'
# kw reorder
@dataclass(kw_only=True)
class A:
    a: int
@dataclass
class X(A):
    b: int
    a: int
# undecorated base
class A:
    a: int
@dataclass
class X(A):
    b: int
# undecorated child
@dataclass
class A:
    a: int
class X(A):
    b: int
# diamond
@dataclass
class A:
    a: int = 1
@dataclass
class B(A):
    b: int = 1
@dataclass
class C(A):
    c: int = 1
    a: int = 9
@dataclass
class X(B, C):
    d: int = 3
# init written
@dataclass
class X:
    a: int
    def __init__(self, q, *, r=1): ...
# init inherited
class A:
    def __init__(self, q): ...
@dataclass(init=False)
class X(A):
    a: int
# default kept
@dataclass
class A:
    a: int = 5
@dataclass
class X(A):
    a: int
# factory not kept
@dataclass
class A:
    a: list = field(default_factory=list)
    b: int = 1
@dataclass
class X(A):
    c: int = 2
# class constant
LIMIT = 7
@dataclass
class X:
    TOP: ClassVar[int] = 2048
    a: int = TOP
    b: int = field(default=TOP)
    c: int = LIMIT
# other class
@dataclass
class A:
    a: int = field(default=4)
    b: int = 1
@dataclass
class X:
    a: int = A.a
    b: int = A.b
# generic
T = TypeVar('T')
@dataclass
class X(Generic[T]):
    a: T
# class var again
@dataclass
class A:
    a: int
    b: int
@dataclass
class X(A):
    a: ClassVar[int] = 3
# redeclared kw
@dataclass
class A:
    a: int
    b: int
@dataclass
class X(A):
    a: int = field(kw_only=True)
# exception
@dataclass
class X(Exception):
    a: int
# lambda
@dataclass
class X:
    a: list = field(default_factory=lambda: ['x'])
# wrapper
def config(cls):
    return dataclass(cls)
@config
class X:
    a: int
"""

PYDANTIC_DATACLASSES = """
# plain
@pdc
class X:
    a: int
    b: int = Field(default=4, ge=0)
    c: list = Field(default_factory=list)
    d: int = Field(5, gt=1)
# excluded
@pdc
class X:
    a: int
    b: int = Field(init=False, default=3)
    c: int = field(init=False, default=1)
# kw_only
@pdc
class X:
    a: int = 1
    b: int = Field(3, kw_only=True)
    c: int = field(default=2, kw_only=True)
# alias
@pdc
class X:
    a: int = Field(alias='aa')
    b: Annotated[int, Field(alias='bb')] = 3
# initvar
@pdc
class X:
    a: InitVar[int]
    b: InitVar[int] = 3
# inherited
@pdc
class A:
    a: int
    b: int = 2
@pdc(kw_only=True)
class X(A):
    a: int
    c: int
# on stdlib
@dataclass
class A:
    a: int
@pdc
class X(A):
    b: int = Field(1)
# init written
@pdc
class X:
    a: int
    def __init__(self, q): ...
# constant
LIMIT = 7
@pdc
class X:
    TOP: ClassVar[int] = 2048
    a: int = Field(default=TOP, ge=1)
    b: int = Field(default=LIMIT)
# transformed
@dataclass_transform(field_specifiers=(PydanticField,))
def config(cls=None, *, config=None, **kwargs):
    def decorator(cls):
        return pdc(cls, config=config, **kwargs)
    return decorator if cls is None else decorator(cls)
@config
class A:
    z: InitVar[int]
    y: int = PydanticField(default=3, ge=1)
@config(config=ConfigDict(extra='forbid'), kw_only=True)
class X(A):
    a: int
    b: int = PydanticField(init=False)
"""

MODELS = """
# plain
class X(BaseModel):
    a: int
    b: int = 2
    c: list = Field(default_factory=list)
    d: int = Field(5, gt=1)
    e: int = Field(...)
    f: Optional[int]
    g: Optional[int] = None
# excluded
class X(BaseModel):
    model_config = ConfigDict(extra='forbid')
    a: int
    _b: int = 2
    c: ClassVar[int] = 3
    _d: int = PrivateAttr(3)
    def m(self): ...
    @property
    def p(self): ...
# ellipsis
class X(BaseModel):
    a: int = ...
    b: Annotated[int, Field(gt=1)]
    c: Annotated[list, Field(default_factory=list)]
    d: Annotated[int, Field(gt=1)] = 4
    e: Annotated[int, Field(default=3)]
# alias
class X(BaseModel):
    a: int = Field(alias='aa')
    b: int = Field(3, alias='bb')
# extra allow
class X(BaseModel):
    model_config = {'extra': 'allow'}
    a: int
# extra inherited
class A(BaseModel):
    model_config = ConfigDict(extra='allow')
    a: int
class X(A):
    b: int = 2
# extra keyword
class X(BaseModel, extra='allow'):
    a: int
# config class
class X(BaseModel):
    a: int
    class Config:
        extra = 'allow'
# mixin
class M:
    m: int
class X(M, BaseModel):
    a: int
# redeclared
class A(BaseModel):
    a: int = 1
    b: int
class X(A):
    a: int
    b: int = 3
# generator
class X(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    ab_cd: int
    ef: int = Field(alias='zz')
# generic
T = TypeVar('T')
class X(BaseModel, Generic[T]):
    a: T
# init written
class X(BaseModel):
    a: int
    def __init__(self, a): super().__init__(a=a)
# init with kwargs
class X(BaseModel):
    a: int
    b: int = 1
    def __init__(self, q, /, **data): super().__init__(a=q)
# init inherited
class A(BaseModel):
    def __init__(self, **data): super().__init__(**data)
class X(A):
    a: int
# v1
class X(v1.BaseModel):
    a: int
    b: Optional[int]
    c = 3
    d: int = v1.Field(..., alias='dd')
    e: Any
    _p: int = 3
    f: Optional[int] = v1.Field(...)
    g: Optional[int] = ...
# v1 override
class A(v1.BaseModel):
    a: int = 1
class X(A):
    a = 4
# root
class X(RootModel[int]):
    root: int = 3
"""

ATTRS = """
# define
@attrs.define
class X:
    a: int
    b: int = 3
    c: list = attrs.field(factory=list)
    d: int = attrs.field(default=4)
    e: ClassVar[int] = 3
    f: int = attrs.field(init=False)
# private
@attrs.define
class X:
    _a: int
    b_: int = attrs.field(alias='bee')
    _c: int = attrs.field(default=1, alias='_c')
# unannotated
@attrs.define
class X:
    a: int
    b = attrs.field()
# old
@attr.s
class X:
    a = attr.ib()
    b = attr.ib(3)
    c: int = 3
    d = attr.ib(default=attr.Factory(list))
    e = attr.ib(factory=dict, kw_only=True)
# old auto
@attr.s(auto_attribs=True)
class X:
    a: int
    b: int = 2
    c: list = attr.Factory(list)
# dataclass
@attr.dataclass
class X:
    a: int
    b: int = 2
# kw_only
@attrs.frozen(kw_only=True)
class X:
    a: int = 1
    b: int
# kw_only inherited
@attrs.define
class A:
    a: int
@attrs.define(kw_only=True)
class X(A):
    b: int
# old kw_only inherited
@attr.s
class A:
    a = attr.ib()
@attr.s(kw_only=True)
class X(A):
    b = attr.ib()
# inherited
@attrs.define
class A:
    a: int
    b: int = 1
@attrs.define
class X(A):
    a: int = 5
    c: int = 2
# diamond
@attrs.define
class A:
    a: int = 1
@attrs.define
class B(A):
    b: int = 1
@attrs.define
class C(A):
    a: int = 9
@attrs.define
class X(B, C):
    d: int = 3
# init written
@attrs.define
class X:
    a: int
    def __init__(self, q): ...
# init overwritten
@attr.s
class X:
    a = attr.ib()
    def __init__(self, q): ...
# init detected
@attr.s(auto_detect=True)
class X:
    a = attr.ib()
    def __init__(self, q): ...
# default method
@attrs.define
class X:
    a: int = attrs.field()
    @a.default
    def _(self): return 3
"""

STRUCTS = """
# plain
class X(msgspec.Struct, frozen=True):
    a: int
    b: int = 2
    c: list = msgspec.field(default_factory=list)
    d: ClassVar[int] = 3
    e: int = msgspec.field(default=4, name='eee')
    _f: set = []
# kw_only per class
class A(msgspec.Struct):
    a: int
    b: int
class B(A, kw_only=True):
    a: str
    d: int
class X(B):
    e: int
# redefined
class A(msgspec.Struct):
    a: int
    b: int
    c: int = 0
class X(A):
    b: int
    d: int = 1
# mixin
class M:
    m: int
    def f(self): ...
class X(M, msgspec.Struct, omit_defaults=True, dict=True):
    a: int
"""

RECORDS = """
# named tuple
class X(NamedTuple):
    a: int
    b: int = 3
# named tuple child
class A(NamedTuple):
    a: int
    b: int = 3
class X(A):
    c: int
# named tuple with new
class A(NamedTuple):
    a: int
class X(A):
    def __new__(cls, q): ...
# namedtuple base
class X(collections.namedtuple('X', 'a b')):
    pass
# namedtuple defaults
class X(namedtuple('X', ['a', 'b'], defaults=[3])):
    pass
# NamedTuple base
class X(NamedTuple('Base', [('a', int), ('b', str)])):
    pass
"""

PLAIN = """
# init
class X:
    def __init__(self, a, /, b=1, *c, d, **e): ...
# new
class X:
    def __new__(cls, a, b=1): return object.__new__(cls)
# inherited
class A:
    def __init__(self, a): ...
class X(A, Generic[T]): ...
# nothing
class X:
    a: int = 3
# protocol
class P(Protocol):
    a: int
class X(P):
    def __init__(self, a): ...
# abc
class A(ABC):
    @abstractmethod
    def f(self): ...
class X(A):
    def f(self): ...
# metaclass call
class M(type):
    def __call__(cls, q, *, r=2): return object.__new__(cls)
class X(metaclass=M):
    def __init__(self, a): ...
# assigned
def make(self, a, b=1): ...
class X:
    __init__ = make
# args only
class X:
    def __init__(*args, a): ...
# exception with init
class X(ValueError):
    def __init__(self, a, b=1): ...
"""

HEADER = """
import attr, attrs, collections, dataclasses, enum, msgspec
import pydantic.v1 as v1
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Optional, Protocol, TypeVar
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, PrivateAttr, RootModel
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as pdc
from pydantic.fields import Field as PydanticField
from pydantic_settings import BaseSettings, SettingsConfigDict
from typing_extensions import dataclass_transform
T = TypeVar("T")
"""

FAMILIES = {
    "dataclass": DATACLASSES,
    "pydantic dataclass": PYDANTIC_DATACLASSES,
    "model": MODELS,
    "attrs": ATTRS,
    "msgspec": STRUCTS,
    "record": RECORDS,
    "plain": PLAIN,
}


def cases() -> Iterator[Any]:
    """The cases above: each opens with its name as a comment and defines the class `X`."""
    for family, text in FAMILIES.items():
        for block in text.split("\n# ")[1:]:
            name, _, source = block.partition("\n")
            yield pytest.param(source, id=f"{family}: {name}")


def real(source: str, name: str = "X") -> Any:
    """The class itself, defined for real."""
    module = types.ModuleType(MODULE)
    sys.modules[MODULE] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(HEADER + source, MODULE, "exec", dont_inherit=True), module.__dict__)
    finally:
        del sys.modules[MODULE]
    return module.__dict__[name]


KINDS: dict[Any, ParameterKind] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional-only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional-or-keyword",
    inspect.Parameter.VAR_POSITIONAL: "var-positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword-only",
    inspect.Parameter.VAR_KEYWORD: "var-keyword",
}


# Here `inspect.signature` shows the written `__init__`, but pydantic's own is the one that runs.
MISTOLD = ("pydantic dataclass: init written",)


@pytest.mark.parametrize("source", [c for c in cases() if c.id not in MISTOLD])
def test_matches_the_real_signature(source: str) -> None:
    cls = real(source)
    found = made(HEADER + source)
    expected = list(inspect.signature(cls).parameters.values())
    ours = [p for p in found.parameters if p.name not in ("ignored", "data")]
    if found.kind == "pydantic" and all(p.kind != p.POSITIONAL_OR_KEYWORD for p in expected):
        expected.sort(key=lambda p: p.name)  # pydantic shows keyword-only parameters in any order
        ours.sort(key=lambda p: p.name)
    assert [(p.name, p.kind, p.default is not None) for p in ours] == [
        (p.name, KINDS[p.kind], p.default is not p.empty) for p in expected
    ]
    for p, parameter in zip(ours, expected, strict=True):
        if p.default is not None and repr(parameter.default) not in ("<factory>", "NOTHING", "PydanticUndefined"):
            assert eval(p.default, dict(vars(cls))) == parameter.default


REFUSALS = {
    "missing",
    "extra_forbidden",
    "missing_argument",
    "multiple_argument_values",
    "unexpected_keyword_argument",
    "unexpected_positional_argument",
    "value_error.extra",
    "value_error.missing",
}
"""What pydantic calls a signature that does not fit; its other complaints are about the values."""


def accepts(cls: Any, positional: int, names: tuple[str, ...]) -> bool:
    """Whether a real call gets past the signature."""
    try:
        cls(*[1] * positional, **dict.fromkeys(names, 1))
    except TypeError:
        return False
    except (pydantic.ValidationError, v1.ValidationError) as error:
        return REFUSALS.isdisjoint(problem["type"] for problem in error.errors())
    except ValueError:
        return True
    return True


def shapes(found: Constructor) -> Iterator[CallShape]:
    """Calls by position and by name, complete, with one name missing, one too many and one twice."""
    slots = [p for p in found.parameters if p.kind not in ("var-positional", "var-keyword")]
    names = [p.name for p in slots if p.kind != "positional-only"]
    required = [p.name for p in slots if p.kind != "positional-only" and p.default is None]
    for positional in range(len(slots) + 2):
        rest = [p.name for p in slots[positional:]]
        for chosen in (names, required, rest, [n for n in rest if n in required], [], [*rest, "unheard_of"]):
            yield CallShape(positional, tuple(chosen))
            for index in range(len(chosen)):
                yield CallShape(positional, (*chosen[:index], *chosen[index + 1 :]))


# pydantic drops a value at the position of an `init=False` field; its signature, like ours, has no such position.
# The `__init__` with `**data` refuses in its body.
SPECIAL = ("pydantic dataclass: excluded", "pydantic dataclass: transformed", "model: init with kwargs")


@pytest.mark.parametrize("source", [c for c in cases() if c.id not in SPECIAL])
def test_accepts_what_the_real_class_accepts(source: str) -> None:
    cls = real(source)
    found = made(HEADER + source)
    for shape in shapes(found):
        assert bind(shape, found.parameters).fits == accepts(cls, shape.positional, shape.keywords), shape


ALIASED = """
# by name
class X(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    a: int = Field(3, alias='aa')
# choices
class X(BaseModel):
    a: int = Field(3, validation_alias=AliasChoices('b', AliasPath('c', 0)))
# validation alias first
class X(BaseModel, extra='forbid'):
    a: int = Field(alias='aa', validation_alias='va')
# not an identifier
class X(BaseModel):
    a: int = Field(alias='not-a-name')
# ignored
class X(BaseModel):
    a: int
# dataclass by name
@pdc(config=ConfigDict(populate_by_name=True, extra='forbid'))
class X:
    a: int = Field(3, alias='aa')
    b: int = 4
# dataclass validation alias
@pdc
class X:
    a: int
    b: int = Field(validation_alias='ee', alias='eee')
# dataclass required
@pdc
class X:
    a: int = ...
# dataclass extra
@pdc(config={'extra': 'allow'})
class X:
    a: int
# dataclass forbids
@pdc(config=dict(extra='forbid'))
class X:
    a: int
# dataclass class config
@pdc
class X:
    __pydantic_config__ = ConfigDict(extra='forbid')
    a: int
# settings
class X(BaseSettings):
    a: int = 3
# settings ignoring
class X(BaseSettings):
    model_config = SettingsConfigDict(extra='ignore')
    a: int = 3
# old config
class X(v1.BaseModel):
    a: int = v1.Field(3, alias='aa')
    class Config:
        allow_population_by_field_name = True
        extra = v1.Extra.forbid
# enum
class X(enum.Enum):
    A = 1
# exception
class X(ValueError):
    pass
# import error
class X(ImportError):
    pass
# metaclass passes on
class M(type):
    def __call__(cls, *args, **kwargs): return super().__call__(*args, **kwargs)
class X(metaclass=M):
    def __init__(self, a): ...
# new takes all
class A:
    def __init__(self, a): ...
class X(A):
    def __new__(cls, *args, **kwargs): return super().__new__(cls)
# init takes all
class X:
    def __new__(cls, a): return super().__new__(cls)
    def __init__(self, *args, **kwargs): ...
"""


@pytest.mark.parametrize(
    "source", [pytest.param(b.partition("\n")[2], id=b.partition("\n")[0]) for b in ALIASED.split("\n# ")[1:]]
)
def test_accepts_where_no_signature_shows_it(source: str) -> None:
    cls = real(source)
    found = made(HEADER + source)
    names = sorted(
        {"a", "aa", "b", "c", "va", "ee", "eee", "not-a-name", "value", "name", "path", "_case_sensitive", "zz"}
    )
    for positional in range(3):
        for size in range(3):
            for chosen in itertools.combinations(names, size):
                if found.kind == "enum" and positional + size > 1:
                    continue  # from 3.12 on several values make a tuple, before they made a new class
                shape = CallShape(positional, chosen)
                if bind(shape, found.parameters).fits != accepts(cls, positional, chosen):
                    assert more_lenient_on_purpose(found, chosen), shape


def more_lenient_on_purpose(found: Constructor, names: tuple[str, ...]) -> bool:
    """A field known by two names may get both here, or its second one after a positional value."""
    return found.kind == "pydantic" and {p.name for p in found.parameters} >= {"a", "aa"} and "a" in names


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class X(BaseModel):\n    a: int", "(*, a, **ignored)"),
        ("class X(BaseModel):\n    a: int = Field(default=4, ge=0)", "(*, a=4, **ignored)"),
        ("@pdc\nclass X:\n    a: list = Field(default_factory=list)\n    b: int = 0x10", "(a=list(), b=16, **ignored)"),
        ("class X(BaseModel):\n    a: list = []\n    b: dict = {}", "(*, a=list(), b=dict(), **ignored)"),
        ("@dataclass\nclass X:\n    a: list = field(default_factory=lambda: [1])", "(a=[1])"),
        ("@dataclass\nclass X:\n    a: object = enum.Flag.x\n    b: object = E.A\nclass E(enum.Enum):\n    A = 1",
         "(a=enum.Flag.x, b=E.A)"),
        ("@attrs.define\nclass X:\n    a: int = attrs.field()\n    @a.default\n    def made(self): ...",
         "(a=self.made())"),
        ("class X(BaseModel):\n    model_config = ConfigDict(alias_generator=make)\n    a_b: int",
         "(*, a_b=..., **ignored)"),
        ("class Base(TypedDict):\n    a: int\nclass X(Base, total=False):\n    b: int\n    c: Required[int]",
         "(*, a, b=..., c)"),
        ("class X(TypedDict):\n    a: int\n    b: NotRequired[int]", "(*, a, b=...)"),
        ("class X(torch.nn.Module):\n    a: int", "()"),
        ("import typing\nclass X(typing.Dict[str, int]):\n    a: int", "(*args, **kwargs)"),
        ("import typing\nclass X(typing.Mapping[str, int]):\n    a: int", "()"),
        ("class X(enum.Enum):\n    A = 1", "(value)"),
        ("@dataclass\nclass X(elsewhere.Base):\n    a: int\n    b: int = 1", "(*inherited, a, b=1, **inherited)"),
        ("class X(BaseModel, elsewhere.Mixin):\n    a: int", "(*, a, **extra_data)"),
    ],
)  # fmt: skip
def test_is_told_as(source: str, expected: str) -> None:
    assert (
        shown("import torch, elsewhere\nfrom typing_extensions import NotRequired, Required, TypedDict\n" + source)
        == expected
    )


@pytest.mark.parametrize(
    "source",
    [
        "class X(elsewhere.Base):\n    a: int",
        "class X(elsewhere.Base, Exception):\n    pass",
        "class X:\n    __init__ = elsewhere.make",
    ],
)
def test_says_nothing_where_an_outside_base_decides(source: str) -> None:
    assert constructor(Snapshot(provider="import elsewhere\n" + source).view("X")) is None


def test_names_who_brings_it() -> None:
    source = "class A:\n    def __init__(self, a): ...\nclass X(A):\n    pass"
    found = made(source)
    assert (found.owner.path, found.kind, found.complete) == ("provider.A", "init", True)
    assert found.function is not None
    assert found.function.name == "__init__"
    assert [p.name for p in found.parameters] == ["a"]
    assert not made(HEADER + "import elsewhere\n@dataclass\nclass X(elsewhere.Base):\n    a: int").complete


def test_follows_a_decorator_and_its_field_function_into_other_modules() -> None:
    utils = """
import typing
@typing.dataclass_transform(kw_only_default=True, field_specifiers=(column,))
def model(cls): ...
def column(default=None, *, init=True, factory=None, alias=None): ...
@typing.dataclass_transform()
class Meta(type): ...
@typing.dataclass_transform()
class Base:
    def __init_subclass__(cls, *, kw_only=False): ...
"""
    source = """
import utils
from utils import model, column
@model
class A:
    a: int
    b: int = column(3)
    c: int = column(init=False)
    d: int = column(factory=list, alias='dd')
@model(kw_only=False)
class B(A):
    e: int
class C(metaclass=utils.Meta):
    a: int
    b: int = 2
class D(utils.Base, kw_only=True):
    a: int
"""
    snapshot = Snapshot(utils=utils, provider=source)
    told = {}
    for name in "ABCD":
        found = constructor(snapshot.view(name))
        assert found is not None
        told[name] = render("", [Parameter(p.name, p.kind, p.default) for p in found.parameters])
    assert told == {
        "A": "(*, a, b=3, dd=list())",
        "B": "(e, *, a, b=3, dd=list())",
        "C": "(a, b=2)",
        "D": "(*, a)",
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("namedtuple('X', 'a, b')", ["a", "b"]),
        ("collections.namedtuple('X', ['a', 'b'], defaults=(1,))", ["a", "b=1"]),
        ("namedtuple(typename='X', field_names=('a', 'b'), defaults=MANY)", ["a=...", "b=..."]),
        ("NamedTuple('X', [('a', int), ('b', 'str')])", ["a: int", "b: 'str'"]),
        ("namedtuple('X', NAMES)", None),
        ("other('X', 'a b')", None),
        ("3", None),
    ],
)
def test_named_tuples_made_by_a_call(source: str, expected: list[str] | None) -> None:
    found = named_tuple_call(source, MODULE, Snapshot(provider=HEADER).canonical)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert render("", found) == f"({', '.join(expected)})"


def test_knows_the_options_of_settings() -> None:
    options = [name for name in inspect.signature(BaseSettings.__init__).parameters if not name.startswith("__")]
    assert {f"_{name}" for name in SETTINGS_PARAMETERS} >= set(options) - {"values"}


def test_reads_what_is_left_of_a_value_too_long_to_be_kept() -> None:
    field = Name(MODULE, "Field")
    described = (("default", Constant("int", "3")), ("description", Constant("str", "...")))
    made_by = (("default_factory", Unknown()), ("alias", Constant("str", "'bb'")))
    api = ClassApi(
        "X",
        1,
        (Name(MODULE, "BaseModel"),),
        members={
            "a": (AttributeApi("a", 1, "int", None, "Field(description='It is ...", Call(field, (), described)),),
            "b": (AttributeApi("b", 2, "int", None, "Field(alias='bb', ...", Call(field, (), made_by)),),
            "c": (AttributeApi("c", 3, "str", None, "'It is ...", Constant("str", "...")),),
        },
    )
    found = constructor(View(Snapshot(provider="from pydantic import BaseModel, Field"), MODULE, api))
    assert found is not None
    bare = [Parameter(p.name, p.kind, p.default) for p in found.parameters]
    assert render("", bare) == "(*, a=3, bb=unreadable(), c=..., **ignored)"


@pytest.mark.parametrize("path", [p for p in SIGNATURES if not p.startswith(("torch", "transformers"))])
def test_knows_common_outside_constructors(path: str) -> None:
    cls = pkgutil.resolve_name(path if "." in path else f"builtins.{path}")
    try:
        expected = {p.name: KINDS[p.kind] for p in inspect.signature(cls).parameters.values()}
    except ValueError:
        return  # written in C: Python itself has no signature to show
    for parameter in signature(SIGNATURES[path]):
        assert expected.get(parameter.name, parameter.kind) == parameter.kind or "args" in expected


def test_hostile_texts_end_in_an_answer() -> None:
    deep = "(" * 5000
    api = ClassApi(
        "X",
        1,
        members={
            "a": (AttributeApi("a", 1, deep, None, deep),),
            "b": (AttributeApi("b", 1, "int", None, "|".join(["x"] * 20_000)),),
            "c": (AttributeApi("c", 1, "|".join(["x"] * 20_000), None, "\0"),),
        },
        decorators=(Decorator("dataclass(" + deep, Name(MODULE, "dataclass")),),
    )
    found = constructor(View(Snapshot(provider="from dataclasses import dataclass"), MODULE, api))
    assert found is None or len(found.parameters) == 3
