"""Repairs of attributes, expressions, statements and definitions."""

# ruff: noqa: E501 - a table reads best with a case on a line

from __future__ import annotations

import pytest
from fixes.marked import repaired

from auditor.fixes import RepairError

CASES = {
    "rename-attribute": [
        ("«x.old»()\n", {"new_name": "new"}, "x.new()\n"),
        ("x.«old»()\n", {"new_name": "new", "name": "old"}, "x.new()\n"),
        ("x.«old».old\n", {"new_name": "new"}, "x.new.old\n"),
        ("x  .  «old»\n", {"new_name": "new"}, "x  .  new\n"),
        ("«x.old» = 1; del x.old\n", {"new_name": "new"}, "x.new = 1; del x.old\n"),
        ("«m.model»\n", {"name": "model", "new_name": "language_model.model"}, "m.language_model.model\n"),
        ("«x.new»\n", {"new_name": "new"}, "x.new\n"),
        ("f'{«x.old»=}'\n", {"new_name": "new"}, "f'{x.new=}'\n"),
    ],
    "replace-expression": [
        ("x = «a»\n", {"text": "b"}, "x = b\n"),
        ("x = «a».c\n", {"text": "b or d"}, "x = (b or d).c\n"),
        ("x = («a»).c\n", {"text": "b or d"}, "x = (b or d).c\n"),
        ("f(«a», 1)\n", {"text": "b, c"}, "f((b, c), 1)\n"),
        ("f(*«a»)\n", {"text": "b or c"}, "f(*(b or c))\n"),
        ("x = not «a»\n", {"text": "b and c"}, "x = not (b and c)\n"),
        ("return_ = [«a» for i in y]\n", {"text": "lambda: 0"}, "return_ = [(lambda: 0) for i in y]\n"),
        ("x = «a»\n", {"text": "b, c"}, "x = b, c\n"),
        ("x = «b»\n", {"text": "b"}, "x = b\n"),
        ("x = «f(a)»\n", {"text": "g(\n    1,\n)", "expect": "f(a)"}, "x = g(\n    1,\n)\n"),
        ("x = f'{«a»}'\n", {"text": "b if c else d"}, "x = f'{(b if c else d)}'\n"),
    ],
    "wrap-expression": [
        ("x = «f(a)»\n", {"before": "list(", "after": ")"}, "x = list(f(a))\n"),
        ("x = «list(f(a))»\n", {"before": "list(", "after": ")"}, "x = list(f(a))\n"),
        ("x = «a or b»\n", {"before": "list(", "after": ")"}, "x = list(a or b)\n"),
        ("x = «a or b»\n", {"after": ".c"}, "x = (a or b).c\n"),
        ("x = «f()» + 1\n", {"after": " or 0"}, "x = (f() or 0) + 1\n"),
        ("for i in «f()»: pass\n", {"before": "sorted(", "after": ", key=k)"}, "for i in sorted(f(), key=k): pass\n"),
        ("x = «f(  # why\n    a)»\n", {"before": "[", "after": "]"}, "x = [f(  # why\n    a)]\n"),
    ],
    "drop-subscript": [
        ("x = «f(a)[0]»\n", {}, "x = f(a)\n"),
        ("x = «f(a)»[0]\n", {"index": "0"}, "x = f(a)\n"),
        ("x = await «f(a)»\n", {}, "x = await f(a)\n"),
        ("async def g(): return (await «f(a)»)[0].x\n", {}, "async def g(): return (await f(a)).x\n"),
        ("async def g(): return (await «f(a)»)[0]\n", {}, "async def g(): return await f(a)\n"),
        ("x = y[«f(a)»]\n", {}, "x = y[f(a)]\n"),
        ("(x, y), z = («y»[0])\n", {}, "(x, y), z = (y)\n"),
        ("x = «f(\n    a,  # a\n)»[0]  # first\n", {}, "x = f(\n    a,  # a\n)  # first\n"),
        ("x = (a or b)[«0»], «1¦c»[0]\n".replace("«0»", "0").replace("1¦", ""), {}, "x = (a or b)[0], c\n"),
        ("x = «y[0]»[1]\n", {}, "x = y[1]\n"),
    ],
    "remove-await": [
        ("async def g():\n    x = «await f()»\n", {}, "async def g():\n    x = f()\n"),
        ("async def g():\n    x = await «f()»\n", {}, "async def g():\n    x = f()\n"),
        ("async def g():\n    x = (await «f()»).y\n", {}, "async def g():\n    x = (f()).y\n"),
        ("async def g():\n    x = «f()»\n", {}, "async def g():\n    x = f()\n"),
    ],
    "add-await": [
        ("async def g():\n    x = «f()»\n", {}, "async def g():\n    x = await f()\n"),
        ("async def g():\n    x = await «f()»\n", {}, "async def g():\n    x = await f()\n"),
        ("async def g():\n    x = «f()».y[0]\n", {}, "async def g():\n    x = (await f()).y[0]\n"),
        ("async def g():\n    «f()»\n", {}, "async def g():\n    await f()\n"),
        ("async def g():\n    h(«f()», 1 + 2)\n", {}, "async def g():\n    h(await f(), 1 + 2)\n"),
    ],
    "insert-statement": [
        ("x = «f()»\n", {"text": "a = 1"}, "a = 1\nx = f()\n"),
        ("x = «f()»\n", {"text": "a = 1", "where": "after"}, "x = f()\na = 1\n"),
        ("a = 1\nx = «f()»\n", {"text": "a = 1"}, "a = 1\nx = f()\n"),
        ("if b:\n\n    # why\n    x = «f()»  # c\n", {"text": "if a:\n    b = 1"}, "if b:\n\n    if a:\n        b = 1\n    # why\n    x = f()  # c\n"),
        ("if b:\n\tx = «f()»\n", {"text": "if a:\n    b = 1"}, "if b:\n\tif a:\n\t\tb = 1\n\tx = f()\n"),
        ("if b: x = «f()»\n", {"text": "a = 1"}, "if b: a = 1; x = f()\n"),
        ("if b: x = «f()»\n", {"text": "if a: c = 1"}, "if b:\n    if a: c = 1\n    x = f()\n"),
        ("z = 1; x = «f()»; y = 2\n", {"text": "a = 1", "where": "after"}, "z = 1; x = f(); a = 1; y = 2\n"),
        ("for i in «f()»:\n    pass\n", {"text": "a = 1"}, "a = 1\nfor i in f():\n    pass\n"),
        ("@«d()»\ndef g(): pass\n", {"text": "a = 1"}, "a = 1\n@d()\ndef g(): pass\n"),
        ("with «f()» as x:\n    pass\n# end\n", {"text": "a = 1", "where": "after"}, "with f() as x:\n    pass\na = 1\n# end\n"),
        ("x = [\n    «f()»,\n]\ny = 1\n", {"text": "a = 1  # one\nb = 2", "where": "after"}, "x = [\n    f(),\n]\na = 1  # one\nb = 2\ny = 1\n"),
        ("def g():\r\n    return «f()»\r\n", {"text": "a = 1\nif a:\n    b = 2"}, "def g():\r\n    a = 1\r\n    if a:\r\n        b = 2\r\n    return f()\r\n"),
    ],
    "add-parameter": [
        ("def «f»(): pass\n", {"name": "n"}, "def f(n=None): pass\n"),
        ("def «f»(self, a, *args, **kw): pass\n", {"name": "n", "default": "1"}, "def f(self, a, n=1, *args, **kw): pass\n"),
        ("def «f»(self, /, *, k): pass\n", {"name": "n", "annotation": "int | None"}, "def f(self, /, n: int | None = None, *, k): pass\n"),
        ("def «f»(self, **kw): pass\n", {"name": "n", "keyword_only": True}, "def f(self, *, n=None, **kw): pass\n"),
        ("def «f»(self, *args): pass\n", {"name": "n", "keyword_only": True}, "def f(self, *args, n=None): pass\n"),
        ("def «f»(self, n): pass\n", {"name": "n"}, "def f(self, n): pass\n"),
        ("class C:\n    @d\n    async def «f»(\n        self,\n        a: int,  # a\n    ) -> int:\n        return a\n", {"name": "n"}, "class C:\n    @d\n    async def f(\n        self,\n        a: int,  # a\n        n=None,\n    ) -> int:\n        return a\n"),
    ],
    "assign-attribute": [
        ("class C:\n    def __init__(self):\n        self.a = 1\n    def f(self): «g()»\n", {"name": "n", "value": "make(self.a)"}, "class C:\n    def __init__(self):\n        self.a = 1\n        self.n = make(self.a)\n    def f(self): g()\n"),
        ("class C:\n    def __init__(self):\n        self.n = ( 1 )\n    def f(self): «g()»\n", {"name": "n", "value": "1"}, "class C:\n    def __init__(self):\n        self.n = ( 1 )\n    def f(self): g()\n"),
        ("class C:\n    def __init__(this): pass\n    x = «g()»\n", {"name": "n", "value": "1", "receiver": "this"}, "class C:\n    def __init__(this): pass; this.n = 1\n    x = g()\n"),
        ("class C:\n    def __init__(self):\n        «g()»\n        return  # c\n", {"name": "n", "value": "1"}, "class C:\n    def __init__(self):\n        g()\n        self.n = 1\n        return  # c\n"),
    ],
    "assign-result": [
        ("«f(x)»  # c\n", {"name": "n"}, "n = f(x)  # c\n"),
        ("async def g():\n    await «f(x)»; y = 1\n", {"name": "n"}, "async def g():\n    n = await f(x); y = 1\n"),
        ("m = «f(x)»\n", {"name": "n"}, "m = f(x)\n"),
    ],
    "rename-parameter": [
        ("def «f»(self, old): return old\n", {"name": "old", "new_name": "new"}, "def f(self, new): return new\n"),
        ("def «f»(self, *, old=1): x.old = g(old=old)\n", {"name": "old", "new_name": "new"}, "def f(self, *, new=1): x.old = g(old=new)\n"),
        ("old = 1\ndef «f»(old: int = old):\n    old += 1\n    return lambda: old\n", {"name": "old", "new_name": "new"}, "old = 1\ndef f(new: int = old):\n    new += 1\n    return lambda: new\n"),
        ("def «f»(new): return new\n", {"name": "old", "new_name": "new"}, "def f(new): return new\n"),
        ("def «f»(old):\n    def g(old): return old\n    return g(old)\n", {"name": "old", "new_name": "new"}, "def f(new):\n    def g(old): return old\n    return g(new)\n"),
    ],
}  # fmt: skip
TABLE = [(repair, *case) for repair, cases in CASES.items() for case in cases]
REFUSED = [
    ("«x.other»\n", "rename-attribute", {"new_name": "new", "name": "old"}, "is `other`, not `old`"),
    ("x = «f(b)»\n", "replace-expression", {"text": "g()", "expect": "f(a)"}, r"is `f\(b\)`, not `f\(a\)`"),
    ("x = «f(b)»\n", "wrap-expression", {"before": "(", "after": ""}, "not an expression"),
    ("x = «f(b)»\n", "wrap-expression", {}, "needs `before` or `after`"),
    ("x = «f(b)»[1]\n", "drop-subscript", {"index": "0"}, r"is `\[1\]`, not `\[0\]`"),
    ("def g(): «f()»\n", "add-await", {}, "needs an async function"),
    ("async def g(): return lambda: «f()»\n", "add-await", {}, "needs an async function"),
    ("if a:\n    pass\nelif «f()»:\n    pass\n", "insert-statement", {"text": "x = 1"}, "beside an `elif`"),
    ("x = 1; y = «f()»\n", "insert-statement", {"text": "if a: pass"}, "share a line"),
    ("x = «f()»\n", "insert-statement", {"text": "if"}, "is not a statement"),
    ("x = «f()»\n", "insert-statement", {"text": "x = 1", "where": "above"}, "Invalid enum value"),
    ("«f()»\n", "assign-attribute", {"name": "n", "value": "1"}, "No class stands around"),
    ("class C:\n    x = «f()»\n", "assign-attribute", {"name": "n", "value": "1"}, "no `__init__` of its own"),
    (
        "class C:\n    def __init__(self): self.n = 2; «f()»\n",
        "assign-attribute",
        {"name": "n", "value": "1"},
        "already sets `n` to `2`",
    ),
    ("g(«f(x)»)\n", "assign-result", {"name": "n"}, "not that of a statement of its own"),
    ("if «f(x)»: pass\n", "assign-result", {"name": "n"}, "not that of a statement of its own"),
    ("def «f»(old, new): pass\n", "rename-parameter", {"name": "old", "new_name": "new"}, "has both"),
    ("def «f»(old): new = old\n", "rename-parameter", {"name": "old", "new_name": "new"}, "is used in `f` already"),
    ("def «f»(a): pass\n", "rename-parameter", {"name": "old", "new_name": "new"}, "has no parameter `old`"),
]


@pytest.mark.parametrize(("repair", "before", "options", "after"), TABLE)
def test_repair(repair, before, options, after):
    assert repaired(before, (repair, options)) == after


@pytest.mark.parametrize(("source", "repair", "options", "message"), REFUSED)
def test_what_cannot_be_done_says_why(source, repair, options, message):
    with pytest.raises(RepairError, match=message):
        repaired(source, (repair, options))
