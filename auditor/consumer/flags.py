"""What names stand for that are tested later: attributes of classes, and flags that other modules import."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from auditor.consumer.imports import statements
from auditor.consumer.versions import looks_like_version
from auditor.reading import Environment
from auditor.terms import Guard

if TYPE_CHECKING:
    from auditor.consumer.guards import GuardReader

GIVEN = "0+given"
"""Stands for the version that a function is called with."""
_TESTS = (ast.Compare, ast.Call, ast.UnaryOp, ast.BoolOp)


class Flag(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What surely holds where a flag is set, and where it is not."""

    set: tuple[Guard, ...]
    unset: tuple[Guard, ...]


def class_definitions(body: Sequence[ast.stmt], path: str = "") -> dict[str, ast.AST]:
    """`Class.attribute` -> the one expression that is assigned to it, or the method of that name."""
    found: dict[str, ast.AST] = {}
    for statement in statements(body):
        if not isinstance(statement, ast.ClassDef):
            continue
        owner = f"{path}{statement.name}"
        found.update(class_definitions(statement.body, f"{owner}."))
        values: dict[str, list[ast.AST]] = {}
        for name, value in _assigned(statement):
            values.setdefault(f"{owner}.{name}", []).append(value)
        found.update({name: given[0] for name, given in values.items() if len(given) == 1})
    return found


def _assigned(node: ast.ClassDef) -> Iterator[tuple[str, ast.AST]]:
    for statement in statements(node.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.FunctionDef():
                yield statement.name, statement
                for inner in statements(statement.body):
                    match inner:
                        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name)]):
                            yield name, inner.value
                        case _:
                            pass
            case _:
                pass


def flags(definitions: Mapping[str, ast.AST], reader: GuardReader, env: Environment) -> dict[str, Flag]:
    """The names of a module, `name()` for functions, that tell something about a release when they are tested."""
    found: dict[str, Flag] = {}
    for name, value in definitions.items():
        if isinstance(value, ast.FunctionDef) and "." not in name:
            takes = len(value.args.args) - len(value.args.defaults)
            passed: list[ast.expr] = [ast.Constant(GIVEN)] if value.args.args else []
            if takes > 1:
                continue
            test: ast.expr = ast.Call(ast.Name(name, ast.Load()), passed, [])
            shown = f"{name}({'*' if passed else ''})"
        elif isinstance(value, _TESTS):
            test, shown = value, name
        else:
            continue
        flag = Flag(reader.read(test, env), reader.read(test, env, negated=True))
        if flag.set or flag.unset:
            found[shown] = flag
    found.update({name: Flag(there, ()) for name, there in reader.tried.items() if there})
    return found


def given_version(call: ast.Call) -> str | None:
    """The one version that a call passes, "" where it passes nothing, None where it passes anything else."""
    match call:
        case ast.Call(args=[], keywords=[]):
            return ""
        case ast.Call(args=[ast.Constant(value=str() as version)], keywords=[]):
            return version if looks_like_version(version) else None
        case _:
            return None


def filled(guards: tuple[Guard, ...], version: str) -> tuple[Guard, ...]:
    """What a function says of the version that it is called with."""
    return tuple(
        msgspec.structs.replace(
            guard,
            version=version if guard.version == GIVEN else guard.version,
            parts=filled(guard.parts, version),
        )
        for guard in guards
    )
