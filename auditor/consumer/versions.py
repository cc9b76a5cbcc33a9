"""Reads version tests: which package an expression has the version of, and what it is compared with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from auditor.model import Guard
from auditor.reading import Environment, read, text
from auditor.terms import Import, Name

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
_OF_PACKAGE = frozenset({"__version__", "__version_tuple__", "version_tuple"})
"""Attributes that say a package's version."""
_OF_VERSION = frozenset({"version", "release", "base_version"})
"""Attributes of a version object."""
_ASKING = frozenset(
    {"version", "get_version", "get_distribution", "get_package_version", "package_version", "distribution"}
)
"""Functions that take a distribution's name and give its version."""
_MAX_DEPTH = 6

Definitions = Callable[[str], "ast.AST | None"]
"""Finds the expression last assigned to a global name, or the function or import of that name."""


class VersionTests:
    """Recognises tests of a package's version.

    Args:
        definitions: Finds what global names are defined as.
    """

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions

    def read(self, test: ast.expr, env: Environment) -> Guard | None:
        """The guard that holds where `test` is true, if it is a version test."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                operator = _OPERATORS[type(op)]
                return self._guard(test, left, operator, right, env) or self._guard(
                    test, right, _FLIPPED[operator], left, env
                )
            case ast.Call():
                return self._call(test, env)
            case _:
                return None

    def _guard(
        self, test: ast.expr, source: ast.expr, operator: str, bound: ast.expr, env: Environment
    ) -> Guard | None:
        package = self._package(source, env)
        version = self._text(bound)
        if not package or not version:
            return None
        return Guard("version", text(test), package=package, operator=operator, version=version)

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

    def _package(self, node: ast.expr, env: Environment, depth: int = 0) -> str | None:
        """The package whose version this is: `x.__version__`, `version("x")`, `Version(...)` of such, names of such."""
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Attribute(value=value, attr=attr) if attr in _OF_PACKAGE | _OF_VERSION:
                named = self._module_name(value, env) if attr in _OF_PACKAGE else None
                return named or self._package(value, env, depth + 1)
            case ast.Call():
                return self._called_package(node, env, depth)
            case ast.Subscript(value=value):
                return self._package(value, env, depth + 1)
            case ast.GeneratorExp() | ast.ListComp():
                return self._package(node.generators[0].iter, env, depth + 1)
            case ast.Name(id=name):
                term = env.get(name)
                if isinstance(term, Import) and term.path.endswith(".__version__"):
                    return term.path.split(".", 1)[0]
                target = self.definitions(name)
                if isinstance(target, ast.expr):
                    return self._package(target, Environment(env.module), depth + 1)
            case _:
                pass
        return None

    def _module_name(self, node: ast.expr, env: Environment) -> str | None:
        """The top-level package that an expression names."""
        term = read(node, env)
        if isinstance(term, Import):
            return term.path.split(".", 1)[0]
        target = self.definitions(term.name) if isinstance(term, Name) else None
        return target.name.split(".", 1)[0] if isinstance(target, ast.alias) else None

    def _called_package(self, node: ast.Call, env: Environment, depth: int) -> str | None:
        name = _last_name(node.func)
        match node.args:
            case [ast.Constant(value=str() as distribution), *_] if name in _ASKING:
                return distribution
            case _:
                pass
        for argument in node.args:
            if (found := self._package(argument, env, depth + 1)) is not None:
                return found
        if isinstance(node.func, ast.Attribute):
            return self._package(node.func.value, env, depth + 1)
        body = self.definitions(name)
        for statement in ast.walk(body) if isinstance(body, ast.FunctionDef) else ():
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self._package(statement.value, Environment(env.module), depth + 1)
        return None

    def _text(self, node: ast.expr, depth: int = 0) -> str | None:
        """A version written out: a string, a number, a tuple of numbers, `Version(...)` of such, names of such."""
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Constant(value=str() as value):
                return value if looks_like_version(value) else None
            case ast.Constant(value=float() as number):
                return str(number)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if elements:
                parts = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, int)]
                return ".".join(map(str, parts)) if len(parts) == len(elements) else None
            case ast.Call(args=[argument]):
                return self._text(argument, depth + 1)
            case ast.Name(id=name):
                target = self.definitions(name)
                return self._text(target, depth + 1) if isinstance(target, ast.expr) else None
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
