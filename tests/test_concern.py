"""Uses in which no provider has a say are told from those in which one has."""

from __future__ import annotations

import pytest
from worlds import Modules, analysed

from auditor.sides import Side
from auditor.world.world import World

LIB = """
class Base:
    def run(self): ...

def make(**options) -> Base: ...
"""


@pytest.mark.parametrize(
    ("code", "text", "concerned"),
    [
        ("def mine(): ...\nmine()", "mine", False),
        ("class Own:\n    def run(self): ...\nOwn().run()", "Own().run", False),
        ("class Own: ...\nOwn().walk()", "Own().walk", False),
        ("import lib\nlib.make()", "lib.make", True),
        ("import lib\nlib.make().run()", "lib.make().run", True),
        ("import lib\nclass Own(lib.Base): ...\nOwn().run()", "Own().run", True),
        ("import lib\ndef mine(**options):\n    return lib.make(**options)\nmine(size=1)", "mine", True),
        ("import lib\ndef mine():\n    return lib.make()\nmine().run()", "mine().run", True),
    ],
)
def test_a_provider_has_a_say_where_it_is_asked_for_something(code: str, text: str, concerned: bool) -> None:
    side = Side(World([Modules({"app.py": code}), Modules({"lib/__init__.py": LIB})]), {}, {"lib": "lib"})
    uses = [use for use in analysed(code).uses if use.kind == "call" and use.text == text]
    assert [side.concerns(use) for use in uses] == [concerned]
