"""Where control flow parts and meets: `if`, loops, `with`, `try`, with the guards under which each block runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from auditor.consumer.bindings import mutate
from auditor.consumer.guards import ATTRIBUTE_ERRORS, CALL_ERRORS, IMPORT_ERRORS, caught
from auditor.consumer.imports import asked_for, bound_names, imported_names
from auditor.model import Guard
from auditor.reading import Environment, annotation, bind_target, merge, read, text
from auditor.terms import UNKNOWN, Element, Entered, Instance, Mapping, Term, bounded, choice

if TYPE_CHECKING:
    from auditor.consumer.walker import Walker


def if_(walker: Walker, node: ast.If, env: Environment, scope: str) -> bool:
    """Walk both branches under what the test says; returns whether control leaves in each."""
    walker.recorder.expression(node.test, env, scope, node)
    mutate(node.test, env)
    before = dict(env.names)
    ends: list[dict[str, Term]] = []
    for body, negated in ((node.body, False), (node.orelse, True)):
        env.names = dict(before)
        if not negated:
            narrow(node.test, env)
        elif isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            narrow(node.test.operand, env)
        with walker.recorder.under(walker.guard_reader.read(node.test, env, negated=negated)):
            left = walker.block(body, env, scope)
        if not left:
            ends.append(env.names)
    env.names = _join(ends) if ends else before
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
    _alternatives(walker, [node.body], env, scope)
    walker.block(node.orelse, env, scope)


def while_(walker: Walker, node: ast.While, env: Environment, scope: str) -> None:
    """Walk a loop's body once."""
    walker.recorder.expression(node.test, env, scope, node)
    _alternatives(walker, [node.body], env, scope)
    walker.block(node.orelse, env, scope)


def match_(walker: Walker, node: ast.Match, env: Environment, scope: str) -> None:
    """Walk the cases, and record the classes that their patterns name."""
    walker.recorder.expression(node.subject, env, scope)
    for case in node.cases:
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, ast.MatchClass):
                walker.recorder.expression(pattern.cls, env, scope)
    _alternatives(walker, [case.body for case in node.cases], env, scope)


def _alternatives(walker: Walker, bodies: Iterable[Sequence[ast.stmt]], env: Environment, scope: str) -> None:
    """Walk blocks of which one runs, or none, from the same starting point, and join what they bind."""
    before = dict(env.names)
    ends = [before]
    for body in bodies:
        env.names = dict(before)
        if not walker.block(body, env, scope):
            ends.append(env.names)
    env.names = _join(ends)


def with_(walker: Walker, node: ast.With | ast.AsyncWith, env: Environment, scope: str) -> bool:
    """Walk a `with` block; `suppress(...)` swallows what goes wrong in it."""
    guards: list[Guard] = []
    for item in node.items:
        walker.recorder.expression(item.context_expr, env, scope)
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
    before = dict(env.names)
    with walker.recorder.under(_around_body(node)):
        left = walker.block(node.body, env, scope)
    if not left:
        left = walker.block(node.orelse, env, scope)
    ends = [] if left else [env.names]
    first = next(asked_for(node.body, walker.absolute), None)
    for handler in node.handlers:
        env.names = _join([before, *ends])
        if handler.name:
            env.names[handler.name] = UNKNOWN
        if handler.type is not None:
            walker.recorder.expression(handler.type, env, scope)
        reached: list[Guard] = []
        if first is not None and caught([handler]) & IMPORT_ERRORS:
            shown = f"except {text(handler.type) if handler.type else ''}"
            reached.append(Guard("importable", shown, of=first, negated=True))
        with walker.recorder.under(reached):
            left = walker.block(handler.body, env, scope)
        if not left:
            ends.append(env.names)
    env.names = _join(ends) if ends else before
    final = walker.block(node.finalbody, env, scope)
    return final or not ends


def _around_body(node: ast.Try) -> list[Guard]:
    """What the handlers of a `try` mean for its body, unless all of them raise again."""
    if all(handler.body and isinstance(handler.body[-1], ast.Raise) for handler in node.handlers):
        return []
    guards: list[Guard] = []
    names = caught(node.handlers)
    shown = f"except {', '.join(sorted(n or 'everything' for n in names))}"
    if names & IMPORT_ERRORS:
        guards.append(Guard("import-fallback" if _has_alternative(node) else "swallowed", shown, name="ImportError"))
    if names & (ATTRIBUTE_ERRORS | CALL_ERRORS):
        guards.append(Guard("swallowed", shown, name=" ".join(sorted(n or "Exception" for n in names))))
    return guards


def _has_alternative(node: ast.Try) -> bool:
    """Whether the handlers bind all that the body imports, and not to placeholders alone."""
    imported = imported_names(node.body)
    provided = {name for h in node.handlers for name in bound_names(h.body)}
    real = {name for h in node.handlers for name in bound_names(h.body, placeholders=False)}
    return bool(imported) and imported <= provided and bool(imported & real)


def _last_name(node: ast.expr) -> str:
    return text(node).rsplit(".", 1)[-1]


def _join(ends: Sequence[dict[str, Term]]) -> dict[str, Term]:
    """The bindings after branches meet: dicts keep the keys of every branch, other values become choices."""
    if len(ends) == 1:
        return ends[0]
    names: dict[str, None] = {}
    for end in ends:
        names.update(dict.fromkeys(end))
    joined: dict[str, Term] = {}
    for name in names:
        values = list(dict.fromkeys(end[name] for end in ends if name in end))
        if len(values) > 1 and all(isinstance(v, Mapping) for v in values):
            joined[name] = merge(values)
        else:
            joined[name] = bounded(choice(values))
    return joined
