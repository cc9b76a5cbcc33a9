"""Reads the conditions under which consumer code runs: version tests, `hasattr`, optional imports, signature tests."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import msgspec

from auditor.conditional import one_of
from auditor.consumer.flags import given_version
from auditor.consumer.helpers import arguments, assigned, imported, only_return
from auditor.consumer.signatures import tested_parameter
from auditor.consumer.versions import Definitions, Paths, VersionTests
from auditor.reading import Environment, read, text
from auditor.settled import settled
from auditor.syntax import names_in
from auditor.terms import Guard, Import, Member

IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException", ""})
ATTRIBUTE_ERRORS = frozenset({"AttributeError", "Exception", "BaseException", ""})
CALL_ERRORS = frozenset({"TypeError", "Exception", "BaseException", ""})
_TESTS = (ast.Compare, ast.Call, ast.UnaryOp, ast.BoolOp)


class GuardReader:
    """Turns tests into guards: what surely holds where a test is true, or where it is false.

    Args:
        definitions: Finds what global names, and `Class.attribute`, are defined as.
        paths: The dotted paths that imports give to what a term names.
        is_ours: Whether a dotted path may lead to a module of the consumer.
    """

    def __init__(
        self,
        definitions: Definitions,
        paths: Paths = lambda _: [],
        is_ours: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._globals = definitions
        self._paths = paths
        self._is_ours = is_ours
        self._versions = VersionTests(self.definitions, paths)
        self._scopes: list[dict[str, ast.AST | None]] = []
        """What the names of the functions around are bound to, None where that cannot be told."""
        self.tried: dict[str, tuple[Guard, ...]] = {}
        """What surely holds where a global is true that only a `try` sets, where its body ran through."""
        self._open: set[str] = set()
        """Names whose definitions are being read: `FLAG = not FLAG` ends here."""

    def definitions(self, name: str) -> ast.AST | None:
        """What a name is defined as: by the function whose body is read, else by the module."""
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None) or (
            None if any(name in scope for scope in self._scopes) else self._globals(name)
        )

    def enter(self, parameters: Sequence[str]) -> None:
        """A function body begins: its names are its own."""
        self._scopes.append(dict.fromkeys(parameters))

    def leave(self) -> None:
        """A function body ends."""
        self._scopes.pop()

    def assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        """A local name is bound; where that happens twice, nobody knows which of the values it has."""
        if self._scopes:
            for node in names_in(target):
                if isinstance(node.ctx, ast.Store):
                    scope = self._scopes[-1]
                    scope[node.id] = value if node is target and node.id not in scope else None

    def read(self, test: ast.expr, env: Environment, *, negated: bool = False) -> tuple[Guard, ...]:
        """The guards that hold where `test` is true (or false, if `negated`)."""
        if (truth := settled(test)) is not None:
            return () if truth != negated else (Guard("any", text(test)),)  # none of no parts: never
        match test:
            case ast.UnaryOp(op=ast.Not()):
                return self.read(test.operand, env, negated=not negated)
            case ast.Compare(ops=[_, _, *_]):
                operands = [test.left, *test.comparators]
                links: list[ast.expr] = [
                    ast.Compare(operands[i], [op], [operands[i + 1]]) for i, op in enumerate(test.ops)
                ]
                return self.read(ast.BoolOp(ast.And(), links), env, negated=negated)
            case ast.BoolOp():
                parts = [self.read(value, env, negated=negated) for value in test.values]
                # `a and b` true: both hold; `a or b` false: neither holds; in the other two cases one of them
                return (
                    tuple(g for part in parts for g in part)
                    if isinstance(test.op, ast.And) != negated
                    else one_of(parts)
                )
            case ast.NamedExpr():
                return self.read(test.value, env, negated=negated)
            case ast.Call(func=ast.Name(id="bool"), args=[inner]):
                return self.read(inner, env, negated=negated)
            case _:
                pass
        if (optional := self._optional(test, env)) is not None:
            return (msgspec.structs.replace(optional, negated=optional.negated != negated),)
        # what is not had may still be there, and be false: only that it is had says something
        if (had := _got(test, env)) is not None:
            return (msgspec.structs.replace(had, negated=False),) if had.negated == negated else ()
        guard = _type_checking(test) or self._versions.read(test, env) or _hasattr(test, env)
        guard = guard or tested_parameter(test, self.definitions, env)
        if guard is None:
            return self._named(test, env, negated=negated)
        return (msgspec.structs.replace(guard, negated=guard.negated != negated),)

    def _optional(self, test: ast.expr, env: Environment) -> Guard | None:
        """`X is not None`, or `X`, where `X` is an import with `None` in its place where it fails."""
        negated = False
        match test:
            case ast.Compare(
                left=ast.Name() as name, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
            ):
                negated = isinstance(op, ast.Is)
            case ast.Name() as name:
                pass
            case _:
                return None
        placeholder = self.definitions(name.id)
        paths = list(filter(None, self._paths(read(name, env))))
        if not paths or not (isinstance(placeholder, ast.Constant) and placeholder.value is None):
            return None
        shown = text(test)
        parts = tuple(Guard("importable", shown, of=Import(path)) for path in dict.fromkeys(paths))
        if len(parts) == 1:
            return msgspec.structs.replace(parts[0], negated=negated)
        return Guard("any", shown, parts=parts, negated=negated)

    def _named(self, test: ast.expr, env: Environment, *, negated: bool) -> tuple[Guard, ...]:
        """A flag, or a function or method, that is such a test: `if IS_NEW:`, `if is_new():`, `if self.new:`."""
        called = isinstance(test, ast.Call)
        named = test.func if isinstance(test, ast.Call) else test
        name = self._name(named, env)
        if name is None:
            return ()
        if not called and name in self.tried and not any(name in scope for scope in self._scopes):
            return () if negated else self.tried[name]
        target = self.definitions(name)
        if isinstance(target, ast.FunctionDef) and (called or _is_property(target)):
            return self._returned(name, target, test if isinstance(test, ast.Call) else None, env, negated=negated)
        if isinstance(target, _TESTS) and not called:
            local = any(name in scope for scope in self._scopes)
            return self._inside(name, target, env if local else self._global(env), negated=negated)
        return self._elsewhere(test, named, env, negated=negated)

    def _name(self, node: ast.expr, env: Environment) -> str | None:
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")) if env.class_path:
                return f"{env.class_path}.{node.attr}"
            case ast.Name() | ast.Attribute():
                return text(node)
            case _:
                return None

    def _elsewhere(self, test: ast.expr, named: ast.expr, env: Environment, *, negated: bool) -> tuple[Guard, ...]:
        """A flag, or a function that takes nothing or a version, of another module."""
        given = given_version(test) if isinstance(test, ast.Call) else ""
        if given is None:
            return ()
        paths = self._paths(read(named, env))
        if len(paths) != 1 or not self._is_ours(paths[0]):
            return ()
        path = paths[0] + (f"({'*' if given else ''})" if isinstance(test, ast.Call) else "")
        return (Guard("flag", text(test), name=path, version=given, negated=negated),)

    def _global(self, env: Environment) -> Environment:
        return Environment(env.module, conditions=env.conditions)

    def _inside(self, name: str, test: ast.expr, env: Environment, *, negated: bool) -> tuple[Guard, ...]:
        if name in self._open:
            return ()
        self._open.add(name)
        found = self.read(test, env, negated=negated)
        self._open.discard(name)
        return found

    def _returned(
        self, name: str, function: ast.FunctionDef, call: ast.Call | None, env: Environment, *, negated: bool
    ) -> tuple[Guard, ...]:
        """What a short function returns, its parameters standing for what is passed."""
        inside = only_return(function)
        given = arguments(function, call, skip="." in name)
        if inside is None or given is None:
            return ()
        scope = self._global(env)
        scope.names.update({local: Import(path) for local, path in imported(function)})
        for local, values in assigned(function).items():
            telling = {p: value for value in reversed(values) if (p := self._versions.package(value, scope))}
            known = list(telling.values()) or values
            given[local] = known[0] if len(known) == 1 else None
        self._scopes.append(given)
        found = self._inside(name, inside, scope, negated=negated)
        self._scopes.pop()
        # without parameters and names of its own, what it says of anything else holds here as well
        return found if not given or all(_is_of_versions(guard) for guard in found) else ()


def _is_of_versions(guard: Guard) -> bool:
    return guard.kind in ("version", "flag") or (bool(guard.parts) and all(map(_is_of_versions, guard.parts)))


def _is_property(function: ast.FunctionDef) -> bool:
    return any(text(d).endswith("property") for d in function.decorator_list)


def _type_checking(test: ast.expr) -> Guard | None:
    if isinstance(test, ast.Name | ast.Attribute) and text(test).rsplit(".", 1)[-1] == "TYPE_CHECKING":
        return Guard("type-checking", "TYPE_CHECKING")
    return None


def shims(conditions: Sequence[Guard], body: Sequence[ast.stmt]) -> Guard | None:
    """`if not hasattr(x, "name"): x.name = ...`: from there on `of` is there, whoever brought it."""
    stored = {text(t) for s in body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Attribute)}
    match conditions:
        case [Guard(kind="hasattr", negated=True, name=name, of=of)] if of is not None:
            for shown in stored:
                if shown.rpartition(".")[2] == name:
                    return Guard("alternative", shown, of=Member(of, name))
    return None


def _got(test: ast.expr, env: Environment) -> Guard | None:
    """`getattr(x, "name", None)`, `callable(...)` of it, or `... is not None`: negated where the test is false then."""
    match test:
        case ast.Call(func=ast.Name(id="callable"), args=[inner]):
            return _got(inner, env)
        case ast.Compare(left=inner, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            found = _got(inner, env)
            return found and msgspec.structs.replace(found, negated=isinstance(op, ast.Is))
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[of, ast.Constant(value=str() as name), ast.Constant(value=None | False)],
        ):
            return Guard("hasattr", text(test), name=name, of=read(of, env))
        case _:
            return None


def _hasattr(test: ast.expr, env: Environment) -> Guard | None:
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[of, ast.Constant(value=str() as name)]):
            return Guard("hasattr", text(test), name=name, of=read(of, env))
        case ast.Compare(
            left=ast.Constant(value=str() as name),
            ops=[ast.In() | ast.NotIn() as op],
            comparators=[ast.Call(func=ast.Name(id="dir"), args=[of])],
        ):
            return Guard("hasattr", text(test), name=name, of=read(of, env), negated=isinstance(op, ast.NotIn))
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
