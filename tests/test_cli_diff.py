"""`api-audit diff` over two folders: the real command, without a network; and the help that all commands share."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from auditor.__main__ import main
from auditor.cli.app import program


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    for name, version, source in (
        ("old", "1.0", "def f(a, b=1): ...\ndef g(): ...\nclass C:\n    def m(self, x): ...\n"),
        ("new", "2.0", "def f(a): ...\nclass C:\n    def m(self, x, y): ...\ndef h(): ...\n"),
    ):
        package = tmp_path / name / "lib"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(source, encoding="utf-8")
        metadata = f'[project]\nname = "lib"\nversion = "{version}"\n'
        (tmp_path / name / "pyproject.toml").write_text(metadata, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("API_AUDIT_CACHE_DIR", str(tmp_path / "cache"))
    return "./old", "./new"


def test_a_whole_release_is_compared(releases, capsys):
    assert main(["diff", *releases, "--offline"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("lib 1.0 -> 2.0\n")
    assert "lib.f\n  breaking: no longer takes `b`\n  - f(a, b=1)  (lib:1)\n  + f(a)  (lib:1)\n" in out
    assert "lib.g\n  breaking: is gone\n" in out
    assert "lib.h" not in out
    assert err == "3 breaking, 0 altering, 1 additive in 5 symbols compared\n"


def test_only_what_a_consumer_uses(releases, capsys, tmp_path):
    consumer = tmp_path / "app.py"
    consumer.write_text("from lib import C\n\ndef run(c: C):\n    c.m(1)\n", encoding="utf-8")
    assert main(["diff", *releases, "--offline", "--used-by", "app.py"]) == 0
    out, _ = capsys.readouterr()
    assert "lib.C.m\n  breaking: now requires `y`" in out
    assert "lib.f" not in out
    assert "lib.g" not in out


def test_machines_get_grades_and_both_signatures(releases, capsys):
    assert main(["diff", *releases, "--offline", "--json", "--grade", "additive"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["provider"], found["old"], found["new"]) == (1, "lib", "1.0", "2.0")
    grades = {change["symbol"]: change["grade"] for change in found["changes"]}
    assert grades == {"lib.f": "breaking", "lib.g": "breaking", "lib.C.m": "breaking", "lib.h": "additive"}
    assert found["changes"][0]["new"]["text"] == "f(a)"


def test_the_exit_code_tells_only_when_asked(releases):
    assert main(["diff", *releases, "--offline", "--exit-code"]) == 1
    assert main(["diff", "./old", "./old", "--offline", "--exit-code"]) == 0
    assert main(["diff", "./old", "./nowhere", "--offline"]) == 2


def test_two_strangers_are_not_compared(releases, tmp_path, capsys):
    (tmp_path / "other" / "thing").mkdir(parents=True)
    (tmp_path / "other" / "thing" / "__init__.py").write_text("", encoding="utf-8")
    for more in ((), ("--used-by", "./old")):
        assert main(["diff", "./old", "./other", *more, "--offline"]) == 2
        assert "no import package in common" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["scan", "apply", "diff"])
def test_options_are_grouped_and_examples_shown(name, capsys):
    assert main([name, "-h"]) == 0
    text = capsys.readouterr().out
    assert "Examples:\n" in text
    assert "Exit code:" in text
    head, _, rest = text.partition("\nOptions:\n")
    assert head.startswith(f"Usage: api-audit {name}")
    plain = rest.partition("\n\n")[0]
    assert plain.split() == ["-h,", "--help", "Show", "this", "message", "and", "exit."]


def test_every_command_has_an_example():
    with program.make_context("api-audit", ["rules"]) as context:
        for name in program.list_commands(context):
            command = program.get_command(context, name)
            assert isinstance(command, click.Command)
            assert "xample" in (command.epilog or ""), name


def test_a_store_is_filled_for_a_consumer(releases, capsys, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "app"\nversion = "1"\n[tool.api-audit]\nagainst = ["./new"]\nfrom = ["./old"]\n',
        encoding="utf-8",
    )
    (tmp_path / "app.py").write_text("import lib\n", encoding="utf-8")
    assert main(["snapshot", "--used-by", "app.py", "--offline"]) == 0
    assert capsys.readouterr().out == "lib 1.0: 1 module\nlib 2.0: 1 module\n"
    assert main(["snapshot", "--used-by", "app.py", "--offline", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1] == {"release": "lib 2.0", "modules": 1}
    assert main(["snapshot", "--offline"]) == 2
    assert main(["snapshot", "./old", "--used-by", ".", "--offline"]) == 2
    assert main(["snapshot", "--used-by", ".", "--offline", "--isolated"]) == 2


def test_an_empty_store_says_how_to_fill_it(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text("import lib\n", encoding="utf-8")
    words = ["scan", "app.py", "--from", "lib==1", "--against", "lib==2", "--offline", "--no-patches"]
    words += ["--cache-dir", str(tmp_path / "cache")]
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    assert main(words) == 2
    assert "api-audit snapshot --used-by ." in capsys.readouterr().err
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert main(words) == 2
    assert "pre-commit run api-audit-fill --hook-stage manual" in capsys.readouterr().err


def test_a_file_of_a_project_is_audited_with_what_the_project_needs(releases, capsys, tmp_path):
    from auditor.options import Options
    from auditor.packages.index import PackageIndex
    from auditor.packages.store import Store
    from auditor.resolution import open_consumer

    (tmp_path / "pyproject.toml").write_text('[project]\nname = "app"\ndependencies = ["lib==1.0"]\n', encoding="utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("import lib\n", encoding="utf-8")
    with Store.open(tmp_path / "cache") as store:
        for consumers in (("src/app.py",), ("src",), (".",)):
            opened = open_consumer(Options(consumers=consumers, against=()), store, PackageIndex(store))
            assert opened.requires == ("lib==1.0",) or list(opened.requires) == ["lib==1.0"]
            assert (opened.name == "app") == (consumers == (".",))


def test_a_mistyped_provider_is_compared_with_what_the_consumer_requires(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "app"\ndependencies = ["acmelib>=1"]\n', "utf-8")
    (tmp_path / "app.py").write_text("import acmelib\n", encoding="utf-8")
    (tmp_path / "index").mkdir()
    words = ["scan", ".", "--index-url", (tmp_path / "index").as_uri(), "--cache-dir", "cache", "--no-patches"]
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    assert main([*words, "--against", "acmelb==2"]) == 2
    assert "the package index has no `acmelb`. Did you mean `acmelib`, which app requires?" in capsys.readouterr().err
    assert main([*words, "--against", "acmelib==2"]) == 2
    assert "Did you mean" not in capsys.readouterr().err
