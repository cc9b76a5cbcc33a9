"""The static constructor of a class is the one that Python, pydantic, attrs and msgspec really give it."""

from __future__ import annotations

import ast
import inspect
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.api import AttributeApi, ClassApi, Decorator, Definition, FunctionApi, Parameter, ParameterKind
from auditor.binding import CallShape, bind, render
from auditor.provider.constructors import Constructor, constructor, named_tuple_call
from auditor.provider.constructors.facts import SETTINGS_PARAMETERS
from auditor.reading import Environment, read
from auditor.terms import Member, Name, Term

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


def shown(found: Constructor, *, ignored: bool = False) -> str:
    """The static signature as short text: kinds, and defaults."""
    bare = [Parameter(p.name, p.kind, p.default) for p in found.parameters if ignored or p.name != "ignored"]
    return render("", bare, width=10_000)


DATACLASSES = {
    "plain": "@dataclass\nclass X:\n    a: int\n    b: str = 'x'\n    c: list = field(default_factory=list)",
    "called": "@dataclasses.dataclass(frozen=True)\nclass X:\n    a: int = 3",
    "kw_only": "@dataclass(kw_only=True)\nclass X:\n    a: int\n    b: int = field(kw_only=False)\n    c: int = 1",
    "sentinel": "@dataclass\nclass X:\n    a: int\n    _: KW_ONLY\n    b: int\n    c: int = field(default=2, kw_only=False)",
    "excluded": "@dataclass\nclass X:\n    a: int\n    b: ClassVar[int] = 2\n    c: int = field(init=False)\n    d = 4\n"
    "    def m(self): ...",
    "initvar": "@dataclass\nclass X:\n    a: InitVar[int]\n    b: 'InitVar[int]' = 2\n    c: dataclasses.InitVar = None",
    "inherited": "@dataclass\nclass A:\n    a: int\n    b: int = 1\n@dataclass\nclass X(A):\n    c: int = 2\n    a: str = 'z'",
    "kw reorder": "@dataclass(kw_only=True)\nclass A:\n    a: int\n@dataclass\nclass X(A):\n    b: int\n    a: int",
    "undecorated base": "class A:\n    a: int\n@dataclass\nclass X(A):\n    b: int",
    "undecorated child": "@dataclass\nclass A:\n    a: int\nclass X(A):\n    b: int",
    "diamond": "@dataclass\nclass A:\n    a: int = 1\n@dataclass\nclass B(A):\n    b: int = 1\n@dataclass\nclass C(A):\n"
    "    c: int = 1\n    a: int = 9\n@dataclass\nclass X(B, C):\n    d: int = 3",
    "init written": "@dataclass\nclass X:\n    a: int\n    def __init__(self, q, *, r=1): ...",
    "init inherited": "class A:\n    def __init__(self, q): ...\n@dataclass(init=False)\nclass X(A):\n    a: int",
    "default kept": "@dataclass\nclass A:\n    a: int = 5\n@dataclass\nclass X(A):\n    a: int",
    "factory not kept": "@dataclass\nclass A:\n    a: list = field(default_factory=list)\n    b: int = 1\n@dataclass\n"
    "class X(A):\n    c: int = 2",
    "class constant": "LIMIT = 7\n@dataclass\nclass X:\n    TOP: ClassVar[int] = 2048\n    a: int = TOP\n"
    "    b: int = field(default=TOP)\n    c: int = LIMIT",
    "other class": "@dataclass\nclass A:\n    a: int = field(default=4)\n    b: int = 1\n@dataclass\nclass X:\n    a: int = A.a\n"
    "    b: int = A.b",
    "generic": "T = TypeVar('T')\n@dataclass\nclass X(Generic[T]):\n    a: T",
    "class var again": "@dataclass\nclass A:\n    a: int\n    b: int\n@dataclass\nclass X(A):\n    a: ClassVar[int] = 3",
    "redeclared kw": "@dataclass\nclass A:\n    a: int\n    b: int\n@dataclass\nclass X(A):\n    a: int = field(kw_only=True)",
    "exception": "@dataclass\nclass X(Exception):\n    a: int",
    "lambda": "@dataclass\nclass X:\n    a: list = field(default_factory=lambda: ['x'])",
    "wrapper": "def config(cls):\n    return dataclass(cls)\n@config\nclass X:\n    a: int",
}

PYDANTIC_DATACLASSES = {
    "plain": "@pdc\nclass X:\n    a: int\n    b: int = Field(default=4, ge=0)\n    c: list = Field(default_factory=list)\n"
    "    d: int = Field(5, gt=1)",
    "excluded": "@pdc\nclass X:\n    a: int\n    b: int = Field(init=False, default=3)\n    c: int = field(init=False, default=1)",
    "kw_only": "@pdc\nclass X:\n    a: int = 1\n    b: int = Field(3, kw_only=True)\n    c: int = field(default=2, kw_only=True)",
    "alias": "@pdc\nclass X:\n    a: int = Field(alias='aa')\n    b: Annotated[int, Field(alias='bb')] = 3",
    "initvar": "@pdc\nclass X:\n    a: InitVar[int]\n    b: InitVar[int] = 3",
    "inherited": "@pdc\nclass A:\n    a: int\n    b: int = 2\n@pdc(kw_only=True)\nclass X(A):\n    a: int\n    c: int",
    "on stdlib": "@dataclass\nclass A:\n    a: int\n@pdc\nclass X(A):\n    b: int = Field(1)",
    "init written": "@pdc\nclass X:\n    a: int\n    def __init__(self, q): self.a = q",
    "constant": "LIMIT = 7\n@pdc\nclass X:\n    TOP: ClassVar[int] = 2048\n    a: int = Field(default=TOP, ge=1)\n"
    "    b: int = Field(default=LIMIT)\n    c: int = Field(...)".replace("\n    c: int = Field(...)", ""),
    "transformed": "@dataclass_transform(field_specifiers=(PydanticField,))\ndef config(cls=None, *, config=None, **kwargs):\n"
    "    def decorator(cls):\n        return pdc(cls, config=config, **kwargs)\n"
    "    return decorator if cls is None else decorator(cls)\n"
    "@config\nclass A:\n    z: InitVar[int]\n    y: int = PydanticField(default=3, ge=1)\n"
    "@config(config=ConfigDict(extra='forbid'), kw_only=True)\nclass X(A):\n    a: int\n    b: int = PydanticField(init=False)",
}

MODELS = {
    "plain": "class X(BaseModel):\n    a: int\n    b: int = 2\n    c: list = Field(default_factory=list)\n    d: int = Field(5, gt=1)\n"
    "    e: int = Field(...)\n    f: Optional[int]\n    g: Optional[int] = None",
    "excluded": "class X(BaseModel):\n    model_config = ConfigDict(extra='forbid')\n    a: int\n    _b: int = 2\n"
    "    c: ClassVar[int] = 3\n    _d: int = PrivateAttr(3)\n    def m(self): ...\n    @property\n    def p(self): ...",
    "ellipsis": "class X(BaseModel):\n    a: int = ...\n    b: Annotated[int, Field(gt=1)]\n"
    "    c: Annotated[list, Field(default_factory=list)]\n    d: Annotated[int, Field(gt=1)] = 4\n"
    "    e: Annotated[int, Field(default=3)]",
    "alias": "class X(BaseModel):\n    a: int = Field(alias='aa')\n    b: int = Field(3, alias='bb')",
    "extra allow": "class X(BaseModel):\n    model_config = {'extra': 'allow'}\n    a: int",
    "extra inherited": "class A(BaseModel):\n    model_config = ConfigDict(extra='allow')\n    a: int\nclass X(A):\n    b: int = 2",
    "extra keyword": "class X(BaseModel, extra='allow'):\n    a: int",
    "config class": "class X(BaseModel):\n    a: int\n    class Config:\n        extra = 'allow'",
    "mixin": "class M:\n    m: int\nclass X(M, BaseModel):\n    a: int",
    "redeclared": "class A(BaseModel):\n    a: int = 1\n    b: int\nclass X(A):\n    a: int\n    b: int = 3",
    "generator": "class X(BaseModel):\n    model_config = ConfigDict(alias_generator=to_camel)\n    ab_cd: int\n    ef: int = Field(alias='zz')",
    "generic": "T = TypeVar('T')\nclass X(BaseModel, Generic[T]):\n    a: T",
    "init written": "class X(BaseModel):\n    a: int\n    def __init__(self, a): super().__init__(a=a)",
    "init with kwargs": "class X(BaseModel):\n    a: int\n    b: int = 1\n    def __init__(self, q, /, **data): super().__init__(a=q)",
    "init inherited": "class A(BaseModel):\n    def __init__(self, **data): super().__init__(**data)\nclass X(A):\n    a: int",
    "v1": "class X(v1.BaseModel):\n    a: int\n    b: Optional[int]\n    c = 3\n    d: int = v1.Field(..., alias='dd')\n    e: Any\n"
    "    _p: int = 3\n    f: Optional[int] = v1.Field(...)\n    g: Optional[int] = ...",
    "v1 override": "class A(v1.BaseModel):\n    a: int = 1\nclass X(A):\n    a = 4",
    "root": "class X(RootModel[int]):\n    root: int = 3",
}

ATTRS = {
    "define": "@attrs.define\nclass X:\n    a: int\n    b: int = 3\n    c: list = attrs.field(factory=list)\n"
    "    d: int = attrs.field(default=4)\n    e: ClassVar[int] = 3\n    f: int = attrs.field(init=False)",
    "private": "@attrs.define\nclass X:\n    _a: int\n    b_: int = attrs.field(alias='bee')\n    _c: int = attrs.field(default=1, alias='_c')",
    "unannotated": "@attrs.define\nclass X:\n    a: int\n    b = attrs.field()",
    "old": "@attr.s\nclass X:\n    a = attr.ib()\n    b = attr.ib(3)\n    c: int = 3\n    d = attr.ib(default=attr.Factory(list))\n"
    "    e = attr.ib(factory=dict, kw_only=True)",
    "old auto": "@attr.s(auto_attribs=True)\nclass X:\n    a: int\n    b: int = 2\n    c: list = attr.Factory(list)",
    "dataclass": "@attr.dataclass\nclass X:\n    a: int\n    b: int = 2",
    "kw_only": "@attrs.frozen(kw_only=True)\nclass X:\n    a: int = 1\n    b: int",
    "kw_only inherited": "@attrs.define\nclass A:\n    a: int\n@attrs.define(kw_only=True)\nclass X(A):\n    b: int",
    "old kw_only inherited": "@attr.s\nclass A:\n    a = attr.ib()\n@attr.s(kw_only=True)\nclass X(A):\n    b = attr.ib()",
    "inherited": "@attrs.define\nclass A:\n    a: int\n    b: int = 1\n@attrs.define\nclass X(A):\n    a: int = 5\n    c: int = 2",
    "diamond": "@attrs.define\nclass A:\n    a: int = 1\n@attrs.define\nclass B(A):\n    b: int = 1\n@attrs.define\nclass C(A):\n"
    "    a: int = 9\n@attrs.define\nclass X(B, C):\n    d: int = 3",
    "init written": "@attrs.define\nclass X:\n    a: int\n    def __init__(self, q): ...",
    "init overwritten": "@attr.s\nclass X:\n    a = attr.ib()\n    def __init__(self, q): ...",
    "init detected": "@attr.s(auto_detect=True)\nclass X:\n    a = attr.ib()\n    def __init__(self, q): ...",
    "default method": "@attrs.define\nclass X:\n    a: int = attrs.field()\n    @a.default\n    def _(self): return 3",
}

STRUCTS = {
    "plain": "class X(msgspec.Struct, frozen=True):\n    a: int\n    b: int = 2\n    c: list = msgspec.field(default_factory=list)\n"
    "    d: ClassVar[int] = 3\n    e: int = msgspec.field(default=4, name='eee')\n    _f: set = []",
    "kw_only per class": "class A(msgspec.Struct):\n    a: int\n    b: int\nclass B(A, kw_only=True):\n    a: str\n    d: int\n"
    "class X(B):\n    e: int",
    "redefined": "class A(msgspec.Struct):\n    a: int\n    b: int\n    c: int = 0\nclass X(A):\n    b: int\n    d: int = 1",
    "mixin": "class M:\n    m: int\n    def f(self): ...\nclass X(M, msgspec.Struct, omit_defaults=True, dict=True):\n    a: int",
}

RECORDS = {
    "named tuple": "class X(NamedTuple):\n    a: int\n    b: int = 3",
    "named tuple child": "class A(NamedTuple):\n    a: int\n    b: int = 3\nclass X(A):\n    c: int",
    "named tuple with new": "class A(NamedTuple):\n    a: int\nclass X(A):\n    def __new__(cls, q): ...",
    "namedtuple base": "class X(collections.namedtuple('X', 'a b')):\n    pass",
    "namedtuple defaults": "class X(namedtuple('X', ['a', 'b'], defaults=[3])):\n    pass",
    "NamedTuple base": "class X(NamedTuple('Base', [('a', int), ('b', str)])):\n    pass",
}

PLAIN = {
    "init": "class X:\n    def __init__(self, a, /, b=1, *c, d, **e): ...",
    "new": "class X:\n    def __new__(cls, a, b=1): return object.__new__(cls)",
    "inherited": "class A:\n    def __init__(self, a): ...\nclass X(A, Generic[TypeVar('T')]): ...".replace(
        "TypeVar('T')", "T"
    ),
    "nothing": "class X:\n    a: int = 3",
    "protocol": "class P(Protocol):\n    a: int\nclass X(P):\n    def __init__(self, a): ...",
    "abc": "class A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass X(A):\n    def f(self): ...",
    "metaclass call": "class M(type):\n    def __call__(cls, q, *, r=2): return object.__new__(cls)\nclass X(metaclass=M):\n"
    "    def __init__(self, a): ...",
    "assigned": "def make(self, a, b=1): ...\nclass X:\n    __init__ = make",
    "args only": "class X:\n    def __init__(*args, a): ...",
    "exception with init": "class X(ValueError):\n    def __init__(self, a, b=1): ...",
}

HEADER = """
import attr, attrs, collections, dataclasses, enum, msgspec
import pydantic.v1 as v1
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Optional, Protocol, TypeVar
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, RootModel
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as pdc
from pydantic.fields import Field as PydanticField
from typing_extensions import dataclass_transform
T = TypeVar("T")
"""

TABLE = [
    pytest.param(source, id=f"{family}: {name}")
    for family, table in {
        "dataclass": DATACLASSES,
        "pydantic dataclass": PYDANTIC_DATACLASSES,
        "model": MODELS,
        "attrs": ATTRS,
        "msgspec": STRUCTS,
        "record": RECORDS,
        "plain": PLAIN,
    }.items()
    for name, source in table.items()
]


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


@pytest.mark.parametrize("source", TABLE)
def test_matches_the_real_signature(source: str) -> None:
    cls = real(source)
    found = made(HEADER + source)
    expected = list(inspect.signature(cls).parameters.values())
    ours = [p for p in found.parameters if p.name != "ignored"]
    if found.kind == "pydantic" and all(p.kind != p.POSITIONAL_OR_KEYWORD for p in expected):
        expected.sort(key=lambda p: p.name)  # pydantic shows keyword-only parameters in any order
        ours.sort(key=lambda p: p.name)
    assert [(p.name, p.kind, p.default is not None) for p in ours] == [
        (p.name, KINDS[p.kind], p.default is not p.empty) for p in expected
    ]
    for p, parameter in zip(ours, expected, strict=True):
        if p.default is not None and not p.default.endswith(")") and parameter.default is not None:
            factory = type(parameter.default).__name__ in ("_HAS_DEFAULT_FACTORY_CLASS", "_Nothing") or str(
                parameter.default
            ) in ("NOTHING", "<factory>")
            assert factory or ast.literal_eval(p.default) == parameter.default
