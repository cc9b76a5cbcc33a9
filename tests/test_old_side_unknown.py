"""Audits of consumers that do not say what they were written for: only what surely does not fit is reported."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from auditor.__main__ import main
from auditor.scan import Options, scan

LIB = """
from lib import _fast
from ._other import thing as _thing


class Base:
    def __init__(self, size):
        self.size = size

    def run(self, x):
        return x


def make() -> Base:
    return Base(1)


def f(a, *, mode=None):
    return a


def passing(**kwargs):
    return f(1, **kwargs)
"""


@pytest.fixture
def audited(tmp_path: Path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text(LIB, encoding="utf-8")
    (tmp_path / "lib" / "sub.py").write_text("x = 1\n", encoding="utf-8")

    def audit(code: str, *, against: tuple[str, ...] = (), from_: tuple[str, ...] = ()):
        (tmp_path / "app.py").write_text(textwrap.dedent(code).lstrip("\n"), encoding="utf-8")
        return scan(
            Options(
                consumers=(str(tmp_path / "app.py"),),
                against=(f"lib @ {tmp_path / 'lib'}", *against),
                from_=from_,
                cache_dir=tmp_path / "cache",
                offline=True,
            )
        )

    return audit


@pytest.mark.parametrize(
    ("code", "rules"),
    [
        ("from lib import gone", ["unresolved-import"]),
        ("import lib.gone", ["unresolved-import"]),
        ("from lib.gone import x", ["unresolved-import"]),
        ("import lib\nlib.gone()", ["unresolved-attribute"]),
        ("import lib, lib.sub\nlib.sub.gone", ["unresolved-attribute"]),
        ("import lib\nlib.f(1, speed=2)", ["unknown-argument"]),
        ("import lib\nlib.passing(speed=2)", ["unknown-argument"]),
        ("import lib\nlib.f()", ["missing-argument"]),
        ("import lib\nlib.f(1, 2)", ["too-many-positional-arguments"]),
        ("import lib\nb = lib.Base(1)\nb.gone()", ["unresolved-attribute"]),
        ("import lib\nlib.Base(1).run(1, fast=True)", ["unknown-argument"]),
        # nothing of this is certain
        ("import lib\nlib.make().gone()", []),
        ("import lib\nlib.make().run(1, fast=True)", []),
        ("import lib\ndef g(b: lib.Base):\n    b.gone()", []),
        ("import lib\nclass Own(lib.Base):\n    def h(self):\n        self.gone()", []),
        ("from lib import _fast\n_fast.f()", []),
        ("import lib._other", []),
        ("try:\n    from lib import gone\nexcept ImportError:\n    from lib import f as gone", []),
        # and all of this fits
        ("import lib, lib.sub\nlib.f(1, mode=2)\nlib.Base(1).run(2)\nlib.sub.x", []),
    ],
)
def test_what_surely_does_not_fit(audited, code, rules):
    report = audited(code)
    assert [f.rule for f in report.findings] == rules
    for finding in report.findings:
        assert finding.confidence == "low"
        assert finding.message.endswith("(no old side known)")
        assert finding.fix is None
        assert "--from" in finding.unfixed
    (provider,) = report.providers
    assert (provider.old, provider.old_origin) == (None, None)
    assert "does not say which lib" in provider.old_reason


def test_a_provider_whose_old_side_is_known_is_audited_as_ever(audited, tmp_path):
    for side, text in (("one", "def f(): ...\n"), ("two", "x = 1\n")):
        (tmp_path / side / "other").mkdir(parents=True)
        (tmp_path / side / "other" / "__init__.py").write_text(text, encoding="utf-8")
    against, from_ = f"other @ {tmp_path / 'two'}", f"other @ {tmp_path / 'one'}"
    code = "import lib, other\nlib.gone()\nother.f()\nother.never_there()\n"
    report = audited(code, against=(against,), from_=(from_,))
    told = {f.symbol: f.confidence for f in report.findings}
    assert told == {"lib.gone": "low", "other.f": "high"}


def test_the_report_says_so(audited, tmp_path, capsys):
    audited("import lib\nlib.gone()\n")
    words = ["scan", str(tmp_path / "app.py"), "--against", f"lib @ {tmp_path / 'lib'}", "--no-patches", "--isolated"]
    assert main([*words, "--cache-dir", str(tmp_path / "cache"), "--offline"]) == 1
    assert "lib ? -> lib (no old side known: name it with --from)" in capsys.readouterr().out
