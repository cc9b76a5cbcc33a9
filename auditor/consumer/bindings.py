"""What assignments bind: local names, attributes set on `self`, and the keys of dicts that grow line by line."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from auditor.conditional import merge
from auditor.reading import Environment, annotated, bind_target, read
from auditor.terms import NONE, UNKNOWN, Instance, Mapping, Term, bounded, choice

if TYPE_CHECKING:
    from auditor.consumer.walker import Walker


def assign(walker: Walker, node: ast.Assign, env: Environment, scope: str) -> None:
    """`a = b = value`"""
    walker.recorder.expression(node.value, env, scope, node)
    value = read(node.value, env)
    mutate(walker.recorder.changing, env)
    for target in node.targets:
        _target(walker, target, node.value, value, env, scope)


def annotated_assign(walker: Walker, node: ast.AnnAssign, env: Environment, scope: str) -> None:
    """`a: T = value`: the annotation says more, unless the value is a dict whose keys are known."""
    walker.recorder.expression(node.annotation, env, scope)
    value: Term = UNKNOWN
    if node.value is not None:
        walker.recorder.expression(node.value, env, scope, node)
        value = read(node.value, env)
        mutate(walker.recorder.changing, env)
    declared = annotated(node.annotation, env) or UNKNOWN
    _target(walker, node.target, node.value, value if isinstance(value, Mapping) else declared, env, scope)


def augmented_assign(walker: Walker, node: ast.AugAssign, env: Environment, scope: str) -> None:
    """`kw |= {...}`"""
    walker.recorder.expression(node.value, env, scope, node)
    if isinstance(node.target, ast.Name) and isinstance(node.op, ast.BitOr):
        env.names[node.target.id] = merge([env.get(node.target.id), read(node.value, env)])


def delete(node: ast.Delete, env: Environment) -> None:
    """`del a`, `del kw["key"]`"""
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                env.names.pop(name, None)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                if isinstance(known := env.get(name), Mapping):
                    env.names[name] = _without(known, key)
            case _:
                pass


def _target(
    walker: Walker, target: ast.expr, source: ast.expr | None, value: Term, env: Environment, scope: str
) -> None:
    """Bind an assignment target; remember attributes set on `self`, keys set on known dicts, monkey patches."""
    recorder = walker.recorder
    walker.guard_reader.assigned(target, source)
    match target:
        case ast.Name() | ast.Tuple() | ast.List():
            bind_target(target, value, env)
            if isinstance(target, ast.Name) and target.id in walker.shared:
                before = [walker.globals[target.id]] if target.id in walker.globals else []
                walker.globals[target.id] = bounded(choice([*before, value]))
            recorder.usages.assigned(target, source)
            for element in target.elts if isinstance(target, ast.Tuple | ast.List) else ():
                if not isinstance(element, ast.Name):
                    recorder.expression(element, env, scope)
        case ast.Attribute():
            if env.class_path and read(target.value, env) == Instance(walker.class_term(env.class_path)):
                known = walker.attributes.setdefault(env.class_path, {})
                alternatives = [known[target.attr], value] if target.attr in known else [value]
                known[target.attr] = bounded(choice(alternatives))
            recorder.store(target, source, value, env, scope)
        case ast.Subscript():
            recorder.expression(target.value, env, scope)
            recorder.expression(target.slice, env, scope)
            _set_key(target, value, env)
        case _:
            pass


def _set_key(target: ast.Subscript, value: Term, env: Environment) -> None:
    """`kw["key"] = value` on a dict whose keys are known; any key may be the one that `kw[name] = value` sets."""
    known = env.get(target.value.id) if isinstance(target.value, ast.Name) else None
    if not isinstance(target.value, ast.Name) or not isinstance(known, Mapping):
        return
    match target.slice:
        case ast.Constant(value=str() as key):
            env.names[target.value.id] = merge([known, Mapping(((key, value),))])
        case _:
            env.names[target.value.id] = msgspec.structs.replace(known, open=True)


def mutate(calls: Sequence[ast.Call], env: Environment) -> None:
    """Follow what the calls in an expression do to dicts whose keys are known."""
    for node in calls:
        match node.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method):
                known = env.get(name)
                if isinstance(known, Mapping) and (changed := _mutated(known, method, node, env)) is not known:
                    env.names[name] = changed
            case _:
                pass


def _mutated(known: Mapping, method: str, call: ast.Call, env: Environment) -> Mapping:
    """`kw.update(...)`, `kw.setdefault("key", value)`, `kw.pop("key")`, `kw.clear()`"""
    match method, call.args:
        case "update", _:
            parts: list[Term] = [known, *(read(a, env) for a in call.args)]
            for keyword in call.keywords:
                value = read(keyword.value, env)
                parts.append(value if keyword.arg is None else Mapping(((keyword.arg, value),)))
            return merge(parts)
        case "setdefault", [ast.Constant(value=str() as key), *default]:
            if any(name == key for name, _ in known.items) and key not in dict(known.conditions):
                return known
            return merge([known, Mapping(((key, read(default[0], env) if default else NONE),))])
        case "pop", [ast.Constant(value=str() as key), *_]:
            return _without(known, key)
        case "clear", []:
            return Mapping(())
        case _:
            return known


def _without(known: Mapping, key: str) -> Mapping:
    return msgspec.structs.replace(
        known,
        items=tuple(item for item in known.items if item[0] != key),
        conditions=tuple(item for item in known.conditions if item[0] != key),
    )
