"""Reads version tests: which package an expression has the version of, and what it is compared with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from auditor.reading import Environment, read, text
from auditor.terms import Guard, Term

_OPERATORS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_COMPARE_CALLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_WORDS = {
    "greater_or_equal": ">=",
    "greater_than": ">",
    "ge": ">=",
    "gte": ">=",
    "geq": ">=",
    "at_least": ">=",
    "less_than": "<",
    "lt": "<",
    "le": "<=",
    "lte": "<=",
    "below": "<",
    "gt": ">",
    "version_equals": "==",
    "eq": "==",
    "min_version": ">=",
}
"""What the name of a function that compares versions says about how."""
_OF_PACKAGE = frozenset({"__version__", "VERSION", "__version_tuple__", "version_tuple"})
"""Attributes that say a package's version."""
_NAMED = frozenset({"__version__", "VERSION"})
"""Names under which packages offer their version to importers."""
_OF_VERSION = frozenset({"version", "release", "base_version", "public"})
"""Attributes of a version object."""
_ASKING = frozenset(
    {"version", "get_version", "get_distribution", "get_package_version", "package_version", "distribution"}
)
"""Functions that take a distribution's name and give its version."""
_NUMBERS = {"major": "0", "minor": "1", "micro": "2"}
"""Attributes of a version object that are one of its numbers."""
_MAX_DEPTH = 6

Definitions = Callable[[str], "ast.AST | None"]
"""Finds the expression last assigned to a name, or the function or import of that name."""
Paths = Callable[[Term], "list[str]"]
"""The dotted paths that imports give to what a term names."""


class VersionTests:
    """Recognises tests of a package's version.

    Args:
        definitions: Finds what names are defined as.
        paths: The dotted paths that imports give to what a term names.
    """

    def __init__(self, definitions: Definitions, paths: Paths) -> None:
        self.definitions = definitions
        self.paths = paths

    def read(self, test: ast.expr, env: Environment) -> Guard | None:
        """The guard that holds where `test` is true, if it is a version test."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                operator = _OPERATORS[type(op)]
                return self._guard(test, left, operator, right, env) or self._guard(
                    test, right, _FLIPPED[operator], left, env
                )
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
                return self._one_of(test, left, right, env, negated=isinstance(op, ast.NotIn))
            case ast.Call(func=ast.Attribute(value=value, attr="startswith"), args=[given]):
                return self._started(test, value, given, env)
            case ast.Call(func=ast.Attribute(value=value, attr="contains"), args=[given, *_]):
                return self._one_of(test, given, value, env, negated=False)
            case ast.Call():
                return self._call(test, env)
            case _:
                return None

    def _guard(
        self, test: ast.expr, source: ast.expr, operator: str, bound: ast.expr, env: Environment
    ) -> Guard | None:
        package = self.package(source, env)
        if not package:
            return None
        part = self._part(source)
        version = self._text(bound, numbers=bool(part))
        if not version:
            return None
        return Guard("version", text(test), package=package, operator=operator, version=version, part=part)

    def _one_of(
        self, test: ast.expr, source: ast.expr, container: ast.expr, env: Environment, *, negated: bool
    ) -> Guard | None:
        """`v in ("1.0", "1.1")`, `v in SpecifierSet("<2")`, `SpecifierSet("<2").contains(v)`"""
        package = self.package(source, env)
        for _ in range(_MAX_DEPTH):
            if isinstance(container, ast.Name) and isinstance(target := self.definitions(container.id), ast.expr):
                container = target
        match container:
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                part = self._part(source) if package else ""
                versions = [self._text(e, numbers=bool(part)) for e in elements]
            case ast.Call(func=function, args=[ast.Constant(value=str() as said), *_]):
                part = ""
                versions = [said.replace(" ", "") if _last_name(function) == "SpecifierSet" else None]
            case _:
                return None
        known = [v for v in versions if v]
        if not package or not known or len(known) < len(versions):
            return None
        shown = " ".join(known)
        return Guard("version", text(test), package=package, operator="in", version=shown, part=part, negated=negated)

    def _started(self, test: ast.Call, source: ast.expr, given: ast.expr, env: Environment) -> Guard | None:
        """`v.startswith("1.")`, `v.startswith(("1.2", "1.3"))`"""
        elements = given.elts if isinstance(given, ast.Tuple) else [given]
        starts = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        package = self.package(source, env)
        if not package or not starts or len(starts) < len(elements) or not all(map(looks_like_version, starts)):
            return None
        return Guard("version", text(test), package=package, operator="startswith", version=" ".join(starts))

    def _part(self, node: ast.expr, depth: int = 0) -> str:
        """Which of a version's numbers an expression takes: `0` for the first, `:2` for the first two, "" for all."""
        match node:
            case _ if depth > _MAX_DEPTH:
                pass
            case ast.Attribute(attr=attr) if attr in _NUMBERS:
                return _NUMBERS[attr]
            case ast.Subscript(value=value, slice=ast.Constant(value=int() as index)) if self._is_split(value):
                return str(index) if index >= 0 else ""
            case ast.Subscript(
                value=value, slice=ast.Slice(lower=None, upper=ast.Constant(value=int() as count), step=None)
            ) if self._is_split(value):
                return f":{count}" if count > 0 else ""
            case ast.Call(func=ast.Name(id="int" | "tuple" | "list"), args=[inner]):
                return self._part(inner, depth + 1)
            case ast.Call(func=ast.Name(id="map"), args=[_, inner]):
                return self._part(inner, depth + 1)
            case ast.GeneratorExp(generators=[generator]) | ast.ListComp(generators=[generator]):
                return self._part(generator.iter, depth + 1)
            case ast.Name(id=name) if isinstance(target := self.definitions(name), ast.expr):
                return self._part(target, depth + 1)
            case _:
                pass
        return ""

    def _is_split(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression gives a version's numbers one by one, not a string."""
        match node:
            case ast.Name(id=name) if depth < _MAX_DEPTH and isinstance(target := self.definitions(name), ast.expr):
                return self._is_split(target, depth + 1)
            case ast.Call(func=function):
                return _last_name(function) in ("split", "tuple", "list")
            case ast.Attribute(attr=attr):
                return attr in ("release", "version_tuple", "__version_tuple__")
            case _:
                return isinstance(node, ast.ListComp)

    def _call(self, test: ast.Call, env: Environment) -> Guard | None:
        """`is_vllm_available(min_version="0.8")`, `is_version_ge("vllm", "0.8")`, `op.ge(v, w)` and the like."""
        name = _last_name(test.func)
        if name in _COMPARE_CALLS and len(test.args) == 2:
            guard = self._guard(test, test.args[0], _COMPARE_CALLS[name], test.args[1], env)
            if guard is not None:
                return guard
        constants = list(_strings(test))
        versions = [c for c in constants if looks_like_version(c)]
        if len(versions) != 1:
            return None
        words = name.split("_")
        packages = [c for c in constants if c not in versions and c.replace("-", "_").isidentifier()]
        operator = next((o for w, o in _WORDS.items() if w in words or ("_" in w and w in name)), None)
        if packages and operator:
            return Guard("version", text(test), package=packages[0], operator=operator, version=versions[0])
        if words[0] == "is" and words[-1] == "available" and len(words) > 2:
            package = "_".join(words[1:-1])
            return Guard("version", text(test), package=package, operator=operator or ">=", version=versions[0])
        return None

    def package(self, node: ast.expr, env: Environment, depth: int = 0) -> str | None:
        """The package whose version this is: `x.__version__`, `version("x")`, `Version(...)` of such, names of such."""
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Attribute(value=value, attr=attr) if attr in _OF_PACKAGE | _OF_VERSION | _NUMBERS.keys():
                named = self._module_name(value, env) if attr in _OF_PACKAGE else None
                return named or self.package(value, env, depth + 1)
            case ast.Call():
                return self._called_package(node, env, depth)
            case ast.Subscript(value=value):
                return self.package(value, env, depth + 1)
            case ast.GeneratorExp() | ast.ListComp():
                return self.package(node.generators[0].iter, env, depth + 1)
            case ast.Name(id=name):
                for path in self.paths(read(node, env)):
                    if path.rsplit(".", 1)[-1] in _NAMED and "." in path:
                        return path.rpartition(".")[0]
                target = self.definitions(name)
                if isinstance(target, ast.expr) and target is not node:
                    return self.package(target, env, depth + 1)
            case _:
                pass
        return None

    def _module_name(self, node: ast.expr, env: Environment) -> str | None:
        """The package or module that an expression names."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        return next(iter(self.paths(read(node, env))), None)

    def _called_package(self, node: ast.Call, env: Environment, depth: int) -> str | None:
        name = _last_name(node.func)
        match node.args:
            case [ast.Constant(value=str() as distribution), *_] if self._asks(node.func, env):
                return distribution
            case _:
                pass
        if name == "startswith":
            return None
        for argument in node.args:
            if (found := self.package(argument, env, depth + 1)) is not None:
                return found
        if isinstance(node.func, ast.Attribute):
            return self.package(node.func.value, env, depth + 1)
        body = self.definitions(name)
        for statement in ast.walk(body) if isinstance(body, ast.FunctionDef) else ():
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self.package(statement.value, Environment(env.module), depth + 1)
        return None

    def _asks(self, function: ast.expr, env: Environment) -> bool:
        """Whether a function takes a distribution's name and gives its version, whatever it is called here."""
        names = [_last_name(function), *(path.rsplit(".", 1)[-1] for path in self.paths(read(function, env)))]
        return any(name in _ASKING for name in names)

    def _text(self, node: ast.expr, depth: int = 0, *, numbers: bool = False) -> str | None:
        """A version written out: a string, a number, a tuple of numbers, `Version(...)` of such, names of such."""
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Constant(value=str() as value):
                return value if looks_like_version(value) else None
            case ast.Constant(value=bool()):
                return None
            case ast.Constant(value=int() as number) if numbers:
                return str(number)
            case ast.Constant(value=float() as number):
                return str(number)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if elements:
                parts = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, int)]
                return ".".join(map(str, parts)) if len(parts) == len(elements) else None
            case ast.Call(args=[argument]):
                return self._text(argument, depth + 1, numbers=numbers)
            case ast.Name(id=name):
                target = self.definitions(name)
                return self._text(target, depth + 1, numbers=numbers) if isinstance(target, ast.expr) else None
            case _:
                return None


def _strings(test: ast.Call) -> Iterator[str]:
    """The strings that a call passes: by position, or to a keyword about versions."""
    for argument in test.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value
    for keyword in test.keywords:
        value = keyword.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and "version" in (keyword.arg or ""):
            yield value.value


def _last_name(node: ast.expr) -> str:
    return text(node).rsplit(".", 1)[-1]


def looks_like_version(value: str) -> bool:
    """Whether a string is something like `0.8.3`, not a name."""
    return bool(value) and value[0].isdigit() and len(value) < 40 and all(c.isalnum() or c in ".+!-_*" for c in value)
