"""A second opinion is what a checker says of the new side alone; it confirms findings, or stands for itself."""

from __future__ import annotations

import json
import stat
import sys

import pytest

from auditor.errors import AuditError
from auditor.model import Finding, Span
from auditor.opinions import CHECKERS, Diagnostic, checkers, merged
from auditor.options import Options
from auditor.scan import scan


def finding(line: int, *, argument: str | None = None, symbol: str = "lib.f", severity="error") -> Finding:
    return Finding(
        "unknown-argument",
        severity,
        "medium",
        "lib",
        symbol,
        Span("app.py", line, 1, line, 5),
        "gone",
        argument=argument,
    )


def diagnostic(line: int, message: str, code: str = "unknown-argument") -> Diagnostic:
    return Diagnostic("app.py", line, 1, line, 2, code, message)


def test_agreement_raises_confidence():
    (one,) = merged([finding(3, argument="x")], [diagnostic(3, "no `x`")], "ty", ["lib"])
    assert one.confidence == "high"
    assert one.notes == ("ty sees it too [unknown-argument]: no `x`",)


def test_of_several_findings_in_a_place_the_named_one_is_confirmed():
    both = merged([finding(3, argument="x"), finding(3, argument="y")], [diagnostic(3, "no `y`")], "ty", ["lib"])
    assert [bool(f.notes) for f in both] == [False, True]


def test_an_unnamed_one_in_the_same_place_is_the_same_matter():
    (one,) = merged([finding(3, argument="x")], [diagnostic(3, "does not fit")], "ty", ["lib"])
    assert one.confidence == "high"


def test_a_note_beside_it_is_not():
    found = merged([finding(3, argument="x", severity="info")], [diagnostic(3, "does not fit")], "ty", ["lib"])
    assert [f.rule for f in found] == ["unknown-argument", "ty:unknown-argument"]


def test_what_only_the_checker_sees_is_its_own():
    own, ours = merged([finding(9)], [diagnostic(3, "no `x`", "missing-argument")], "pyrefly", ["other", "lib"])
    assert (own.rule, own.severity, own.provider) == ("pyrefly:missing-argument", "warning", "other")
    assert ours.confidence == "medium"


def test_both_reports_are_read():
    place = {"positions": {"begin": {"line": 2, "column": 6}, "end": {"line": 2, "column": 9}}, "path": "app.py"}
    (one,) = CHECKERS["ty"].parse([{"check_name": "c", "description": "c: text", "location": place}])
    error = {"path": "app.py", "line": 2, "column": 6, "stop_line": 2, "stop_column": 9, "name": "c"}
    error["concise_description"] = "text"
    assert [one] == list(CHECKERS["pyrefly"].parse({"errors": [error]}))
    assert one == Diagnostic("app.py", 2, 6, 2, 9, "c", "text")


FAKE = """#!{python}
import json, pathlib, sys
provider = pathlib.Path(sys.argv[sys.argv.index("--extra-search-path") + 1])
found = []
def say(line, text):
    place = {{"begin": {{"line": line, "column": 1}}, "end": {{"line": line, "column": 3}}}}
    location = {{"path": "app.py", "positions": place}}
    found.append({{"check_name": "odd", "description": "odd: " + text, "location": location}})
say(1, "on both sides, " + provider.name)
if "new" in (provider / "lib" / "__init__.py").read_text():
    say(3, "new here")
print(json.dumps(found))
"""


@pytest.fixture
def project(tmp_path):
    for side in ("old", "new"):
        package = tmp_path / side / "lib"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"{side} = 1\ndef f(): ...\n")
    consumer = tmp_path / "consumer"
    consumer.mkdir()
    (consumer / "app.py").write_text("import lib\n\nlib.f()\n")
    return tmp_path


def audited(folder):
    return scan(
        Options(
            consumers=(str(folder / "consumer"),),
            against=(str(folder / "new"),),
            from_=(str(folder / "old"),),
            cache_dir=folder / "cache",
            offline=True,
            second_opinion="ty",
        )
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the fake checker is a script with a shebang")
def test_only_what_is_new_on_the_new_side_counts(project, monkeypatch):
    program = project / "ty"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(checkers, "_program", lambda name: program)
    (found,) = audited(project).findings
    assert (found.rule, found.message, found.span.path, found.span.line) == ("ty:odd", "new here", "app.py", 3)


def test_without_the_checker_nothing_is_audited(project, monkeypatch):
    monkeypatch.setattr(checkers.shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(sys.modules["auditor.scan"], "open_store", None)
    with pytest.raises(AuditError, match="not installed") as caught:
        audited(project)
    assert "pip install 'api-audit[ty]'" in str(caught.value.hint)


def test_a_report_that_cannot_be_read_is_a_failure(project, monkeypatch):
    program = project / "ty"
    program.write_text(f"#!{sys.executable}\nprint({json.dumps('what?')})\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(checkers, "_program", lambda name: program)
    with pytest.raises(AuditError, match="cannot be read"):
        audited(project)
