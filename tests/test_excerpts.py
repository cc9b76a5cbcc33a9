"""Parts of a module parse to what the whole has there."""

from __future__ import annotations

import ast

import pytest

from auditor.excerpts import parse_around

SOURCE = '''\
"""Doc."""
import os

try:
    hit_0()
except ImportError:
    pass


@decorated(
    deeply,
)
@again
class A(B):
    def f(self):
        return hit_1()


if os.name == "nt":
    def g(): hit_2()
else:
    def g(): hit_3()


async def h():
    hit_4()
'''


def calls(tree: ast.AST) -> set[tuple[str, int, int]]:
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func).startswith("hit")]
    return {(ast.unparse(node.func), node.lineno, node.col_offset) for node in found}


@pytest.mark.parametrize("name", [f"hit_{n}" for n in range(5)])
def test_a_part_is_where_the_whole_has_it(name: str) -> None:
    whole = {call for call in calls(ast.parse(SOURCE)) if call[0] == name}
    parts = parse_around(SOURCE, [SOURCE.index(name)])
    assert {call for part in parts for call in calls(part) if call[0] == name} == whole
    assert len(parts) == 1
    assert len(ast.dump(parts[0])) < len(ast.dump(ast.parse(SOURCE)))


def test_a_decorated_class_is_whole() -> None:
    (part,) = parse_around(SOURCE, [SOURCE.index("hit_1")])
    assert isinstance(part.body[0], ast.ClassDef)
    assert len(part.body[0].decorator_list) == 2


def test_neighbours_are_parsed_once() -> None:
    assert len(parse_around(SOURCE, [SOURCE.index("hit_1"), SOURCE.index("hit_2")])) == 1


def test_what_only_looks_like_a_definition_does_not_mislead() -> None:
    source = 'def f():\n    text = """\nclass Fake:\n    hit_0()\n"""\n    return hit_1()\n'
    parts = parse_around(source, [source.index("hit_1")])
    assert {call for part in parts for call in calls(part)} == {("hit_1", 6, 11)}


def test_a_broken_module_is_refused() -> None:
    with pytest.raises(SyntaxError):
        parse_around("def f(:\n    hit()\n", [9])
