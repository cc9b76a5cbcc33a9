"""One normal form for expressions: what is spelled means what was read, and formatting makes no difference."""

from __future__ import annotations

import ast

import pytest

from auditor.spelling import constant, spell


def tree(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


@pytest.mark.parametrize(
    "source",
    [
        "a.b.c(1, *x, k='v', **z)",
        "a[1:2, ::3]",
        "a[1,]",
        "a[()]",
        "(a,)",
        "()",
        "{1, 2}",
        "{'a': 1, **b}",
        "a + b * c - (d - e)",
        "(a + b) * c",
        "-a ** -b",
        "(-a) ** b",
        "(a ** b) ** c",
        "not a and (b or c) or d",
        "a if b else c if d else e",
        "(a if b else c) if d else e",
        "a < b <= c is not d",
        "(a < b) == c",
        "a not in b",
        "[x for y in z if y for x in (y, z) if x]",
        "{k: v for k, v in x}",
        "f(x for x in y)",
        "(await a).b",
        "await a.b",
        "(x := 1)",
        "f(x=(y := 1))",
        "lambda x, *y: (x, y)",
        "(lambda: 1)()",
        "(1).real",
        "1e999",
        "-1e999j",
        "b'x'",
        "...",
        "f'{x!r:>{width}} {{}} {y}'",
        "a | b & c ^ d << e",
        "x[lambda: 1]",
        "(yield)",
        "~a @ b // c % d",
        "a and not b",
        "not (a and b)",
        "[*a, *(b or c)]",
    ],
)
def test_spelled_text_means_the_same(source: str) -> None:
    assert ast.dump(tree(spell(tree(source)))) == ast.dump(tree(source))


@pytest.mark.parametrize(
    ("one", "other"),
    [("f( a,\n b )", "f(a, b)"), ('"x"', "'x'"), ("(a)", "a"), ("[1,\n 2,\n]", "[1, 2]"), ("0x10", "16")],
)
def test_formatting_makes_no_difference(one: str, other: str) -> None:
    assert spell(tree(one)) == spell(tree(other))


def test_long_and_deep_things_end() -> None:
    assert len(constant("x" * 10_000)) < 3000
    assert constant(16**10_000).startswith("0x1")
    assert spell(tree("a" + ".b" * 900)).startswith(("a.b", "..."))
