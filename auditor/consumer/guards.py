"""Reads the conditions under which consumer code runs: version tests, `hasattr`, optional imports, signature tests."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from auditor.consumer.versions import Definitions, VersionTests
from auditor.model import Guard
from auditor.reading import Environment, read, text

IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException", ""})
ATTRIBUTE_ERRORS = frozenset({"AttributeError", "Exception", "BaseException", ""})
CALL_ERRORS = frozenset({"TypeError", "Exception", "BaseException", ""})
_OF_SIGNATURES = (
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
"""What expressions that list a callable's parameters, or a class's fields, are spelled with."""


class GuardReader:
    """Turns tests into guards.

    Args:
        definitions: Finds what global names are defined as.
    """

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self._versions = VersionTests(definitions)
        self._open: set[str] = set()
        """Names whose definitions are being read: `FLAG = not FLAG` ends here."""

    def read(self, test: ast.expr, env: Environment, *, negated: bool = False) -> tuple[Guard, ...]:
        """The guards that hold where `test` is true (or false, if `negated`)."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.read(test.operand, env, negated=not negated)
        if isinstance(test, ast.BoolOp):
            # `a and b` true: both hold; `a or b` false: neither holds; the other two say nothing of either alone
            if isinstance(test.op, ast.And) != negated:
                return tuple(g for value in test.values for g in self.read(value, env, negated=negated))
            return ()
        guard = _type_checking(test) or self._versions.read(test, env) or _hasattr(test, env) or self._parameter(test)
        if guard is None:
            return self._named(test, env, negated=negated)
        return (msgspec.structs.replace(guard, negated=guard.negated != negated),)

    def _parameter(self, test: ast.expr) -> Guard | None:
        """`"x" in inspect.signature(f).parameters`, `"x" in f.__code__.co_varnames`, `"x" in names_of(f)`."""
        match test:
            case ast.Compare(
                left=ast.Constant(value=str() as name), ops=[ast.In() | ast.NotIn() as op], comparators=[container]
            ):
                if isinstance(container, ast.Name) and isinstance(target := self.definitions(container.id), ast.expr):
                    container = target
                shown = text(container)
                if any(word in shown for word in _OF_SIGNATURES):
                    return Guard("parameter", text(test), name=name, negated=isinstance(op, ast.NotIn))
            case _:
                pass
        return None

    def _named(self, test: ast.expr, env: Environment, *, negated: bool) -> tuple[Guard, ...]:
        """A flag, or a function without arguments, that is one such test: `if IS_NEW_VLLM:`, `if is_new_vllm():`."""
        inside: ast.expr | None
        match test:
            case ast.Name(id=name):
                target = self.definitions(name)
                inside = target if isinstance(target, ast.Compare | ast.Call | ast.UnaryOp) else None
            case ast.Call(func=ast.Name() | ast.Attribute(), args=[], keywords=[]):
                name = text(test.func)
                inside = _only_return(self.definitions(name))
            case _:
                return ()
        if inside is None or name in self._open:
            return ()
        self._open.add(name)
        found = self.read(inside, Environment(env.module), negated=negated)
        self._open.discard(name)
        if isinstance(test, ast.Call):
            return found if [g.kind for g in found] == ["version"] else ()
        return found if len(found) == 1 else ()


def _only_return(body: ast.AST | None) -> ast.expr | None:
    """What a short function returns, where it has one `return`."""
    if not isinstance(body, ast.FunctionDef):
        return None
    statements = [s for s in body.body if not isinstance(s, ast.Import | ast.ImportFrom)]
    returned = [s.value for s in statements if isinstance(s, ast.Return) and s.value is not None]
    return returned[0] if len(returned) == 1 and len(statements) <= 3 else None


def _type_checking(test: ast.expr) -> Guard | None:
    if isinstance(test, ast.Name | ast.Attribute) and text(test).rsplit(".", 1)[-1] == "TYPE_CHECKING":
        return Guard("type-checking", "TYPE_CHECKING")
    return None


def _hasattr(test: ast.expr, env: Environment) -> Guard | None:
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[of, ast.Constant(value=str() as name)]):
            return Guard("hasattr", text(test), name=name, of=read(of, env))
        case _:
            return None


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
