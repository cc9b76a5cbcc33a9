"""Classes that functions define: what can be said of them, under names that nothing else can have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditor.api import AttributeApi, ClassApi, Decorator, Definition, FunctionApi, Parameter, ParameterKind
from auditor.consumer.imports import statements
from auditor.reading import Environment, annotated, annotation, read, text


def local_path(scope: str, name: str) -> str:
    """What to call a class that a function defines."""
    return f"{scope}.{name}".replace(".", "/")


def is_local(path: str) -> bool:
    """Whether a class of this name is one that a function defines."""
    return "/" in path


def local_class(node: ast.ClassDef, path: str, env: Environment, inner: Environment) -> ClassApi:
    """A class inside a function, read with the names around it.

    Args:
        node: The statement.
        path: What it is called.
        env: The names around it.
        inner: The names inside it, after its body was walked.
    """
    members: dict[str, tuple[Definition, ...]] = {}
    for definition in _members(node, inner):
        members[definition.name] = (*members.get(definition.name, ()), definition)
    return ClassApi(
        path,
        node.lineno,
        tuple(read(base, env) for base in node.bases),
        tuple(map(text, node.bases)),
        tuple((k.arg, text(k.value)) for k in node.keywords if k.arg is not None),
        decorators=_decorators(node, env),
        members=members,
    )


def _members(node: ast.ClassDef, env: Environment) -> Iterator[FunctionApi | AttributeApi]:
    for statement in statements(node.body):
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield FunctionApi(
                    statement.name,
                    statement.lineno,
                    tuple(_parameters(statement.args, env)),
                    text(statement.returns) if statement.returns is not None else None,
                    annotated(statement.returns, env),
                    is_async=isinstance(statement, ast.AsyncFunctionDef),
                    decorators=_decorators(statement, env),
                )
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield AttributeApi(name, statement.lineno, value=text(value), term=read(value, env))
            case ast.AnnAssign(target=ast.Name(id=name)):
                shown, said = text(statement.annotation), annotation(statement.annotation, env)
                given = (text(statement.value), read(statement.value, env)) if statement.value else (None, None)
                yield AttributeApi(name, statement.lineno, shown, said, *given)
            case _:
                pass


def _decorators(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, env: Environment) -> tuple[Decorator, ...]:
    return tuple(Decorator(text(d), read(d.func if isinstance(d, ast.Call) else d, env)) for d in node.decorator_list)


def _parameters(given: ast.arguments, env: Environment) -> Iterator[Parameter]:
    def parameter(one: ast.arg, kind: ParameterKind, default: ast.expr | None = None) -> Parameter:
        shown = text(one.annotation) if one.annotation is not None else None
        value = text(default) if default is not None else None
        return Parameter(one.arg, kind, value, shown, annotation(one.annotation, env))

    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    for index, (one, default) in enumerate(zip(plain, defaults, strict=True)):
        yield parameter(one, "positional-only" if index < len(given.posonlyargs) else "positional-or-keyword", default)
    if given.vararg is not None:
        yield parameter(given.vararg, "var-positional")
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield parameter(one, "keyword-only", default)
    if given.kwarg is not None:
        yield parameter(given.kwarg, "var-keyword")
