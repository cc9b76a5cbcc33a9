"""Small worlds for tests: provider modules and consumer files from source texts, and values said in a line."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from textwrap import dedent

from auditor.api import ModuleApi, Served
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.walker import walk
from auditor.provider.serving import Servers
from auditor.provider.signatures import read_module
from auditor.reading import Environment, read
from auditor.sides import Side
from auditor.terms import Term
from auditor.world.values import (
    Alias,
    ClassValue,
    Container,
    External,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Keys,
    Literal,
    Missing,
    ModuleValue,
    Options,
    PartialValue,
    SuperValue,
    UnknownValue,
    Value,
)
from auditor.world.world import World


class Modules:
    """A tree of modules made from sources by path: `lib/__init__.py`, `lib/a.py`, `lib/a.pyi`."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.apis: dict[str, ModuleApi] = {}
        self.stubs: dict[str, ModuleApi] = {}
        self.sources: dict[str, str] = {}
        for path, source in sources.items():
            name = path.rpartition(".")[0].replace("/", ".")
            is_package = name.endswith(".__init__")
            name = name.removesuffix(".__init__")
            is_stub = path.endswith(".pyi")
            api = read_module(name, dedent(source).encode(), is_package=is_package, is_stub=is_stub)
            assert not api.problems
            (self.stubs if is_stub else self.apis)[name] = api
            if not is_stub:
                self.sources[name] = dedent(source)
        self.servers = Servers(self.sources.get, lambda name: self.apis[name].is_package)

    @property
    def packages(self) -> list[str]:
        return sorted({name.split(".")[0] for name in (*self.apis, *self.stubs)})

    def module(self, name: str) -> ModuleApi | None:
        return self.apis.get(name) or self.stubs.get(name)

    def stub(self, name: str) -> ModuleApi | None:
        return self.stubs.get(name) if name in self.apis else None

    def served(self, module: str, name: str) -> Served | None:
        return self.servers.ask(module, name)

    def may_have(self, module: str, name: str, others: Sequence[str]) -> bool:
        return True

    def has_module(self, name: str) -> bool:
        return name in self.apis or name in self.stubs


def world(provider: str | Mapping[str, str], consumer: str = "") -> World:
    """A consumer `app.py` beside a provider: one `lib/__init__.py`, or several files."""
    sources = {"lib/__init__.py": provider} if isinstance(provider, str) else provider
    return World([Modules({"app.py": f"import lib\n{dedent(consumer)}"}), Modules(sources)])


def side(provider: str | Mapping[str, str], consumer: str = "", *, versions: Mapping[str, str] | None = None) -> Side:
    """The same as a side of a comparison."""
    return Side(world(provider, consumer), versions or {}, {"lib": "lib"})


def term(expression: str) -> Term:
    """The term for an expression that stands in `app.py`."""
    return read(ast.parse(expression, mode="eval").body, Environment("app"))


def analysed(consumer: str) -> FileAnalysis:
    """What the walk finds in `app.py`."""
    text = dedent(consumer)
    return walk("app", "app.py", text, ast.parse(text), is_package=False, interesting=frozenset({"app", "lib"}))


def said(value: Value) -> str:
    """A value in a line."""
    match value:
        case ModuleValue(name):
            return f"module {name}"
        case ClassValue(ref):
            return f"class {ref.path}"
        case InstanceValue(ref):
            return f"{ref.path}()"
        case FunctionValue(path=path, bound=bound):
            return f"{'method' if bound else 'def'} {path}"
        case External(path):
            return f"outside {path}"
        case ExternalInstance(path):
            return f"outside {path}()"
        case Literal(text=text):
            return text
        case Missing():
            return f"missing {value.path}" if value.certain else f"perhaps missing {value.path}"
        case UnknownValue(path=path):
            return f"? {path}".strip()
        case _:
            return _said_of_parts(value)


def _said_of_parts(value: Alias | Container | PartialValue | SuperValue | Keys | Options) -> str:
    match value:
        case Alias(path, arguments):
            return f"{path}[{', '.join(map(said, arguments))}]"
        case Container(kind, items):
            return f"{kind}<{', '.join(map(said, items))}>"
        case PartialValue(function, positional, keywords):
            return f"partial({', '.join((said(function), str(positional), *keywords))})"
        case SuperValue(ref):
            return f"super of {ref.path}"
        case Keys(items, is_open):
            return f"{{{', '.join([*(f'{k}: {said(v)}' for k, v in items), *(['...'] if is_open else [])])}}}"
        case Options(values):
            return " | ".join(map(said, values))
