"""`env:PYTHON` without a name: the other specifications and the consumer say which package is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from packages.test_trees import environment, install

from auditor.__main__ import main
from auditor.errors import SpecError
from auditor.scan import Options, scan


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = environment(tmp_path / "venv")
    install(site, "acme", "2.0", {"acme/__init__.py": "def new(): ...\n"})
    install(site, "other", "1.0", {"other.py": ""})
    (tmp_path / "old" / "acme").mkdir(parents=True)
    (tmp_path / "old" / "acme" / "__init__.py").write_text("def gone(): ...\n")
    (tmp_path / "old" / "pyproject.toml").write_text('[project]\nname = "acme"\nversion = "1.0"\n')
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "app.py").write_text("import acme\nacme.gone()\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audited(place: Path, *, against: tuple[str, ...], from_: tuple[str, ...] = (), requires: tuple[str, ...] = ()):
    needs = ", ".join(f'"{line}"' for line in requires)
    (place / "app" / "pyproject.toml").write_text(f'[project]\nname = "app"\ndependencies = [{needs}]\n')
    options = Options(consumers=("app",), against=against, from_=from_, cache_dir=place / "cache", offline=True)
    return scan(options)


ENV = "env:venv/bin/python"


@pytest.mark.parametrize(
    ("against", "from_", "requires"),
    [
        ((ENV,), ("./old",), ()),
        ((ENV,), ("acme @ ./old",), ("other",)),
        (("other @ env:venv", ENV), ("other @ env:venv", "./old"), ()),
        ((ENV,), (), ("acme @ file:///nowhere", "other", "absent")),
    ],
)
def test_the_package_is_inferred(place, against, from_, requires, monkeypatch):
    if not from_:
        monkeypatch.setattr("auditor.resolution.pairs._Releases.old_side", lambda _, new, *__, **___: (new, ""))
    report = audited(place, against=against, from_=from_, requires=requires)
    assert ("acme", "2.0") in [(p.name, p.new) for p in report.providers]


def test_the_old_side_too(place):
    (place / "old" / "acme" / "__init__.py").write_text("def later(): ...\n")
    report = audited(place, against=("./old",), from_=(ENV,))
    assert [(p.name, p.old, p.new) for p in report.providers] == [("acme", "2.0", "1.0")]


def test_what_nobody_says_is_asked_for(place, capsys):
    with pytest.raises(SpecError, match=r"which package of the environment is meant\. Write `NAME @ env:venv"):
        audited(place, against=(ENV,))
    (place / "app" / "app.py").write_text("import acme, other\nimport other\n")
    with pytest.raises(SpecError, match=r"Write `acme @ env:venv/bin/python`, or name one of other"):
        audited(place, against=(ENV,), requires=("acme", "other"))
    assert main(["snapshot", ENV, "--cache-dir", "cache"]) == 2
    assert "is meant. Write `NAME @ env:venv/bin/python`" in capsys.readouterr().err


def test_a_comparison_names_it(place, capsys):
    for old, new in ((ENV, "acme @ ./old"), ("./old", ENV)):
        main(["diff", old, new, "--cache-dir", "cache"])
        assert capsys.readouterr().out.startswith("acme ")
