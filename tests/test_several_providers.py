"""Several `--against` at once: each provider keeps its own two sides."""

from __future__ import annotations

import pytest

from auditor.errors import SpecError
from auditor.options import Options
from auditor.scan import scan


def package(folder, name: str, version: str, source: str) -> str:
    home = folder / f"{name}-{version}"
    (home / name).mkdir(parents=True)
    (home / name / "__init__.py").write_text(source)
    (home / "pyproject.toml").write_text(f'[project]\nname = "{name}"\nversion = "{version}"\n')
    return str(home)


def audited(folder, code: str):
    consumer = folder / "app"
    consumer.mkdir()
    (consumer / "app.py").write_text(code)
    one = package(folder, "one", "1", "def f(a, b=0): ...\n"), package(folder, "one", "2", "def f(a): ...\n")
    two = (
        package(folder, "two", "5", "import one\nclass C:\n    def m(self): ...\n    def make(self): return one.f\n"),
        package(folder, "two", "6", "import one\nclass C:\n    def n(self): ...\n    def make(self): return one.f\n"),
    )
    return scan(
        Options(
            consumers=(str(consumer),),
            against=(one[1], two[1]),
            from_=(two[0], one[0]),
            cache_dir=folder / "cache",
            offline=True,
        )
    )


def test_each_is_compared_with_its_own_old_side(tmp_path):
    report = audited(tmp_path, "import one, two\none.f(1, b=2)\ntwo.C().m()\n")
    assert [(p.name, p.old, p.new) for p in report.providers] == [("one", "1", "2"), ("two", "5", "6")]
    assert [(f.rule, f.provider, f.span.line) for f in report.findings] == [
        ("unknown-argument", "one", 2),
        ("unresolved-attribute", "two", 3),
    ]


def test_a_given_release_of_another_provider_is_nobodys_old_side(tmp_path):
    lone = package(tmp_path, "lone", "1", "x = 1\n")
    consumer = package(tmp_path, "app", "1", "import two, one\none.f(1, b=2)\n")
    one = package(tmp_path, "one", "2", "def f(a): ...\n")
    report = scan(Options(consumers=(consumer,), against=(one,), from_=(lone,), cache_dir=tmp_path / "c", offline=True))
    assert [(p.name, p.packages, p.old) for p in report.providers] == [("one", ("one",), None)]


def test_the_only_given_release_may_be_of_a_library_that_the_only_provider_replaces(tmp_path):
    former = package(tmp_path, "former", "1", "def f(): ...\n")
    consumer = package(tmp_path, "app", "1", "import former\nformer.f()\n")
    latter = package(tmp_path, "latter", "2", "def f(): ...\n")
    options = Options(consumers=(consumer,), against=(latter,), from_=(former,), cache_dir=tmp_path / "c", offline=True)
    report = scan(options)
    assert [(p.name, p.packages, p.old) for p in report.providers] == [("latter", ("latter", "former"), "1")]
    assert [(f.rule, f.symbol) for f in report.findings] == [("unresolved-import", "former")]


def test_two_releases_of_one_provider_are_no_run(tmp_path):
    one, two = (package(tmp_path, "one", version, "x = 1\n") for version in ("1", "2"))
    options = Options(consumers=(one,), against=(one, two), from_=(one,), cache_dir=tmp_path / "c", offline=True)
    with pytest.raises(SpecError, match=r"run on 2 as well as on 1\. Audit a range, `--against 'one>=A"):
        scan(options)
    twice = Options(consumers=(one,), against=(two, two), from_=(one,), cache_dir=tmp_path / "c", offline=True)
    assert [(p.name, p.old, p.new) for p in scan(twice).providers] == [("one", "1", "2")]


def test_what_one_provider_hands_on_of_another_is_audited_as_the_others(tmp_path):
    (found,) = audited(tmp_path, "import two\ntwo.C().make()(1, b=2)\n").findings
    assert (found.rule, found.provider, found.symbol) == ("unknown-argument", "one", "one.f")


def test_a_version_test_asks_the_right_one(tmp_path):
    code = "import one, two\nif one.__version__ < '2':\n    one.f(1, b=2)\nif two.__version__ < '6':\n    two.C().m()\n"
    assert audited(tmp_path, code).findings == ()
