"""What changed between two releases: kinds of changes, their look-alikes, and the symbols that a consumer touches."""

from __future__ import annotations

import pytest
from worlds import Modules, analysed, side

from auditor.differences import additions, compared, differences, public_symbols, used_symbols


def nowhere(symbol):
    return ()


def told(old, new, symbol="lib.f"):
    return [(c.kind, c.grade, c.message) for c in compared(symbol, side(old), side(new), nowhere)]


@pytest.mark.parametrize(
    ("old", "new", "kind", "grade"),
    [
        ("def f(a): ...", "", "removed", "breaking"),
        ("def f(a, b=1): ...", "def f(a): ...", "parameter-removed", "breaking"),
        ("def f(a): ...", "def f(a, b): ...", "parameter-required", "breaking"),
        ("def f(a=1): ...", "def f(a): ...", "parameter-required", "breaking"),
        ("def f(a): ...", "def f(*, a): ...", "parameter-kind", "breaking"),
        ("def f(a): ...", "def f(a, /): ...", "parameter-kind", "breaking"),
        ("def f(a=1): ...", "def f(a=2): ...", "default-changed", "altering"),
        ("def f(a): ...", "def f(a, b=1): ...", "parameter-added", "additive"),
        ("def f(a, b): ...", "def f(b, a): ...", "parameter-moved", "breaking"),
        ("def f(*args): ...", "def f(): ...", "parameter-removed", "breaking"),
        ("def f() -> int: ...", "def f() -> str: ...", "return-changed", "altering"),
        ("def f() -> int: ...", "async def f() -> int: ...", "async-changed", "breaking"),
        ("def f(): ...", "class f: ...", "kind-changed", "breaking"),
        ("f = 1", "f = 2", "value-changed", "altering"),
        (
            "from dataclasses import dataclass\n@dataclass\nclass f:\n    a: int",
            "from dataclasses import dataclass\n@dataclass\nclass f:\n    a: int\n    b: int",
            "parameter-required",
            "breaking",
        ),
    ],
)
def test_a_change_is_told_once_and_graded(old, new, kind, grade):
    assert [(k, g) for k, g, _ in told(old, new)] == [(kind, grade)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f(a): ...", "def f(a): return 1"),
        ("def f(a, b=1): ...", "def f(a, **kwargs): ..."),
        ("def f(a='x'): ...", 'def f(a="x"): ...'),
        ("def f() -> 'Optional[List[int]]': ...", "def f() -> list[int] | None: ..."),
        ("def f() -> Union[int, str]: ...", "def f() -> str | int: ..."),
        ("def f(a, _hidden=1): ...", "def f(a): ..."),
        ("def f(a=1): ...", "def f(**a): ..."),
        ("def f(a): ...", "from lib2 import f"),
        ("def f(*args, **kwargs): ...", "def f(*rest, **options): ..."),
    ],
)
def test_what_only_looks_like_a_change_is_silent(old, new):
    assert [each for each in told(old, new) if each[1] != "additive"] == []


def test_the_same_release_has_no_differences():
    source = "class A:\n    def m(self, a, *, b=1) -> int: ...\nX = 1\ndef f(a, /, b, *c, **d): ...\n"
    symbols = [symbol for api in Modules({"lib/__init__.py": source}).apis.values() for symbol in public_symbols(api)]
    assert symbols == ["lib", "lib.A", "lib.A.m", "lib.X", "lib.f"]
    assert not [*differences(side(source), side(source), symbols, nowhere)]
    assert not [*additions(side(source), side(source), symbols)]


def test_a_moved_class_names_its_new_place_and_its_members_are_not_listed():
    old, new = side("class A:\n    def m(self): ...\n"), side({"lib/__init__.py": "", "lib/b.py": "class A: ...\n"})
    (change,) = differences(old, new, ["lib.A", "lib.A.m"], lambda symbol: ("lib.b.A",))
    assert (change.kind, change.message) == ("moved", "is no longer there; see `lib.b.A`")


def test_nothing_moves_to_another_kind_of_thing():
    old, new = side("def g(): ...\n"), side({"lib/__init__.py": "", "lib/b.py": "class g: ...\n"})
    (change,) = differences(old, new, ["lib.g"], lambda symbol: ("lib.b.g",))
    assert change.kind == "removed"


def test_a_re_export_is_not_told_a_second_time():
    old = {"lib/__init__.py": "from lib.a import f\n", "lib/a.py": "def f(a): ...\n"}
    new = {"lib/__init__.py": "from lib.a import f\n", "lib/a.py": "def f(): ...\n"}
    assert len([*differences(side(old), side(new), ["lib.a.f", "lib.f"], nowhere)]) == 1


def test_private_names_and_what_is_only_imported_are_no_offer():
    source = "import os\nfrom lib.a import f\n_x = 1\ndef __getattr__(name): raise AttributeError\n"
    apis = Modules({"lib/__init__.py": source, "lib/a.py": "def f(): ...\n", "lib/tests/__init__.py": "X = 1\n"}).apis
    assert [s for api in apis.values() for s in public_symbols(api)] == ["lib", "lib.f", "lib.a", "lib.a.f"]


def test_a_new_class_is_one_addition():
    old, new = side(""), side("class A:\n    def m(self): ...\n")
    assert [c.symbol for c in additions(old, new, ["lib.A", "lib.A.m"])] == ["lib.A"]


def test_the_symbols_that_a_consumer_touches():
    provider = {
        "lib/__init__.py": "from lib.a import Base, f, unused\n",
        "lib/a.py": """
            def f(): ...
            def unused(): ...
            class Base:
                def hook(self): ...
                def other(self): ...
                def run(self): ...
        """,
    }
    consumer = """
        from lib import Base, f
        f()
        class Mine(Base):
            def hook(self):
                self.run()
    """
    analysis = analysed(consumer)
    found = used_symbols(analysis.uses, side(provider, consumer))
    assert {"lib.f", "lib.a.f", "lib.Base", "lib.a.Base", "lib.a.Base.hook", "lib.a.Base.run"} <= {*found}
    assert not {s for s in found if s.endswith((".unused", ".other"))}
