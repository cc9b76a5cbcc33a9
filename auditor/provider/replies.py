"""Which parameters decide the shape of what a function returns: one item or a list of them, a value or a tuple.

A reply varies with a parameter where two of its returned expressions have different shapes and a condition between them
tests that parameter, or a local made from it. Differences that are matters of type alone, such as which of two classes
is constructed, and `None` for "nothing", are no differences of shape here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from auditor.provider.bodies import Body, Test, Tests, expressions
from auditor.provider.scopes import LocalScope

_MAX_RETURNS = 40
_PLAIN_CALLS = frozenset({"bool", "int", "len", "isinstance", "str", "min", "max"})


class Shape(NamedTuple):
    """What an expression says about its shape.

    `kind` is a display (`list`, `dict`, `set`, `tuple` with its size), `item` (`x[0]`), `object` (a constructor's
    call), `constant`, `none`, `name` or `other`; `of` is the name of it or inside it, several for a tuple.
    """

    kind: str
    of: tuple[str, ...] = ()


class _Return(NamedTuple):
    shape: Shape
    tests: Tests


def reply_parameters(body: Body, parameters: Sequence[str]) -> tuple[str, ...]:
    """Parameters on which the shape of the returned value depends, in the order of the signature."""
    known = [name for name in parameters if name != body.first]
    if not known:
        return ()
    if not any(tests or _has_choice(node.value) for node, tests in body.returns) and not body.nested:
        return ()
    derived = _derived(body, known)
    found = _deciding(body, derived)
    returned = {n.id for node, _ in body.returns for n in _names(node.value)}
    for name in returned & body.nested.keys():
        helper = body.nested[name]
        own = {a.arg for a in (*helper.args.posonlyargs, *helper.args.args, *helper.args.kwonlyargs)}
        inner = Body(helper, LocalScope(body.scope.module), body.package)
        outer = {local: sources for local, sources in derived.items() if local not in own | inner.sources.keys()}
        found |= _deciding(inner, outer | _derived(inner, [], outer))
    return tuple([name for name in known if name in found])


def _has_choice(node: ast.expr | None) -> bool:
    return isinstance(node, ast.IfExp)


def _deciding(body: Body, derived: dict[str, frozenset[str]]) -> set[str]:
    every = (r for node, tests in body.returns for r in _unfold(node.value, tests, body))
    returns = list(islice(every, _MAX_RETURNS))
    found: set[str] = set()
    for index, one in enumerate(returns):
        for other in returns[index + 1 :]:
            if _differ(one.shape, other.shape):
                for test in _between(one.tests, other.tests):
                    found |= _tested(test.node, derived)
    return found


def _unfold(node: ast.expr | None, tests: Tests, body: Body) -> Iterator[_Return]:
    """The shapes that one `return` may have, each under the conditions inside its expression."""
    waiting: list[tuple[ast.expr | None, Tests]] = [(node, tests)]
    while waiting:
        value, conditions = waiting.pop()
        if isinstance(value, ast.IfExp) and len(conditions) < 8:
            waiting.append((value.orelse, (*conditions, Test(value.test, holds=False))))
            waiting.append((value.body, (*conditions, Test(value.test, holds=True))))
        else:
            yield _Return(_shape(value, body), conditions)


def _between(one: Tests, other: Tests) -> Iterator[Test]:
    """The conditions that only one of two places stands under: what decides which of them is reached."""
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    yield from one[shared : shared + 1]
    yield from other[shared : shared + 1]


def _shape(node: ast.expr | None, body: Body) -> Shape:
    shape = _own_shape(node)
    if shape.kind == "name" and shape.of[0] in body.sources:
        shapes = {_own_shape(value) if value is not None else OTHER for value in body.sources[shape.of[0]]}
        kinds = {followed.kind for followed in shapes}
        if len(kinds) == 1 and (kind := kinds.pop()) in _DISPLAYS:
            return Shape(kind, shape.of)
    return shape


def _own_shape(node: ast.expr | None) -> Shape:
    """The shape of an expression by itself."""
    if node is None:
        return Shape("none")
    reader = _SHAPES.get(type(node))
    if reader is not None:
        return reader(node)
    base = _base(node)
    return Shape("name", (base,)) if base else OTHER


def _tuple(node: ast.Tuple) -> Shape:
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return Shape("tuple")
    return Shape(f"tuple {len(node.elts)}", tuple([_base(e) for e in node.elts]))


def _call(node: ast.Call) -> Shape:
    function = node.func
    if isinstance(function, ast.Attribute):
        if function.attr == "pop":
            return Shape("item", (_base(function.value),))
        return Shape("object") if function.attr[:1].isupper() else OTHER
    if not isinstance(function, ast.Name):
        return OTHER
    if function.id == "next" and node.args and isinstance(node.args[0], ast.Call) and node.args[0].args:
        return Shape("item", (_base(node.args[0].args[0]),))
    if function.id in _CONVERSIONS:
        return Shape(_CONVERSIONS[function.id])
    return Shape("object") if function.id.lstrip("_")[:1].isupper() else OTHER


def _subscript(node: ast.Subscript) -> Shape:
    index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
    if isinstance(index, ast.Constant) and isinstance(index.value, int):
        return Shape("item", (_base(node.value),))
    return OTHER


def _sum(node: ast.BinOp) -> Shape:
    sides = (_own_shape(node.left), _own_shape(node.right)) if isinstance(node.op, ast.Add) else ()
    return Shape("tuple") if any(side.kind.startswith("tuple") for side in sides) else OTHER


OTHER = Shape("other")
_CONVERSIONS = {"list": "list", "sorted": "list", "dict": "dict", "set": "set", "tuple": "tuple"}
_DISPLAYS = frozenset({"list", "dict", "set"})
_SHAPES: dict[type[ast.expr], Callable[[Any], Shape]] = {
    ast.Tuple: _tuple,
    ast.List: lambda node: Shape("list", (_base(node.elts[0]),) if len(node.elts) == 1 else ()),
    ast.ListComp: lambda _: Shape("list"),
    ast.Dict: lambda _: Shape("dict"),
    ast.DictComp: lambda _: Shape("dict"),
    ast.Set: lambda _: Shape("set"),
    ast.SetComp: lambda _: Shape("set"),
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.BinOp: _sum,
    ast.Constant: lambda node: Shape("none" if node.value is None else "constant"),
    ast.JoinedStr: lambda _: Shape("constant"),
    ast.Compare: lambda _: Shape("constant"),
}


def _base(node: ast.expr) -> str:
    """A name or an attribute of one, as text; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _differ(one: Shape, other: Shape) -> bool:
    """Whether two shapes are different for sure."""
    if one.kind == other.kind or "none" in (one.kind, other.kind):
        return False
    return _differs_from(one, other) or _differs_from(other, one)


def _differs_from(one: Shape, other: Shape) -> bool:
    shared = any(name and name in other.of for name in one.of)
    if one.kind == "item":
        return shared and (other.kind == "name" or other.kind in _DISPLAYS)
    if one.kind.startswith("tuple"):
        if other.kind.startswith("tuple"):
            return one.kind != "tuple" and other.kind != "tuple"
        return other.kind in ("object", "constant", *_DISPLAYS) or (other.kind == "name" and shared)
    if one.kind in _DISPLAYS:
        return other.kind in ("object", "constant", *_DISPLAYS) or (other.kind == "name" and shared)
    return False


def _tested(test: ast.expr, derived: dict[str, frozenset[str]]) -> set[str]:
    """The parameters that a condition tests, directly or through locals."""
    found: set[str] = set()
    for name in _plain_names(test):
        found |= derived.get(name, frozenset())
    return found


def _plain_names(node: ast.expr | None) -> list[str]:
    """Names in an expression whose value it directly depends on: not those that are only handed to a call."""
    found: list[str] = []
    waiting: list[ast.AST | None] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ast.Name):
            found.append(current.id)
        elif isinstance(current, ast.Call):
            if isinstance(current.func, ast.Name) and current.func.id in _PLAIN_CALLS:
                waiting += current.args[:1] if current.func.id == "isinstance" else current.args
        elif isinstance(current, ast.Compare):
            waiting += [current.left, *current.comparators]
        elif isinstance(current, ast.BoolOp):
            waiting += current.values
        elif isinstance(current, ast.UnaryOp):
            waiting.append(current.operand)
        elif isinstance(current, ast.IfExp):
            waiting += [current.test, current.body, current.orelse]
        elif isinstance(current, ast.NamedExpr):
            waiting.append(current.value)
    return found


def _derived(
    body: Body, parameters: Sequence[str], outer: dict[str, frozenset[str]] | None = None
) -> dict[str, frozenset[str]]:
    """For each parameter and each local made from parameters: the parameters it depends on.

    A local that is assigned differently under a condition depends on what the condition tests as well.
    """
    derived: dict[str, frozenset[str]] = {**(outer or {}), **{name: frozenset((name,)) for name in parameters}}
    for _ in range(3):
        changed = False
        for local, values in body.sources.items():
            if local in parameters:
                continue
            origins: set[str] = set()
            for value in values:
                for name in _plain_names(value):
                    origins |= derived.get(name, frozenset())
            if len(values) > 1:
                for tests in body.conditions.get(local, []):
                    origins |= _tested(tests[-1].node, derived)
            if origins and derived.get(local, frozenset()) != origins:
                derived[local] = frozenset(origins)
                changed = True
        if not changed:
            break
    return derived


def _names(node: ast.expr | None) -> Iterator[ast.Name]:
    if node is None:
        return
    for found in (node, *expressions(ast.Expression([node]))):  # type: ignore[arg-type]
        if isinstance(found, ast.Name):
            yield found
