"""What is read of modules agrees with griffe, the well-kept reader of Python APIs, wherever both say something."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import griffe
import pytest

from auditor.api import ClassApi, Definition, FunctionApi
from auditor.provider.signatures import read_module

STDLIB = Path(sysconfig.get_path("stdlib"))
KINDS = {
    griffe.ParameterKind.positional_only: "positional-only",
    griffe.ParameterKind.positional_or_keyword: "positional-or-keyword",
    griffe.ParameterKind.var_positional: "var-positional",
    griffe.ParameterKind.keyword_only: "keyword-only",
    griffe.ParameterKind.var_keyword: "var-keyword",
}


@pytest.mark.parametrize("package", ["argparse", "asyncio", "concurrent", "email", "http", "importlib", "typing"])
def test_the_same_functions_with_the_same_parameters(package: str) -> None:
    tree = griffe.load(package, search_paths=[STDLIB], allow_inspection=False, resolve_aliases=False)
    compared = 0
    for module in _modules(tree):
        path = module.filepath
        assert isinstance(path, Path)
        api = read_module(module.path, path.read_bytes(), is_package=path.name == "__init__.py")
        for where, function, definitions in _functions(module, api.names):
            mine = definitions[-1]
            assert isinstance(mine, FunctionApi), where
            theirs = [
                (p.name, KINDS[p.kind], p.default is not None and "var-" not in KINDS[p.kind])
                for p in function.parameters
                if p.kind is not None
            ]
            assert [(p.name, p.kind, p.default is not None) for p in mine.parameters] == theirs, where
            assert mine.is_async == ("async" in function.labels), where
            compared += 1
    assert compared > 10


def _modules(module: griffe.Object | griffe.Alias) -> Iterator[griffe.Module]:
    if isinstance(module, griffe.Module):
        yield module
        for member in module.members.values():
            yield from _modules(member)


def _functions(
    of: griffe.Module | griffe.Class, mine: dict[str, tuple[Definition, ...]]
) -> Iterator[tuple[str, griffe.Function, tuple[Definition, ...]]]:
    """griffe's functions of a module or class, each with what we read of that name, where one definition is certain."""
    for name, member in of.members.items():
        definitions = mine.get(name, ())
        if len(definitions) != 1:
            continue
        if isinstance(member, griffe.Function) and not member.overloads:
            yield member.path, member, definitions
        elif isinstance(member, griffe.Class) and isinstance(definitions[0], ClassApi):
            yield from _functions(member, definitions[0].members)
