"""Where control flow parts and meets: `if`, loops, `with`, `try`, with the guards under which each block runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.consumer.bindings import mutate
from auditor.consumer.handlers import around_body, flagged, inside_handler, ran_through
from auditor.consumer.joining import End, Guards, Names, join
from auditor.reading import Environment, annotation, bind_target, read, text
from auditor.terms import UNKNOWN, Element, Entered, Guard, Instance, choice

if TYPE_CHECKING:
    from auditor.consumer.walker import Walker


def if_(walker: Walker, node: ast.If, env: Environment, scope: str) -> bool:
    """Walk both branches under what the test says; returns whether control leaves in each."""
    walker.recorder.expression(node.test, env, scope, node)
    mutate(walker.recorder.changing, env)
    before = env.names
    ends: list[End] = []
    for body, negated in ((node.body, False), (node.orelse, True)):
        env.names = Names(before)
        if not negated:
            narrow(node.test, env)
        elif isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            narrow(node.test.operand, env)
        guards = walker.conditions(node.test, env, negated=negated)
        with walker.recorder.under(guards):
            left = walker.block(body, env, scope)
        if not left:
            ends.append((env.names, guards))
    env.names = join(before, ends)
    return not ends


def narrow(test: ast.expr, env: Environment) -> None:
    """`isinstance(x, T)` makes `x` a `T` where it holds: in a branch, or after an `assert`."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                narrow(value, env)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), types]):
            elements = types.elts if isinstance(types, ast.Tuple) else [types]
            env.names[name] = choice([Instance(annotation(t, env) or UNKNOWN) for t in elements])
        case _:
            pass


def for_(walker: Walker, node: ast.For | ast.AsyncFor, env: Environment, scope: str) -> None:
    """Walk a loop's body once, its target bound to an element."""
    walker.recorder.expression(node.iter, env, scope, node)
    bind_target(node.target, Element(read(node.iter, env), isinstance(node, ast.AsyncFor)), env)
    walker.recorder.usages.forget(node.target)
    walker.guard_reader.assigned(node.target, None)
    _alternatives(walker, [(node.body, ())], env, scope)
    walker.block(node.orelse, env, scope)


def while_(walker: Walker, node: ast.While, env: Environment, scope: str) -> None:
    """Walk a loop's body once."""
    walker.recorder.expression(node.test, env, scope, node)
    with walker.recorder.under(walker.conditions(node.test, env)):
        _alternatives(walker, [(node.body, ())], env, scope)
    walker.block(node.orelse, env, scope)


def match_(walker: Walker, node: ast.Match, env: Environment, scope: str) -> None:
    """Walk the cases, and record the classes that their patterns name."""
    walker.recorder.expression(node.subject, env, scope)
    for case in node.cases:
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, ast.MatchClass):
                walker.recorder.expression(pattern.cls, env, scope)
    _alternatives(walker, list(_cases(walker, node, env)), env, scope)


def _cases(walker: Walker, node: ast.Match, env: Environment) -> Iterator[tuple[Sequence[ast.stmt], Guards]]:
    """The body of each case with what surely holds there: its own test, and that those before it failed."""
    failed: list[Guard] = []
    for case in node.cases:
        test = _test(node.subject, case.pattern)
        own = walker.conditions(test, env) if test is not None else ()
        inside = walker.conditions(case.guard, env) if case.guard is not None else ()
        yield case.body, (*failed, *own, *inside)
        if case.guard is None and test is not None:
            failed.extend(walker.conditions(test, env, negated=True))


def _test(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """The comparison that a pattern of values makes."""
    match pattern:
        case ast.MatchValue(value=value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=bool() as value):
            return subject if value else ast.UnaryOp(ast.Not(), subject)
        case ast.MatchOr(patterns=patterns):
            tests = [_test(subject, p) for p in patterns]
            known = [test for test in tests if test is not None]
            return ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None
        case _:
            return None


def _alternatives(
    walker: Walker, bodies: Iterable[tuple[Sequence[ast.stmt], Guards]], env: Environment, scope: str
) -> None:
    """Walk blocks of which one runs, or none, from the same starting point, and join what they bind."""
    before = env.names
    ends: list[End] = [(Names(before), ())]
    for body, guards in bodies:
        env.names = Names(before)
        with walker.recorder.under(guards):
            left = walker.block(body, env, scope)
        if not left:
            ends.append((env.names, guards))
    env.names = join(before, ends)


def with_(walker: Walker, node: ast.With | ast.AsyncWith, env: Environment, scope: str) -> bool:
    """Walk a `with` block; `suppress(...)` swallows what goes wrong in it."""
    guards: list[Guard] = []
    for item in node.items:
        walker.recorder.expression(item.context_expr, env, scope, node)
        if item.optional_vars is not None:
            value = Entered(read(item.context_expr, env), isinstance(node, ast.AsyncWith))
            bind_target(item.optional_vars, value, env)
            walker.recorder.usages.forget(item.optional_vars)
        call = item.context_expr
        if isinstance(call, ast.Call) and _last_name(call.func) == "suppress":
            guards.append(Guard("swallowed", text(call), name=" ".join(_last_name(a) for a in call.args)))
    with walker.recorder.under(guards):
        left = walker.block(node.body, env, scope)
    return left and not guards


def try_(walker: Walker, node: ast.Try, env: Environment, scope: str) -> bool:
    """Walk a `try` statement: its body guarded by what the handlers do, each handler from any point of the body."""
    before = env.names
    env.names = Names(before)
    if not scope and (flag := flagged(node)) is not None and flag in walker.set_once:
        walker.guard_reader.tried[flag] = tuple(ran_through(node, env, walker.absolute))
    reasons = {id(h): inside_handler(h, node.body, env, walker.absolute) for h in node.handlers}
    with walker.recorder.under(around_body(node, walker.replaced)):
        left = walker.block(node.body, env, scope)
    if not left:
        with walker.recorder.under(ran_through(node, env, walker.absolute)):
            left = walker.block(node.orelse, env, scope)
    ends: list[End] = [] if left else [(env.names, ())]
    for handler in node.handlers:
        outset = Names(before)
        env.names = join(outset, [(outset, ()), *ends])
        if handler.name:
            env.names[handler.name] = UNKNOWN
        if handler.type is not None:
            walker.recorder.expression(handler.type, env, scope)
        with walker.recorder.under(reasons[id(handler)]):
            left = walker.block(handler.body, env, scope)
        if not left:
            ends.append((env.names, ()))
    env.names = join(before, ends)
    final = walker.block(node.finalbody, env, scope)
    return final or not ends


def _last_name(node: ast.expr) -> str:
    return text(node).rsplit(".", 1)[-1]
