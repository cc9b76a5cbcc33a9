"""Reads the conditions under which consumer code runs: version tests, `hasattr`, optional imports, signature tests."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from auditor.model import Guard
from auditor.reading import Environment, read, text
from auditor.terms import Import, Member, Name, Term

_OPERATORS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_COMPARE_CALLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException", ""})
ATTRIBUTE_ERRORS = frozenset({"AttributeError", "Exception", "BaseException", ""})
CALL_ERRORS = frozenset({"TypeError", "Exception", "BaseException", ""})


class GuardReader:
    """Turns tests into guards.

    Args:
        definitions: Finds the expression last assigned to a global name, or the function of that name.
    """

    def __init__(self, definitions: Callable[[str], ast.AST | None]) -> None:
        self.definitions = definitions

    def read(self, test: ast.expr, env: Environment, *, negated: bool = False) -> tuple[Guard, ...]:
        """The guards that hold where `test` is true (or false, if `negated`)."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.read(test.operand, env, negated=not negated)
        if isinstance(test, ast.BoolOp):
            # `a and b` true: both hold; `a or b` false: neither holds; the other two say nothing of either alone
            if isinstance(test.op, ast.And) != negated:
                return tuple(g for value in test.values for g in self.read(value, env, negated=negated))
            return ()
        for reader in (self._type_checking, self._version, self._hasattr, self._parameter, self._named):
            if (guard := reader(test, env, negated)) is not None:
                return (guard,)
        return ()

    def _type_checking(self, test: ast.expr, _: Environment, negated: bool) -> Guard | None:
        if isinstance(test, ast.Name | ast.Attribute) and text(test).rsplit(".", 1)[-1] == "TYPE_CHECKING":
            return Guard("type-checking", "TYPE_CHECKING", negated=negated)
        return None

    def _version(self, test: ast.expr, env: Environment, negated: bool) -> Guard | None:
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPERATORS:
            left, right = test.left, test.comparators[0]
            operator = _OPERATORS[type(test.ops[0])]
            for source, bound, sign in ((left, right, operator), (right, left, _FLIPPED[operator])):
                package = self._versioned_package(source, env)
                version = self._version_text(bound, env)
                if package and version:
                    return Guard(
                        "version", text(test), package=package, operator=sign, version=version, negated=negated
                    )
        if isinstance(test, ast.Call):
            return self._version_call(test, env, negated)
        return None

    def _version_call(self, test: ast.Call, env: Environment, negated: bool) -> Guard | None:
        """`is_vllm_available(min_version="0.8")`, `is_version_ge("vllm", "0.8")`, `op.ge(v, w)` and the like."""
        name = text(test.func).rsplit(".", 1)[-1]
        constants = [a.value for a in test.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if name in _COMPARE_CALLS and len(test.args) == 2:
            package = self._versioned_package(test.args[0], env)
            version = self._version_text(test.args[1], env)
            if package and version:
                return Guard(
                    "version",
                    text(test),
                    package=package,
                    operator=_COMPARE_CALLS[name],
                    version=version,
                    negated=negated,
                )
        words = name.split("_")
        for keyword in test.keywords:
            if (
                isinstance(keyword.value, ast.Constant)
                and isinstance(keyword.value.value, str)
                and "version" in (keyword.arg or "")
            ):
                constants.append(keyword.value.value)
        versions = [c for c in constants if _looks_like_version(c)]
        packages = [c for c in constants if not _looks_like_version(c) and c.replace("-", "_").isidentifier()]
        if len(versions) == 1:
            operator = next((o for w, o in _WORDS.items() if w in words or w in name), None)
            if packages and operator:
                return Guard(
                    "version", text(test), package=packages[0], operator=operator, version=versions[0], negated=negated
                )
            if words[0] == "is" and words[-1] == "available" and len(words) > 2:
                package = "_".join(words[1:-1])
                return Guard(
                    "version",
                    text(test),
                    package=package,
                    operator=operator or ">=",
                    version=versions[0],
                    negated=negated,
                )
        body = self.definitions(text(test.func)) if isinstance(test.func, ast.Name | ast.Attribute) else None
        if isinstance(body, ast.FunctionDef) and not test.args and not test.keywords:
            returned = [s.value for s in body.body if isinstance(s, ast.Return) and s.value is not None]
            if (
                len(returned) == 1
                and len([s for s in body.body if not isinstance(s, ast.Import | ast.ImportFrom)]) <= 3
            ):
                found = self.read(returned[0], Environment(env.module), negated=negated)
                return found[0] if len(found) == 1 and found[0].kind == "version" else None
        return None

    def _versioned_package(self, node: ast.expr, env: Environment, depth: int = 0) -> str | None:
        """The package whose version `node` is: `x.__version__`, `version("x")`, `Version(...)` of such, names of such."""
        if depth > 6:
            return None
        if isinstance(node, ast.Attribute) and node.attr in (
            "__version__",
            "version",
            "__version_tuple__",
            "release",
            "base_version",
            "version_tuple",
        ):
            if node.attr.startswith("__") or node.attr == "version_tuple":
                term = read(node.value, env)
                if isinstance(term, Import):
                    return term.path.split(".", 1)[0]
                if isinstance(term, Name):
                    target = self.definitions(term.name)
                    if isinstance(target, ast.alias):
                        return target.name.split(".", 1)[0]
            return self._versioned_package(node.value, env, depth + 1)
        if isinstance(node, ast.Call):
            name = text(node.func).rsplit(".", 1)[-1]
            if (
                name
                in (
                    "version",
                    "get_version",
                    "get_distribution",
                    "get_package_version",
                    "package_version",
                    "distribution",
                )
                and node.args
            ):
                argument = node.args[0]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    return argument.value
            for argument in node.args:
                if (found := self._versioned_package(argument, env, depth + 1)) is not None:
                    return found
            if isinstance(node.func, ast.Attribute):
                return self._versioned_package(node.func.value, env, depth + 1)
            body = self.definitions(name)
            if isinstance(body, ast.FunctionDef):
                for statement in ast.walk(body):
                    if isinstance(statement, ast.Return) and statement.value is not None:
                        return self._versioned_package(statement.value, Environment(env.module), depth + 1)
        if isinstance(node, ast.Subscript):
            return self._versioned_package(node.value, env, depth + 1)
        if isinstance(node, ast.Call | ast.GeneratorExp | ast.ListComp) and not isinstance(node, ast.Call):
            return self._versioned_package(node.generators[0].iter, env, depth + 1)
        if isinstance(node, ast.Name):
            term = env.get(node.id)
            if isinstance(term, Import) and term.path.endswith(".__version__"):
                return term.path.split(".", 1)[0]
            target = self.definitions(node.id)
            if isinstance(target, ast.alias):
                return None
            if isinstance(target, ast.expr):
                return self._versioned_package(target, Environment(env.module), depth + 1)
        return None

    def _version_text(self, node: ast.expr, env: Environment, depth: int = 0) -> str | None:
        if depth > 4:
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value if _looks_like_version(node.value) else None
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            return str(node.value)
        if isinstance(node, ast.Tuple | ast.List) and node.elts:
            parts = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, int)]
            return ".".join(map(str, parts)) if len(parts) == len(node.elts) else None
        if isinstance(node, ast.Call) and len(node.args) == 1:
            return self._version_text(node.args[0], env, depth + 1)
        if isinstance(node, ast.Name):
            target = self.definitions(node.id)
            return self._version_text(target, env, depth + 1) if isinstance(target, ast.expr) else None
        return None

    def _hasattr(self, test: ast.expr, env: Environment, negated: bool) -> Guard | None:
        if (
            isinstance(test, ast.Call)
            and isinstance(test.func, ast.Name)
            and test.func.id == "hasattr"
            and len(test.args) == 2
        ):
            name = test.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                return Guard("hasattr", text(test), name=name.value, of=read(test.args[0], env), negated=negated)
        return None

    def _parameter(self, test: ast.expr, env: Environment, negated: bool) -> Guard | None:
        """`"x" in inspect.signature(f).parameters`, `"x" in f.__code__.co_varnames`, `"x" in names_of(f)`."""
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.In | ast.NotIn)):
            return None
        name, container = test.left, test.comparators[0]
        if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
            return None
        if isinstance(container, ast.Name) and isinstance(target := self.definitions(container.id), ast.expr):
            container = target
        shown = text(container)
        if any(
            word in shown
            for word in (
                "signature",
                "co_varnames",
                "getfullargspec",
                "__fields__",
                "model_fields",
                "parameters",
                "__annotations__",
                "__dataclass_fields__",
                "fields(",
            )
        ):
            return Guard(
                "parameter", text(test), name=name.value, negated=negated != isinstance(test.ops[0], ast.NotIn)
            )
        return None

    def _named(self, test: ast.expr, env: Environment, negated: bool) -> Guard | None:
        """A flag: `if IS_NEW_VLLM:` where the flag is assigned such a test once."""
        if (
            isinstance(test, ast.Name)
            and isinstance(target := self.definitions(test.id), ast.expr)
            and target is not test
        ):
            if isinstance(target, ast.Compare | ast.Call | ast.UnaryOp):
                found = self.read(target, Environment(env.module), negated=negated)
                return found[0] if len(found) == 1 else None
        return None


_WORDS = {
    "greater_or_equal": ">=", "greater_than": ">", "ge": ">=", "gte": ">=", "geq": ">=", "at_least": ">=", "less_than": "<",
    "lt": "<", "le": "<=", "lte": "<=", "below": "<", "gt": ">", "version_equals": "==", "eq": "==", "min_version": ">=",
}  # fmt: skip


def _looks_like_version(value: str) -> bool:
    return bool(value) and value[0].isdigit() and len(value) < 40 and all(c.isalnum() or c in ".+!-_*" for c in value)


def caught(handlers: Sequence[ast.ExceptHandler]) -> set[str]:
    """Last names of the exceptions that a `try` statement catches, "" for a bare `except`."""
    names: set[str] = set()
    for handler in handlers:
        if handler.type is None:
            names.add("")
        else:
            elements = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            names.update(text(e).rsplit(".", 1)[-1] for e in elements)
    return names


def primary(of: Term, name: str) -> Term:
    """The access that a `hasattr(of, name)` test asks about."""
    return Member(of, name)
