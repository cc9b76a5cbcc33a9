"""Sources of strangers that are hard on whoever reads them: what cannot be read, and what can although it looks bad."""

from __future__ import annotations

DEEP = 10_000


def _ring(size: int) -> str:
    return "".join(f"A{number} = A{(number + 1) % size}\n" for number in range(size))


def _steps(template: str, count: int) -> str:
    return "".join(template.format(n=number, next=number + 1) for number in range(count))


_TABLE = ", ".join(f"'k{number}': 'lib.{number}'" for number in range(8000))

UNREADABLE: dict[str, bytes | str] = {
    "parentheses": f"x = {'(' * DEEP}1{')' * DEEP}\n",
    "brackets": f"x = {'[' * DEEP}{']' * DEEP}\n",
    "signs": f"x = {'-' * DEEP}1\n",
    "negations": f"x = {'not ' * DEEP}1\n",
    "lambdas": f"x = {'lambda: ' * DEEP}1\n",
    "unclosed": "def f(",
    "unclosed_string": "x = '''",
    "continued": "x = 1\\",
    "nul": "x = 1\n\0y = 2\n",
    "only_nul": "\0",
    "unknown_coding": "# coding: no-such\nx = 1\n",
    "codec_of_bytes": "# coding: zlib\nx = 1\n",
    "codec_of_text": "# coding: rot13\nvzcbeg bf\n",
    "undefined_coding": "# coding: undefined\nx = 1\n",
    "utf_16": "import lib\n".encode("utf-16"),
    "lone_surrogate": b"x = '\xed\xa0\x80'\n",
    "not_utf_8": b"x = '\xe9'\n",
    "two_marks": "\ufeff\ufeffimport lib\n",
    "control_z": "x = 1\x1a\n",
    "later_syntax": "x = 1\nfuture y = 2\ntype type type = match\n",
    "mixed_tabs": "def f():\n\tif 1:\n\t\treturn 1\n        return 2\n",
    "hundred_indents": "".join(f"{' ' * n}if x:\n" for n in range(101)) + " " * 101 + "pass\n",
    "same_parameter_in_a_bad_place": "def f(**k, a): ...\n",
}
"""Each of these must be a problem of its own file."""

READABLE: dict[str, bytes | str] = {
    "empty": "",
    "f_strings": f"x = f'{'{' * 200}1{'}' * 200}'\n",
    "blank": " \n\t\n",
    "form_feeds": "x = 1\n\x0cdef f():\n\x0c    return 1\n",
    "carriage_returns": "import lib\r\nx = 1\r\n",
    "old_line_ends": "import lib\rx = 1\r",
    "mixed_line_ends": "import lib\r\nx = '''a\rb\nc'''\ry = 1\n",
    "byte_order_mark": "\ufeffimport lib\n",
    "latin": b"# coding: latin-1\nx = '\xe9'\n",
    "surrogate_names": "__all__ = ['\\ud800']\nx = '\\ud800'\nsetattr(x, '\\udc80', 1)\ngetattr(x, '\\ud800')\n",
    "odd_letters": "class \U0001d400: ...\n\ufb01 = 1\n",
    "self_inheriting": "class A(A): ...\nclass B(C): ...\nclass C(B): ...\nB().x\nC(1)\nA(2)\n",
    "alias_loops": "A = B\nB = A\nC = C\n" + _ring(300),
    "imports_itself": "from . import imports_itself\nfrom .imports_itself import *\nfrom .imports_itself import x\n",
    "cycle_one": "from .cycle_two import *\nfrom .cycle_two import a\nb = a\n",
    "cycle_two": "from .cycle_one import *\nfrom .cycle_one import b\na = b\n",
    "recursive_aliases": "from typing import Union\n"
    "J = Union['J', list['J']]\nK = list['K']\ndef f(x: J) -> 'K': ...\nf(1)[0][0].x\n",
    "relative_beyond": "from ................ import *\nfrom .nothing import *\n",
    "long_attribute": f"x = a{'.b' * DEEP}\n",
    "long_call": f"x = a{'()' * DEEP}\n",
    "long_subscript": f"x = a{'[0]' * DEEP}\n",
    "long_sum": f"x = {'1 + ' * DEEP}1\n",
    "long_choice": f"x = {'a or ' * DEEP}b\n",
    "long_if": "if a: ...\n" + "elif a: ...\n" * 3000,
    "many_decorators": "@d\n" * 3000 + "def f(): ...\n",
    "many_bases": f"class A({', '.join(f'B{number}' for number in range(3000))}): ...\n",
    "deep_ancestry": "class C0: ...\n" + _steps("class C{next}(C{n}): ...\n", 1000) + "C1000().x\nC1000(1)\n",
    "diamonds": "class A0: ...\nclass B0: ...\n"
    + _steps("class A{next}(A{n}, B{n}): ...\nclass B{next}(A{n}, B{n}): ...\n", 60),
    "assigned_on": "a0 = 1\n" + _steps("a{next} = a{n}\n", 1000) + "a1000.x\n",
    "called_on": "def f0(): return 1\n" + _steps("def f{next}(): return f{n}()\n", 500) + "f500().x\n",
    "doubled": "a0 = object()\n" + _steps("a{next} = (a{n}, a{n})\n", 60) + "a60.x\n",
    "doubled_choices": "a0 = object()\n" + _steps("a{next} = a{n} if x else a{n}.b\n", 60) + "a60.x()\n",
    "doubled_calls": "def f0(x): return x\n" + _steps("def f{next}(x): return f{n}(f{n}(x))\n", 60) + "f60(1).x\n",
    "many_parameters": f"def f({', '.join(f'a{number}=0' for number in range(3000))}): ...\n",
    "large_numbers": f"x = {'9' * 4000}\ndef f(x=0x{'f' * 50_000}): ...\n",
    "large_powers": "def f(x=9**9**9**9): ...\nX = 'a' * 10**10\n__all__ = ['a'] * 10**9\nY = 1 << 10**10\n",
    "large_exports": "__all__ = []\n" + "__all__ += __all__\n" * 100,
    "large_table": f"M = {{{_TABLE}}}\ndef __getattr__(n):\n    return M[n]\n",
    "asks_itself": "def __getattr__(name):\n    return __getattr__(name)\n",
    "odd_metaclasses": "class M(type):\n    def __call__(c): ...\n"
    "class A(metaclass=A): ...\nclass B(metaclass=M): ...\nB(1)\n",
    "odd_properties": "class A:\n    @property\n    def a(self): return self.a\nA().a.a.a\n",
    "odd_dataclass": "from dataclasses import dataclass\n"
    "@dataclass\nclass A(A):\n    a: 'A'\n    b: int = A()\nA(1, 2, 3)\n",
    "long_line": f"x = '{'a' * 2_000_000}'\n",
    "long_comment": f"#{'x' * 2_000_000}\n",
    "long_name": f"{'a' * 50_000} = 1\n",
    "long_ignore": f"x = 1  # api-audit: ignore[{'a,' * 20_000}] r\n",
    "ten_megabytes": "".join(f"value_{number} = {'z' * 4900!r}\n" for number in range(2000)),
}
"""Each of these can be read, or is a problem of its own file; nothing worse."""
HOSTILE = {**UNREADABLE, **READABLE}


def raw(source: bytes | str) -> bytes:
    """As it lies on the disk."""
    return source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
