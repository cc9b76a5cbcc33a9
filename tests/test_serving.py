"""Names served by a `__getattr__` that helpers of other modules make or answer."""

from __future__ import annotations

from textwrap import dedent

import pytest

from auditor.provider.serving import Servers

HELPERS = """
    import importlib
    from outside import whatever

    def take(name, module, package):
        if module is None:
            raise AttributeError(name)
        return getattr(importlib.import_module(f".{module}", package), name)

    def lazily(package, table):
        def __getattr__(name):
            if name in table:
                return take(name, table[name], package)
            raise AttributeError(name)
        return sorted(table), __getattr__

    def around(name):
        return around(name)

    def perhaps(name):
        if whatever():
            raise AttributeError(name)
        return importlib.import_module("lib.a")

    def objects(name):
        if name in ("one", "two"):
            return whatever(name)
        raise AttributeError(name)
"""


def served(code: str, name: str) -> str | None:
    sources = {"lib": dedent(code), "lib.help": dedent(HELPERS)}
    found = Servers(sources.get, lambda module: module == "lib").ask("lib", name)
    return "?" if found is None else found.path


@pytest.mark.parametrize(
    ("code", "name", "path"),
    [
        (
            "from .help import take\nT = {'A': 'a'}\ndef __getattr__(n): return take(n, T.get(n), __package__)",
            "A",
            "lib.a.A",
        ),
        ("from .help import take\nT = {'A': 'a'}\ndef __getattr__(n): return take(n, T.get(n), 'lib')", "B", None),
        ("from lib import help\n__all__, __getattr__ = help.lazily(__name__, {'A': 'a'})", "A", "lib.a.A"),
        ("from lib.help import lazily\n__all__, __getattr__ = lazily(__name__, table={'A': 'a'})", "B", None),
        ("from .help import objects\ndef __getattr__(n): return objects(n)", "one", ""),
        ("from .help import objects\ndef __getattr__(n): return objects(n)", "three", None),
        ("from .help import perhaps\ndef __getattr__(n): return perhaps(n)", "A", "?"),
        ("from .help import around\ndef __getattr__(n): return around(n)", "A", "?"),
        ("from outside import serve\n__getattr__ = serve(__name__)", "A", "?"),
        ("from .help import lazily\n__getattr__ = lazily(*given())", "A", "?"),
        ("from .help import gone\n__getattr__ = gone(__name__)", "A", "?"),
        ("x = 1", "A", "?"),
        ("def f(:", "A", "?"),
    ],
)
def test_served(code, name, path):
    assert served(code, name) == path
