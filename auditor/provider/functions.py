"""One function's syntax -> `FunctionApi`: its signature, and what its body says about arguments, errors and replies."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.api import AttributeApi, Decorator, FunctionApi, Parameter, ParameterKind, Raise
from auditor.provider.bodies import Assigned, Body, FunctionNode, Tests, expressions
from auditor.provider.decisions import by_default
from auditor.provider.documents import documented_return, warned
from auditor.provider.keywords import forwards, kwargs_keys, refuses_rest, stands_for, star_names
from auditor.provider.replies import reply_parameters
from auditor.provider.scopes import LocalScope, Source, bounded, class_term, read_source
from auditor.reading import Environment, annotation, read, text
from auditor.syntax import is_generator
from auditor.terms import NONE, UNKNOWN, Instance, Term, Unpacked, choice
from auditor.terms import Sequence as Display

MAX_RETURNED = 16
MAX_TEXT = 400
_MAX_KEPT = 6
_MAKERS = frozenset({"dataclass", "define", "attrs"})
"""Last names of the functions that generate an `__init__` for the class they are given."""


class Place(NamedTuple):
    """Where a definition stands: its module, what relative imports start from, its class if any, and its scopes."""

    module: str
    package: str
    class_path: str | None
    env: Environment
    """The scope that annotations, defaults and decorators are read in."""
    yields: Sequence[int] = ()
    """Numbers of the lines that have the word `yield` in them, in order: functions without are no generators."""
    is_stub: bool = False
    runtime: bool = True


class FunctionRead(NamedTuple):
    """A function, and the attributes that it assigns on its instance."""

    function: FunctionApi
    assigned: tuple[AttributeApi, ...]
    globals: frozenset[str]


def read_function(node: FunctionNode, place: Place) -> FunctionRead:
    """Read one function or method."""
    parameters = read_parameters(node.args, place.env)
    decorators = read_decorators(node.decorator_list, place.env)
    first = _instance_parameter(node, place, decorators)
    scope = _scope(place, parameters, first)
    instance_name = parameters[0].name if first is not None and parameters else None
    body = Body(node, scope, place.package, instance_name)
    yields = is_generator(node, place.yields)
    stars = star_names(node.args)
    is_stub_body = _is_stub(node.body)
    function = FunctionApi(
        name=node.name,
        line=node.lineno,
        parameters=parameters,
        returns=text(node.returns) if node.returns is not None else None,
        result=_result(node, place, body, yields, is_stub_body or place.is_stub),
        by_default=None
        if yields
        else by_default(body, lambda variant: _returns(Body(variant, _scope(place, parameters, first), place.package))),
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_generator=yields,
        decorators=decorators,
        kwargs_keys=kwargs_keys(body, stars) if stars else (),
        forwards=forwards(body, stars) if stars else (),
        raises=tuple([_raise(r, tests) for r, tests in body.raises if not _is_reraise(r)]),
        returned=_returned(body),
        reply_parameters=reply_parameters(body, [p.name for p in parameters]) if body.returns else (),
        documented_return=documented_return(node),
        deprecated=_deprecated(node.decorator_list) or warned(node.body),
        is_stub_body=is_stub_body,
        runtime=place.runtime,
        remakes=node.name == "__init_subclass__" and _remakes(node, body),
        refuses_rest=refuses_rest(body, stars) if stars else False,
        stands_for=stands_for(body, stars) if stars else None,
    )
    return FunctionRead(function, tuple(_assigned(body, place)), frozenset(body.globals))


def _scope(place: Place, parameters: Sequence[Parameter], first: str | None) -> LocalScope:
    """The locals of a function as its body begins: its parameters."""
    scope = LocalScope(place.module, class_path=place.class_path)
    for index, parameter in enumerate(parameters):
        if index == 0 and place.class_path is not None and first is not None:
            owner = class_term(place.module, place.class_path)
            scope.names[parameter.name] = owner if first == "class" else Instance(owner)
        else:
            scope.names[parameter.name] = _local_value(parameter)
    return scope


def read_parameters(node: ast.arguments, env: Environment) -> tuple[Parameter, ...]:
    """The parameters of a function in their order, with texts and terms."""
    return tuple(
        [
            Parameter(
                argument.arg,
                kind,
                text(default) if default is not None else None,
                text(argument.annotation) if argument.annotation is not None else None,
                annotation(argument.annotation, env) if argument.annotation is not None else None,
            )
            for argument, kind, default in _listed(node)
        ]
    )


def _listed(node: ast.arguments) -> Iterator[tuple[ast.arg, ParameterKind, ast.expr | None]]:
    """Each argument with its kind and its default."""
    required = len(node.posonlyargs) + len(node.args) - len(node.defaults)
    defaults = iter([*[None] * required, *node.defaults])
    for argument in node.posonlyargs:
        yield argument, "positional-only", next(defaults)
    for argument in node.args:
        yield argument, "positional-or-keyword", next(defaults)
    if node.vararg is not None:
        yield node.vararg, "var-positional", None
    for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        yield argument, "keyword-only", default
    if node.kwarg is not None:
        yield node.kwarg, "var-keyword", None


def read_decorators(nodes: list[ast.expr], env: Environment) -> tuple[Decorator, ...]:
    """Decorators as texts and terms."""
    return tuple([Decorator(text(n), read(n.func if isinstance(n, ast.Call) else n, env)) for n in nodes])


def _remakes(node: FunctionNode, body: Body) -> bool:
    """Whether a function makes a dataclass of the class it gets, replaces it, or assigns its constructor."""
    if any(assigned.name in ("__init__", "__new__") for assigned in body.assigned):
        return True
    return any(
        isinstance(call, ast.Call)
        and bool(call.args)
        and isinstance(call.args[0], ast.Name)
        and call.args[0].id == body.first
        and (call in body.sources.get(body.first, ()) or text(call.func).rsplit(".", 1)[-1] in _MAKERS)
        for call in expressions(node)
    )


def _local_value(parameter: Parameter) -> Term:
    if parameter.type is None:
        return UNKNOWN
    value = Instance(parameter.type)
    if parameter.kind == "var-positional":
        return Display("tuple", (value,))
    return UNKNOWN if parameter.kind == "var-keyword" else value


def _instance_parameter(node: FunctionNode, place: Place, decorators: tuple[Decorator, ...]) -> str | None:
    """What the first parameter of a method stands for: "instance", "class", or None for neither."""
    if place.class_path is None or not (node.args.posonlyargs or node.args.args):
        return None
    names = {d.text.split("(")[0].rsplit(".", 1)[-1] for d in decorators}
    if "staticmethod" in names:
        return None
    if "classmethod" in names or node.name in ("__new__", "__init_subclass__", "__class_getitem__"):
        return "class"
    return "instance"


def _result(node: FunctionNode, place: Place, body: Body, yields: bool, is_stub: bool) -> Term | None:
    if node.returns is not None:
        found = annotation(node.returns, place.env)
        return None if found is None else Instance(found)
    if is_stub:
        return None
    if yields:
        items = [n.value for n in expressions(node) if isinstance(n, ast.Yield) and n.value is not None]
        yielded = choice([bounded(read(v, body.scope)) for v in items[:_MAX_KEPT]])
        return bounded(Display("generator", (yielded,)))
    return _returns(body)


def _returns(body: Body) -> Term:
    """What the `return` statements of a body return."""
    options = [bounded(read(r.value, body.scope)) for r, _ in body.returns[:MAX_RETURNED]]
    return bounded(choice(options), 200) if options else NONE


def _returned(body: Body) -> tuple[str, ...]:
    texts = dict.fromkeys([short(r.value) for r, _ in body.returns if r.value is not None])
    return tuple(list(texts)[:MAX_RETURNED])


def short(node: ast.expr) -> str:
    """The text of an expression, cut where it is long."""
    shown = text(node)
    return shown if len(shown) <= MAX_TEXT else f"{shown[:MAX_TEXT]}..."


def _is_reraise(node: ast.Raise | ast.Assert) -> bool:
    return isinstance(node, ast.Raise) and node.exc is None


def _raise(node: ast.Raise | ast.Assert, tests: Tests) -> Raise:
    shown = f"assert {short(node.test)}" if isinstance(node, ast.Assert) else short(node.exc or ast.Name("raise"))
    condition = None
    if tests:
        nearest = tests[-1]
        condition = short(nearest.node if nearest.holds else _negated(nearest.node))
    return Raise(shown, condition, node.lineno)


_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def _negated(test: ast.expr) -> ast.expr:
    """The condition of an `else`, as people would write it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITES:
        return ast.Compare(test.left, [_OPPOSITES[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _assigned(body: Body, place: Place) -> list[AttributeApi]:
    if body.first is None:
        return []
    found = [_attribute(a, body.scope, place.env) for a in body.assigned]
    for nested in body.nested.values():
        arguments = nested.args
        if any(a.arg == body.first for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)):
            continue
        scope = LocalScope(body.scope.module, body.scope)
        inner = Body(nested, scope, body.package, body.first)
        found += [_attribute(a, scope, place.env) for a in inner.assigned]
    return found


def _attribute(assigned: Assigned, scope: LocalScope, env: Environment) -> AttributeApi:
    name, line, hint, source = assigned
    return AttributeApi(
        name=name,
        line=line,
        annotation=text(hint) if hint is not None else None,
        type=annotation(hint, env),
        value=short(source.value) if source.value is not None and source.origin == "value" else None,
        term=bounded(_part(source, name, scope)) if source.value is not None else None,
        in_init=True,
    )


def _part(source: Source, name: str, scope: LocalScope) -> Term:
    """The value of `self.name` where it is one of several targets: `self.a, self.b = value`."""
    value = read_source(source, scope)
    if not isinstance(source.target, ast.Tuple | ast.List):
        return value
    elements = source.target.elts
    if any(isinstance(e, ast.Starred) for e in elements):
        return UNKNOWN
    index = next(i for i, e in enumerate(elements) if isinstance(e, ast.Attribute) and e.attr == name)
    if isinstance(value, Display) and len(value.items) == len(elements):
        return value.items[index]
    return Unpacked(value, index, len(elements))


def _is_stub(body: list[ast.stmt]) -> bool:
    rest = [n for n in body if not isinstance(n, ast.Pass) and not (isinstance(n, ast.Expr) and _is_constant(n.value))]
    if not rest:
        return True
    if len(rest) > 1 or not isinstance(rest[0], ast.Raise) or rest[0].exc is None:
        return False
    raised = rest[0].exc.func if isinstance(rest[0].exc, ast.Call) else rest[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _deprecated(decorators: list[ast.expr]) -> str | None:
    return next((found for d in decorators if (found := deprecation(d)) is not None), None)


def deprecation(node: ast.expr) -> str | None:
    """The message of a `@deprecated("...")`-like decorator, or its text where it has no plain message."""
    function = node.func if isinstance(node, ast.Call) else node
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name.lower() not in ("deprecated", "deprecate"):
        return None
    arguments = [*node.args, *[k.value for k in node.keywords]] if isinstance(node, ast.Call) else []
    for argument in arguments:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and argument.value.isprintable():
            return argument.value
    return short(node)
