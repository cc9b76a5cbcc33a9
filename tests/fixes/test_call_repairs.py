"""Repairs of a call's arguments: hits, look-alikes that stay, and every layout people write."""

from __future__ import annotations

import pytest
from fixes.marked import repaired, unmarked

from auditor.fixes import RepairError

REMOVE = [
    ("only one", "x = «f(a=1)»\n", {"name": "a"}, "x = f()\n"),
    ("first", "x = «f(a=1, b=2)»\n", {"name": "a"}, "x = f(b=2)\n"),
    ("middle", "x = «f(0, a=1, b=2)»\n", {"name": "a"}, "x = f(0, b=2)\n"),
    ("last", "x = «f(0, a=1)»\n", {"name": "a"}, "x = f(0)\n"),
    ("trailing comma stays", "x = «f(0, a=1,)»\n", {"name": "a"}, "x = f(0,)\n"),
    ("before unpacking", "x = «f(a=1, **kw)»\n", {"name": "a"}, "x = f(**kw)\n"),
    ("by position", "x = «f(1, 2, 3)»\n", {"position": 1}, "x = f(1, 3)\n"),
    ("by position, expected", "x = «f(1, 2, 3)»\n", {"position": 1, "expect": "2"}, "x = f(1, 3)\n"),
    ("by position, another value", "x = «f(1, 3)»\n", {"position": 1, "expect": "2"}, "x = f(1, 3)\n"),
    ("by position, fewer passed", "x = «f(1)»\n", {"position": 1}, "x = f(1)\n"),
    ("absent", "x = «f(b=1, **kw)»\n", {"name": "a"}, "x = f(b=1, **kw)\n"),
    ("nested call of the same name", "x = «f(f(a=1), a=2)»\n", {"name": "a"}, "x = f(f(a=1))\n"),
    ("inner call", "x = f(«f(a=1)», a=2)\n", {"name": "a"}, "x = f(f(), a=2)\n"),
    ("in an f-string", "x = f'{«f(a=1)»!r:>{w}}'\n", {"name": "a"}, "x = f'{f()!r:>{w}}'\n"),
    ("decorator", "@«f(a=1, b=2)»\ndef g(): pass\n", {"name": "a"}, "@f(b=2)\ndef g(): pass\n"),
    ("semicolons", "x = 1; y = «f(a=1)»; z = 2\n", {"name": "a"}, "x = 1; y = f(); z = 2\n"),
    ("awaited", "async def g():\n    return await «f(a=1)»\n", {"name": "a"}, "async def g():\n    return await f()\n"),
    (
        "own line goes, other comments stay",
        "x = «f(\n    # about a\n    a=1,  # the a\n    # about b\n    b=2,  # the b\n)»\n",
        {"name": "a"},
        "x = f(\n    # about a\n    # about b\n    b=2,  # the b\n)\n",
    ),
    ("last own line", "x = «f(\n    b=2,  # b\n    a=1,\n)»\n", {"name": "a"}, "x = f(\n    b=2,  # b\n)\n"),
    ("last without comma", "x = «f(\n    b=2,  # b\n    a=1\n)»\n", {"name": "a"}, "x = f(\n    b=2  # b\n)\n"),
    ("aligned, last", "x = «f(b=2,\n      a=1)»\n", {"name": "a"}, "x = f(b=2)\n"),
    ("aligned, first", "x = «f(a=1,\n      b=2)»\n", {"name": "a"}, "x = f(b=2)\n"),
    ("aligned, comment before", "x = «f(b=2,  # b\n      a=1)»\n", {"name": "a"}, "x = f(b=2  # b\n      )\n"),
    ("shares its line", "x = «f(\n    a=1, b=2,\n    c=3,\n)»\n", {"name": "a"}, "x = f(\n    b=2,\n    c=3,\n)\n"),
    (
        "ends a shared line",
        "x = «f(\n    b=2, a=1,  # both\n    c=3,\n)»\n",
        {"name": "a"},
        "x = f(\n    b=2,  # both\n    c=3,\n)\n",
    ),
    ("only one on its line", "x = «f(\n    a=1,\n)»\n", {"name": "a"}, "x = f()\n"),
    ("value over lines", "x = «f(b, a=[\n    1,\n])»\n", {"name": "a"}, "x = f(b)\n"),
    ("backslash", "x = «f(b, \\\n    a=1)»\n", {"name": "a"}, "x = f(b)\n"),
    ("spaces inside", "x = «f( b, a=1 )»\n", {"name": "a"}, "x = f( b )\n"),
    ("tabs", "if x:\n\ty = «f(\n\t\ta=1,\n\t\tb=2,\n\t)»\n", {"name": "a"}, "if x:\n\ty = f(\n\t\tb=2,\n\t)\n"),
    (
        "class bases are no call",
        "x = «f(a=1)»\nclass C(f, a=1): pass\n",
        {"name": "a"},
        "x = f()\nclass C(f, a=1): pass\n",
    ),
]
ADD = [
    ("to none", "x = «f()»\n", "x = f(n=1)\n"),
    ("to a positional", "x = «f(a)»\n", "x = f(a, n=1)\n"),
    ("after a trailing comma", "x = «f(a, b,)»\n", "x = f(a, b, n=1,)\n"),
    ("before **", "x = «f(a, **kw)»\n", "x = f(a, n=1, **kw)\n"),
    ("only **", "x = «f(**kw)»\n", "x = f(n=1, **kw)\n"),
    ("after *", "x = «f(*a)»\n", "x = f(*a, n=1)\n"),
    ("between * and **", "x = «f(*a, **kw)»\n", "x = f(*a, n=1, **kw)\n"),
    ("own lines", "x = «f(\n    a,\n    b,\n)»\n", "x = f(\n    a,\n    b,\n    n=1,\n)\n"),
    ("own line, one argument", "x = «f(\n    a,\n)»\n", "x = f(\n    a,\n    n=1,\n)\n"),
    ("own lines without last comma", "x = «f(\n    a,\n    b\n)»\n", "x = f(\n    a,\n    b,\n    n=1\n)\n"),
    (
        "comments stay with theirs",
        "x = «f(\n    a,  # a\n    b  # b\n    # end\n)»\n",
        "x = f(\n    a,  # a\n    b,  # b\n    n=1\n    # end\n)\n",
    ),
    (
        "own lines before **",
        "x = «f(\n    a,  # a\n    # rest\n    **kw,\n)»\n",
        "x = f(\n    a,  # a\n    n=1,\n    # rest\n    **kw,\n)\n",
    ),
    ("aligned", "x = «f(a,\n      b)»\n", "x = f(a,\n      b,\n      n=1)\n"),
    ("hugging", "x = «f([\n    1,\n])»\n", "x = f([\n    1,\n], n=1)\n"),
    ("one line of all", "x = «f(\n    a, b\n)»\n", "x = f(\n    a, b, n=1\n)\n"),
    ("comment in empty brackets", "x = «f(\n    # nothing\n)»\n", "x = f(\n    # nothing\n    n=1,\n)\n"),
    ("generator gets brackets", "x = «f(i for i in y)»\n", "x = f((i for i in y), n=1)\n"),
    ("spaced equals", "x = «f(a = 1)»\n", "x = f(a = 1, n = 1)\n"),
    ("already there", "x = «f(n=1)»\n", "x = f(n=1)\n"),
    ("inner", "x = f(g(«h(a)»), b)\n", "x = f(g(h(a, n=1)), b)\n"),
    ("chained", "x = «f(a)».g(b)\n", "x = f(a, n=1).g(b)\n"),
    ("method", "x = «f(a).g(b)»\n", "x = f(a).g(b, n=1)\n"),
    ("lambda body", "x = lambda: «f(a)»\n", "x = lambda: f(a, n=1)\n"),
]
KEYWORD = [
    ("last", "«f(1, 2)»\n", {"position": 1, "name": "b"}, "f(1, b=2)\n"),
    ("already", "«f(1, b=2)»\n", {"position": 1, "name": "b"}, "f(1, b=2)\n"),
    (
        "with comments",
        "«f(\n    1,  # one\n    2,  # two\n)»\n",
        {"position": 1, "name": "b"},
        "f(\n    1,  # one\n    b=2,  # two\n)\n",
    ),
    ("walrus", "«f(y := 1)»\n", {"position": 0, "name": "b"}, "f(b=(y := 1))\n"),
    ("generator", "«f(i for i in y)»\n", {"position": 0, "name": "b"}, "f(b=(i for i in y))\n"),
    ("before **", "«f(1, **kw)»\n", {"position": 0, "name": "b"}, "f(b=1, **kw)\n"),
]


@pytest.mark.parametrize(("before", "options", "after"), [c[1:] for c in REMOVE], ids=[c[0] for c in REMOVE])
def test_remove_argument(before, options, after):
    assert repaired(before, ("remove-argument", options)) == after


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in ADD], ids=[c[0] for c in ADD])
def test_add_argument(before, after):
    assert repaired(before, ("add-argument", {"name": "n", "value": "1"})) == after


@pytest.mark.parametrize(("before", "options", "after"), [c[1:] for c in KEYWORD], ids=[c[0] for c in KEYWORD])
def test_to_keyword(before, options, after):
    assert repaired(before, ("to-keyword", options)) == after


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a, b", "(a, b)"),
        ("(a, b)", "(a, b)"),
        ("y := 1", "(y := 1)"),
        ("lambda: 0", "lambda: 0"),
        ("a if b else c", "a if b else c"),
        ('"x"', '"x"'),
    ],
)
def test_an_added_value_is_one_argument(value, written):
    assert repaired("«f(a)»\n", ("add-argument", {"name": "n", "value": value})) == f"f(a, n={written})\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("«f(old=1)»\n", "f(new=1)\n"),
        ("«f(new=1)»\n", "f(new=1)\n"),
        ("«f(a, old = g(old=2),  )»\n", "f(a, new = g(old=2),  )\n"),
        ("@«deco(old=1)»\nclass C: pass\n", "@deco(new=1)\nclass C: pass\n"),
        ("f'{«f(old=1)»}'\n", "f'{f(new=1)}'\n"),
    ],
)
def test_rename_argument(before, after):
    assert repaired(before, ("rename-argument", {"name": "old", "new_name": "new"})) == after


@pytest.mark.parametrize(
    ("source", "repair", "options", "message"),
    [
        ("«f(1)»\n", "rename-argument", {"name": "a", "new_name": "b"}, "neither `a` nor `b`"),
        ("«f(a=1, b=1)»\n", "rename-argument", {"name": "a", "new_name": "b"}, "both `a` and `b`"),
        ("«f(a=1)»\n", "add-argument", {"name": "a", "value": "2"}, "already passes `a=1`"),
        ("«f(a=1)»\n", "add-argument", {"name": "b", "value": "2 +"}, "is not an expression"),
        ("«f(a=1)»\n", "add-argument", {"name": "b c", "value": "2"}, "is not a name"),
        ("«f(1, 2)»\n", "to-keyword", {"position": 0, "name": "a"}, "can then not be a keyword"),
        ("«f(1)»\n", "to-keyword", {"position": 1, "name": "a"}, "no positional argument 1"),
        ("«f(*x, 1)»\n", "remove-argument", {"position": 0}, "cannot be counted"),
        ("«f(1)»\n", "remove-argument", {}, "either `name` or `position`"),
        ("«f(1)»\n", "remove-argument", {"name": "a", "what": 1}, "unknown field `what`"),
        ("«f(1)»\n", "remove-argument", {"position": "0"}, "Expected `int"),
        ("«f(1)»\n", "no-such-repair", {}, "no repair called"),
        ("«x» = 1\n", "remove-argument", {"name": "a"}, "Nothing that this repair could act on"),
    ],
)
def test_what_cannot_be_done_says_why(source, repair, options, message):
    with pytest.raises(RepairError, match=message):
        repaired(source, (repair, options))


@pytest.mark.parametrize(
    "repair", [("remove-argument", {"name": "gone"}), ("rename-argument", {"name": "gone", "new_name": "n"})]
)
def test_a_span_inside_the_call_means_the_call(repair):
    assert "gone" not in repaired("x = f(a, «gone=1»)\n", repair)
    assert "gone" not in repaired("x = «f»(a, gone=1)\n", repair)


def test_marks_are_read_as_spans():
    _, spans = unmarked("a\nxé«f(\n  1)»\n")
    assert (spans[""].line, spans[""].column, spans[""].end_line, spans[""].end_column) == (2, 3, 3, 5)


def test_a_long_value_is_broken_over_lines():
    value = " * ".join(f"self.vllm_config.some_config.factor_{n}" for n in range(3))
    add = ("add-argument", {"name": "n", "value": value})
    after = repaired("class C:\n    x = «f(\n        a,\n    )»\n", add)
    assert after == (
        "class C:\n    x = f(\n        a,\n        n=(\n            self.vllm_config.some_config.factor_0\n"
        "            * self.vllm_config.some_config.factor_1\n            * self.vllm_config.some_config.factor_2\n"
        "        ),\n    )\n"
    )
    assert repaired(after.replace("f(\n        a", "«f(\n        a").replace("    )\n", "    )»\n"), add) == after
