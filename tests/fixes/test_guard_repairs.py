"""Repairs that guards are written with: alternative imports, constants of a module, arguments out of a dict."""

# ruff: noqa: E501 - a table reads best with a case on a line

from __future__ import annotations

import pytest
from fixes.marked import repaired

from auditor.fixes import RepairError

CASES = {
    "import-either": [
        ("«from a import x»\n", {"name": "x", "places": "b:x"}, "try:\n    from b import x\nexcept ImportError:\n    from a import x\n"),
        ("«from a import x»  # why\n", {"name": "x", "places": "b:y"}, "try:\n    from b import y as x  # why\nexcept ImportError:\n    from a import x\n"),
        ("«from a import x, z»\n", {"name": "x", "places": "b:x"}, "from a import z\n\ntry:\n    from b import x\nexcept ImportError:\n    from a import x\n"),
        ("def f():\n    «from a import x»\n    x()\n", {"name": "x", "places": "b:x"}, "def f():\n    try:\n        from b import x\n    except ImportError:\n        from a import x\n    x()\n"),
        ("try:\n    from b import x\nexcept ImportError:\n    «from a import x»\n", {"name": "x", "places": "b:x"}, "try:\n    from b import x\nexcept ImportError:\n    from a import x\n"),
        ("«from a import x»\n", {"name": "x", "places": "c:x b:x"}, "try:\n    from c import x\nexcept ImportError:\n    try:\n        from b import x\n    except ImportError:\n        from a import x\n"),
    ],
    "unpack-argument": [
        ("«f(1)»\n", {"value": "{} if C else {'a': 1}"}, "f(1, **({} if C else {'a': 1}))\n"),
        ("«f()»\n", {"value": "options"}, "f(**options)\n"),
        ("«f(**options)»\n", {"value": "options"}, "f(**options)\n"),
        ("«f(\n    1,\n)»\n", {"value": "options"}, "f(\n    1,\n    **options,\n)\n"),
    ],
    "define-constant": [
        ("«import a»\n\n\ndef f(): pass\n", {"name": "C", "value": "a.b"}, "import a\n\nC = a.b\n\n\ndef f(): pass\n"),
        ("«import a»\n\nC = a . b\n", {"name": "C", "value": "a.b"}, "import a\n\nC = a . b\n"),
        ("«import a»\n", {"name": "C", "value": "1", "comment": "one"}, "import a\n\n# one\nC = 1\n"),
        ("«x = 1»\n", {"name": "C", "value": "x"}, "x = 1\n\nC = x\n"),
    ],
    "add-import": [
        ("«x = 1»\n", {"module": "a", "name": "b", "otherwise": "None"}, "try:\n    from a import b\nexcept ImportError:\n    b = None\n\nx = 1\n"),
        ("import os\n\nimport zoo\n\n«x = 1»\n", {"module": "inspect"}, "import inspect\nimport os\n\nimport zoo\n\nx = 1\n"),
        ("import zoo\n\n«x = 1»\n", {"module": "inspect"}, "import inspect\n\nimport zoo\n\nx = 1\n"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "source", "options", "expected"), [(name, *case) for name, cases in CASES.items() for case in cases]
)
def test_the_repair(name, source, options, expected):
    assert repaired(source, (name, options)) == expected


@pytest.mark.parametrize(
    ("name", "source", "options"),
    [
        ("import-either", "«from a import y»\n", {"name": "x", "places": "b:x"}),
        ("import-either", "«from a import x»; y = 1\n", {"name": "x", "places": "b:x"}),
        ("define-constant", "«C = 2»\n", {"name": "C", "value": "1"}),
    ],
)
def test_what_cannot_be_done_says_so(name, source, options):
    with pytest.raises(RepairError):
        repaired(source, (name, options))
