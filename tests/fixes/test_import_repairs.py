"""Repairs of imports: one name moves or is renamed, everything else on the line, in the block and in the file stays."""

# ruff: noqa: E501 - a table reads best with a case on a line

from __future__ import annotations

import pytest
from fixes.marked import repaired

from auditor.fixes import RepairError

MOVE = [
    ("alone", "«from a import X»\n", "from b.c import X\n"),
    ("under another name", "«from a import X as Y»  # noqa\n", "from b.c import X as Y  # noqa\n"),
    ("of two", "«from a import X, Y»\n", "from a import Y\nfrom b.c import X\n"),
    ("last of two", "«from a import Y, X as Z»  # both\n", "from a import Y  # both\nfrom b.c import X as Z\n"),
    (
        "from a block",
        "«from a import (\n    W,\n    X,  # noqa: F401\n    Y,\n)»\nz = 1\n",
        "from a import (\n    W,\n    Y,\n)\nfrom b.c import X  # noqa: F401\nz = 1\n",
    ),
    ("last of a block", "«from a import (\n    W,\n    X\n)»\n", "from a import (\n    W\n)\nfrom b.c import X\n"),
    ("block on one line", "«from a import (W, X)»\n", "from a import (W)\nfrom b.c import X\n"),
    (
        "in try",
        "try:\n    «from a import X, Y»\nexcept ImportError:\n    X = None\n",
        "try:\n    from a import Y\n    from b.c import X\nexcept ImportError:\n    X = None\n",
    ),
    ("in a function", "def f():\n\t«from a import X»\n\treturn X\n", "def f():\n\tfrom b.c import X\n\treturn X\n"),
    (
        "for type checking",
        "if TYPE_CHECKING:\n    «from a import X»\n    from a import Y\n",
        "if TYPE_CHECKING:\n    from b.c import X\n    from a import Y\n",
    ),
    ("one-line body", "if x: «from a import X, Y»\n", "if x: from a import Y; from b.c import X\n"),
    ("semicolons", "import q; «from a import X, Y»; z = 1\n", "import q; from a import Y; from b.c import X; z = 1\n"),
    ("relative look-alike", "«from .a import X»\nfrom .b import X\n", "from b.c import X\nfrom .b import X\n"),
    ("there already", "«from b.c import X»\n", "from b.c import X\n"),
    ("CRLF", "«from a import X, Y»\r\nz = 1\r\n", "from a import Y\r\nfrom b.c import X\r\nz = 1\r\n"),
    (
        "comment above",
        "# the X\n«from a import X, Y»\n\n\nz = 1\n",
        "# the X\nfrom a import Y\nfrom b.c import X\n\n\nz = 1\n",
    ),
]
PLAIN = [
    ("with alias", "«import a.b as m»\nm.f()\n", "import c.d as m\nm.f()\n"),
    ("with uses", "«import a.b»\nx = a.b.f(a.b)\ny = a_b.a.b\n", "import c.d\nx = c.d.f(c.d)\ny = a_b.a.b\n"),
    ("of several", "«import os, a.b»\na.b.f(os)\n", "import os, c.d\nc.d.f(os)\n"),
    (
        "in a function",
        "def f():\n    «import a.b»\n    return a.b.x\ndef g(a):\n    return a.b.x\n",
        "def f():\n    import c.d\n    return c.d.x\ndef g(a):\n    return a.b.x\n",
    ),
    ("there already", "«import c.d»\nc.d.f()\n", "import c.d\nc.d.f()\n"),
    (
        "another import serves the rest",
        "import a.q\n«import a.b»\na.b.f(a.q)\n",
        "import a.q\nimport c.d\nc.d.f(a.q)\n",
    ),
]
RENAME = [
    ("with uses", "«from a import old»\nx = old(old.y)\n", "from a import new\nx = new(new.y)\n"),
    ("of several", "«from a import z, old»\nx = old()\n", "from a import z, new\nx = new()\n"),
    ("aliased", "«from a import old as o»\nx = o()\n", "from a import new as o\nx = o()\n"),
    ("attribute look-alike", "«from a import old»\nx.old = old\n", "from a import new\nx.old = new\n"),
    ("keyword look-alike", "«from a import old»\nf(old=old)\n", "from a import new\nf(old=new)\n"),
    ("parameter of the same name", "«from a import old»\ndef f(old): return old\nold\n", "from a import new\ndef f(old): return old\nnew\n"),
    ("alternative import", "try:\n    «from a import old»\nexcept ImportError:\n    from b import old\nold()\n", "try:\n    from a import new as old\nexcept ImportError:\n    from b import old\nold()\n"),
    ("assigned later", "«from a import old»\nif old is None:\n    old = 1\n", "from a import new as old\nif old is None:\n    old = 1\n"),
    ("new name taken", "«from a import old»\nnew = 1\nold()\n", "from a import new as old\nnew = 1\nold()\n"),
    ("new name taken inside", "«from a import old»\ndef f(new):\n    return old\n", "from a import new as old\ndef f(new):\n    return old\n"),
    ("exported", "«from a import old»\n__all__ = ['old']\n", "from a import new as old\n__all__ = ['old']\n"),
    ("annotation in a string", "«from a import old»\ndef f(x: 'old'): old\n", "from a import new as old\ndef f(x: 'old'): old\n"),
    ("annotation", "«from a import old»\ndef f(x: old) -> list[old]: pass\n", "from a import new\ndef f(x: new) -> list[new]: pass\n"),
    ("decorator and base", "«from a import old»\n@old\nclass C(old): x = f'{old}'\n", "from a import new\n@new\nclass C(new): x = f'{new}'\n"),
    ("there already", "«from a import new»\nnew()\n", "from a import new\nnew()\n"),
]  # fmt: skip
ADD = [
    ("after its package", "import os\nfrom a import X\nimport z\n\nf()\n", "import os\nfrom a import X\nfrom a.b import N\nimport z\n\nf()\n"),
    ("after the last import", "import os\nimport z\n\nf()\n", "import os\nimport z\nfrom a.b import N\n\nf()\n"),
    ("after a docstring", '"""Doc."""\n\nf()\n', '"""Doc."""\n\nfrom a.b import N\n\nf()\n'),
    ("after the future", "from __future__ import annotations\n\nf()\n", "from __future__ import annotations\n\nfrom a.b import N\n\nf()\n"),
    ("below opening comments", "#!/usr/bin/python\n# coding: utf-8\n\nf()\n", "#!/usr/bin/python\n# coding: utf-8\n\nfrom a.b import N\n\nf()\n"),
    ("not twice", "from a.b import M, N\nf()\n", "from a.b import M, N\nf()\n"),
    ("under another name is another", "from a.b import N as M\nf()\n", "from a.b import N as M\nfrom a.b import N\nf()\n"),
    ("not behind the first definition", "import os\ndef f(): pass\nimport a\n", "import os\nfrom a.b import N\ndef f(): pass\nimport a\n"),
    ("empty file", "", "from a.b import N\n"),
    ("CRLF", "import os\r\nf()\r\n", "import os\r\nfrom a.b import N\r\nf()\r\n"),
]  # fmt: skip


def ids(cases):
    return [case[0] for case in cases]


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in MOVE], ids=ids(MOVE))
def test_move_import(before, after):
    assert repaired(before, ("move-import", {"name": "X", "new_module": "b.c"})) == after


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in PLAIN], ids=ids(PLAIN))
def test_move_plain_import(before, after):
    assert repaired(before, ("move-import", {"name": "a.b", "new_module": "c.d"})) == after


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in RENAME], ids=ids(RENAME))
def test_rename_symbol(before, after):
    assert repaired(before, ("rename-symbol", {"name": "old", "new_name": "new"})) == after


@pytest.mark.parametrize(("before", "after"), [c[1:] for c in ADD], ids=ids(ADD))
def test_add_import(before, after):
    assert repaired(f"«»{before}", ("add-import", {"module": "a.b", "name": "N"})) == after


def test_a_moved_name_may_be_another_one_there():
    move = ("move-import", {"name": "X", "new_module": "b", "new_name": "N"})
    assert repaired("«from a import X»\nX()\n", move) == "from b import N as X\nX()\n"
    assert repaired("«from a import X as Y, Z»\n", move) == "from a import Z\nfrom b import N as Y\n"


def test_two_names_move_from_one_statement():
    moves = [("move-import", {"name": name, "new_module": "b"}) for name in ("X", "Y")]
    assert repaired("«from a import X, Y, Z»\n", *moves) == "from a import Z\nfrom b import X\nfrom b import Y\n"


def test_an_import_can_keep_its_name():
    assert repaired(
        "«from a import old»\nold()\n", ("rename-symbol", {"name": "old", "new_name": "new", "keep": True})
    ) == ("from a import new as old\nold()\n")


def test_add_import_forms():
    assert repaired("«»import os\n", ("add-import", {"module": "a.b"})) == "import os\nimport a.b\n"
    assert repaired("«»import os\n", ("add-import", {"module": "a", "alias": "q"})) == "import os\nimport a as q\n"
    named = ("add-import", {"module": "a", "name": "N", "alias": "M"})
    assert repaired("«»import os\n", named) == "import os\nfrom a import N as M\n"
    assert repaired("«»from a import N as M\n", named) == "from a import N as M\n"


@pytest.mark.parametrize(
    ("source", "repair", "options", "message"),
    [
        ("«from a import *»\n", "move-import", {"name": "X", "new_module": "b"}, "names nothing"),
        ("«from a import Y»\n", "move-import", {"name": "X", "new_module": "b"}, "not imported from `a` here"),
        ("«import a.b»\na.b.f(a.q)\n", "move-import", {"name": "a.b", "new_module": "c"}, "also binds `a` for `a.q`"),
        ("«from a import Y»\n", "rename-symbol", {"name": "X", "new_name": "Z"}, "not imported from `a` here"),
        ("«»from q import N\n", "add-import", {"module": "a", "name": "N"}, "already means something else"),
        ("«»N = 1\n", "add-import", {"module": "a", "name": "N"}, "already means something else"),
        ("«»def N(): pass\n", "add-import", {"module": "a", "name": "N"}, "already means something else"),
    ],
)
def test_what_cannot_be_done_says_why(source, repair, options, message):
    with pytest.raises(RepairError, match=message):
        repaired(source, (repair, options))
