"""Computes a condition of the consumer for one release, exactly as Python would; what cannot be is left unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Protocol

from packaging.version import InvalidVersion, Version

from auditor.prune import known
from auditor.prune.calling import called
from auditor.prune.known import Parameters
from auditor.prune.naming import Files, Names, UnknownError
from auditor.prune.releases import Asked, Claim
from auditor.prune.scopes import FileScopes, Scope
from auditor.reading import text

_COMPARED = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_KINDS: Mapping[str, tuple[str, ...]] = {"args": known.POSITIONAL, "kwonlyargs": ("keyword-only",), "parameters": ()}
_FAILURES = (InvalidVersion, RecursionError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


class Tried(Protocol):
    """Tells of a `try` around imports whether its body runs through (True), or fails at once (False)."""

    def __call__(self, computer: Computer, node: ast.Try, file: FileScopes) -> bool | None: ...


class Verdict(NamedTuple):
    """What a condition is on one release."""

    truth: bool | None
    asked: frozenset[str] = frozenset()
    """What was asked of the release."""
    doubts: frozenset[str] = frozenset()
    """Why it may be otherwise for another reason than the release."""


class Computer:
    """Computes conditions for one release.

    Args:
        files: The consumer's files.
        claim: The provider, and how the consumer needs it.
        release: The release.
        version: Its version as the consumer would read it, which may have a local part.
        tried: Tells which part of a `try` runs.
    """

    def __init__(self, files: Files, claim: Claim, release: Asked, version: str, tried: Tried) -> None:
        self.claim = claim
        self.release = release
        self.version = version
        self.names = Names(files, lambda node, file: tried(self, node, file))
        self.asked: set[str] = set()
        self.doubts: set[str] = set()
        self._tried = tried
        self._frames: dict[int, dict[str, Any]] = {}

    def verdict(self, test: ast.expr | ast.Try, file: FileScopes) -> Verdict:
        """Whether a condition is true on this release, or a `try` runs through, as far as the release alone decides."""
        self.asked, self.doubts = set(), set()
        truth = self._tried(self, test, file) if isinstance(test, ast.Try) else self._truth(test, file)
        return Verdict(truth, frozenset(self.asked), frozenset(self.doubts))

    def _truth(self, test: ast.expr, file: FileScopes) -> bool | None:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._truth(operand, file)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=values):
                decisive = isinstance(op, ast.Or)
                verdicts = [self._truth(value, file) for value in values]
                return decisive if decisive in verdicts else None if None in verdicts else not decisive
            case _:
                pass
        before, self.asked = self.asked, set()
        try:
            found = self.names.definition(test, file) if isinstance(test, ast.Name | ast.Attribute) else None
            if found is not None and isinstance(found[1].value, ast.UnaryOp | ast.BoolOp | ast.Name | ast.Attribute):
                with self.names.deeper():
                    return self._truth(found[1].value, found[0])
            value = self.value(test, file)
            return bool(value) if self.asked else None
        except (UnknownError, *_FAILURES):
            self.asked = set()
            return None
        finally:
            self.asked |= before

    def value(self, node: ast.expr, file: FileScopes) -> Any:
        """The value of an expression.

        Raises:
            UnknownError: It cannot be computed, or depends on more than the release.
        """
        with self.names.deeper():
            return self._value(node, file)

    def _value(self, node: ast.expr, file: FileScopes) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name() | ast.Attribute():
                return self._named(node, file)
            case ast.Call():
                return called(self, node, file)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                operands = [self.value(each, file) for each in (left, *comparators)]
                return all(self._compared(op, *operands[i : i + 2]) for i, op in enumerate(ops))
            case ast.BoolOp(op=op, values=values):
                result: Any = None
                for each in values:
                    result = self.value(each, file)
                    if bool(result) is isinstance(op, ast.Or):
                        break
                return result
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.value(operand, file)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, file)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.value(test, file) else orelse, file)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return _DISPLAYS[type(node)](self.value(each, file) for each in elements)
            case ast.Subscript(value=of, slice=index):
                return self.value(of, file)[self._index(index, file)]
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(node, file)
            case _:
                raise UnknownError

    def _index(self, node: ast.expr, file: FileScopes) -> Any:
        if isinstance(node, ast.Slice):
            return slice(*(self.value(p, file) if p is not None else None for p in (node.lower, node.upper, node.step)))
        return self.value(node, file)

    def _compared(self, op: ast.cmpop, left: Any, right: Any) -> bool:
        if isinstance(op, ast.In | ast.NotIn):
            found = self._has(right, left) if isinstance(right, Parameters) else left in right
            return found != isinstance(op, ast.NotIn)
        if isinstance(left, Parameters) or isinstance(right, Parameters):
            raise UnknownError
        return bool(_COMPARED[type(op)](left, right))

    def _has(self, of: Parameters, name: object) -> bool:
        """Whether a signature has a parameter, or a class a field, of some name."""
        if not isinstance(name, str) or not self.release.owns(of.path):
            raise UnknownError
        found = self.release.parameter(of.path, name)
        if found is None or (found is False and of.more):
            raise UnknownError
        self.asked.add(of.path)
        return found is not False and (not of.kinds or found in of.kinds)

    def _named(self, node: ast.Name | ast.Attribute, file: FileScopes) -> Any:
        if isinstance(node, ast.Name) and (scope := file.of[id(node)].find(node.id)) is not None:
            frame = self._frames.get(id(scope), {})
            if node.id in frame:
                return frame[node.id]
        path = self.names.path(node, file)
        if path is not None and self.release.owns(path) and (found := self.fact(path)) is not None:
            return found
        definition = self.names.definition(node, file)
        if definition is not None and isinstance(definition[1].value, ast.expr):
            return self.value(definition[1].value, definition[0])
        if isinstance(node, ast.Name) and (either := self.names.either(node, file)):
            return self._overridden(either, file)
        if isinstance(node, ast.Attribute):
            of = self.value(node.value, file)
            if isinstance(of, Parameters) and node.attr in _KINDS:
                return of._replace(kinds=_KINDS[node.attr])
            if node.attr in known.ATTRIBUTES.get(type(of), ()):
                return getattr(of, node.attr)
        raise UnknownError

    def _overridden(self, either: tuple[ast.expr, ast.expr], file: FileScopes) -> Any:
        """A version that is asked for unless something else, such as the environment, says one."""
        for one, other in (either, either[::-1]):
            with suppress(UnknownError):
                found = self.value(one, file)
                if isinstance(found, str) and found == self.version:
                    self.doubts.add(f"`{text(other)}` may say another version")
                    return found
        raise UnknownError

    def fact(self, path: str) -> Any:
        """The version that a dotted path into the provider names, or a table of parameters; None for anything else."""
        package, _, rest = path.partition(".")
        last = rest.rpartition(".")[2]
        if last in ("__version__", "__version_tuple__"):
            self.asked.add(f"{package}.__version__")
            return self.version if last == "__version__" else Version(self.version).release
        if last in known.FIELD_TABLES:
            return Parameters(path.rpartition(".")[0], more=True)
        if path.endswith(".__code__.co_varnames"):
            return Parameters(path.removesuffix(".__code__.co_varnames"), more=True)
        return None

    @contextmanager
    def frame(self, scope: Scope, given: dict[str, Any]) -> Iterator[None]:
        """While a function or comprehension is computed, its own names have these values."""
        if id(scope) in self._frames:
            raise UnknownError
        self._frames[id(scope)] = given
        try:
            yield
        finally:
            del self._frames[id(scope)]

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, file: FileScopes) -> Any:
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=iterated, ifs=ifs, is_async=0)]:
                items = self.value(iterated, file)
            case _:
                raise UnknownError
        if isinstance(items, Parameters):  # `{f.name for f in fields(C)}`
            if isinstance(node.elt, ast.Attribute) and node.elt.attr == "name" and not ifs:
                return items
            raise UnknownError
        results = []
        for item in items:
            with self.frame(file.of[id(node.elt)], {name: item}):
                if all(self.value(test, file) for test in ifs):
                    results.append(self.value(node.elt, file))
        return set(results) if isinstance(node, ast.SetComp) else results


_DISPLAYS: Mapping[type, Any] = {ast.Tuple: tuple, ast.List: list, ast.Set: set}
