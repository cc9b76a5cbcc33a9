"""Functions and classes of a consumer: what their names stand for inside them, and what they return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from auditor.consumer.locals import is_local, local_class, local_path
from auditor.reading import Environment, annotated, text
from auditor.syntax import Function, is_generator
from auditor.terms import Guard, Instance, Mapping, Sequence, Term, Unknown, bounded, choice

if TYPE_CHECKING:
    from auditor.consumer.walker import Walker


class Deferred(NamedTuple):
    """A function whose body is walked once the names around it are complete."""

    node: Function
    outer: Environment
    scope: str
    """Its own qualified name."""
    guards: tuple[Guard, ...]
    class_path: str | None
    """The class whose method it is."""


def function(walker: Walker, node: Function, env: Environment, scope: str, class_path: str | None = None) -> None:
    """Walk decorators, defaults and annotations; the body comes later."""
    expressions = [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    expressions += [a.annotation for a in _parameters(node.args) if a.annotation is not None]
    for expression in (*expressions, *([node.returns] if node.returns is not None else [])):
        walker.recorder.expression(expression, env, scope)
    outer = env if (scope and class_path is None) else walker.environment()
    if class_path is not None and ("." in class_path or is_local(class_path)):
        outer = env.outer or outer
    if scope and class_path is None:
        env.names[node.name] = Unknown("local function")
    qualified = f"{scope}.{node.name}" if scope else node.name
    guards = (*walker.recorder.guards, *_unskipped(walker, node, env))
    walker.deferred.append(Deferred(node, outer, qualified, guards, class_path))


def function_body(walker: Walker, function: Deferred) -> None:
    """Walk the body, its parameters bound to what their annotations, or the class around it, say."""
    node, outer, scope, _, class_path = function
    env = walker.environment(outer, class_path)
    receiver = _receiver(walker, node, class_path)
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    for argument in _parameters(node.args):
        term = annotated(argument.annotation, env) or Unknown("parameter without annotation")
        if argument is first and receiver is not None and argument.annotation is None:
            term = receiver
        env.names[argument.arg] = term
    if node.args.vararg:
        each = annotated(node.args.vararg.annotation, env)
        env.names[node.args.vararg.arg] = Sequence("generator", (each,)) if each else Unknown("*args")
    if node.args.kwarg:
        env.names[node.args.kwarg.arg] = Mapping((), True, rest=annotated(node.args.kwarg.annotation, env))
    returns = walker.function_block(node.body, env, scope, list(env.names))
    if returns and not is_generator(node, walker.yields):
        known = f"{class_path}.{node.name}" if class_path and is_local(class_path) else scope
        walker.results[known] = bounded(choice(returns))


def _receiver(walker: Walker, node: Function, class_path: str | None) -> Term | None:
    """What `self` or `cls` is."""
    decorators = [text(d) for d in node.decorator_list]
    if class_path is None or any(d.endswith("staticmethod") for d in decorators):
        return None
    cls = walker.class_term(class_path)
    on_class = any(d.endswith("classmethod") for d in decorators) or node.name in ("__new__", "__init_subclass__")
    return cls if on_class else Instance(cls)


def class_(walker: Walker, node: ast.ClassDef, env: Environment, scope: str) -> None:
    """Walk a class body; a class inside a function gets a name that nothing outside could use."""
    for expression in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
        walker.recorder.expression(expression, env, scope)
    qualified = f"{scope}.{node.name}" if scope else node.name
    path = local_path(scope, node.name) if walker.in_function else qualified
    if not walker.in_function:
        walker.recorder.class_definition(node, walker.class_term(path), env, scope)
    inner = walker.environment(env, path)
    runs = _unskipped(walker, node, env)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            with walker.recorder.under(runs):
                function(walker, statement, inner, qualified, path)
        else:
            walker.statement(statement, inner, qualified)
    if walker.in_function:
        walker.local_classes[path] = local_class(node, path, env, inner)
    if scope:
        env.names[node.name] = walker.class_term(path)


def _unskipped(walker: Walker, node: Function | ast.ClassDef, env: Environment) -> list[Guard]:
    """What surely holds where a test runs: `@pytest.mark.skipif(...)`, `@unittest.skipIf(...)`, `@skipUnless(...)`."""
    guards: list[Guard] = []
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(args=[ast.Constant(value=str()), *_]):
                pass  # a condition as text, which is not read
            case ast.Call(func=called, args=[test, *_]) if (how := text(called).rpartition(".")[2]) in _SKIPPING:
                guards.extend(walker.conditions(test, env, negated=how != "skipUnless"))
            case _:
                pass
    return guards


_SKIPPING = frozenset({"skipif", "skipIf", "skipUnless"})


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
