"""However a run fails: exit code 2, one line that says what, where and what next, and no half of a report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from trust.test_hostile_sources import NEW, OLD, plant

from auditor.__main__ import main
from auditor.runner.__main__ import main as runner

MACHINE = ["json", "sarif", "gitlab"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("API_AUDIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    plant(
        tmp_path, {"app/__init__.py": "import lib\nlib.f(1)\n", "old/lib/__init__.py": OLD, "new/lib/__init__.py": NEW}
    )
    plant(tmp_path, {"bad.toml": "[tool.api-audit\n", "odd.toml": "[tool.api-audit]\nagainst = 3\n", "notes.txt": "x"})
    plant(tmp_path, {"empty/readme": "", "lib-1.0-py3-none-any.whl": "no zip", "lib-1.0.tar.gz": "no tar"})
    plant(tmp_path, {"rules/lib/x.yaml": "summary: [", "baseline.jsonl": "{", "folder/x": ""})
    return tmp_path


GOOD = ("--from", "lib @ old", "--against", "lib @ new", "--isolated", "--offline")
FAILURES = {
    "no such consumer": ("scan", "nowhere/", *GOOD),
    "no Python in it": ("scan", "empty", *GOOD),
    "no such release offline": ("scan", "app", "--against", "lib==2", "--from", "lib==1", "--offline"),
    "no index": ("scan", "app", "--against", "lib==2", "--from", "lib==1"),
    "an address that is none": ("scan", "app", "--against", "lib==2", "--index-url", "gopher://x/simple"),
    "no such provider folder": ("scan", "app", "--from", "lib @ old", "--against", "lib @ nothere/"),
    "a wheel that is none": ("scan", "app", "--from", "lib @ old", "--against", "lib-1.0-py3-none-any.whl"),
    "an sdist that is none": ("scan", "app", "--from", "lib @ old", "--against", "lib-1.0.tar.gz"),
    "no such interpreter": ("scan", "app", "--from", "lib @ old", "--against", "lib @ env:nowhere/python"),
    "no such commit": ("scan", "app", "--from", "lib @ old", "--against", "lib @ old@v9"),
    "a specification that is none": ("scan", "app", "--against", "=="),
    "settings that are no TOML": ("scan", "app", *GOOD[:4], "--config", "bad.toml"),
    "settings of another type": ("scan", "app", *GOOD[:4], "--config", "odd.toml"),
    "a rule that is no YAML": ("scan", "app", *GOOD, "--rules", "rules"),
    "a baseline that is none": ("scan", "app", *GOOD, "--baseline", "baseline.jsonl"),
    "a report that cannot be written": ("scan", "app", *GOOD, "-o", "folder"),
    "patches that cannot be written": ("scan", "app", *GOOD, "--patch-dir", "notes.txt"),
    "an unknown option": ("scan", "app", "--nonsense"),
    "an unknown rule": ("scan", "app", *GOOD, "--select", "nonsense"),
    "a snapshot of nothing": ("snapshot", "lib @ nothere/"),
    "a matrix of nothing": ("matrix", "app", "--against", "lib>=1", "--offline"),
    "a comparison of nothing": ("diff", "lib==1", "lib==2", "--offline"),
    "no such patches": ("apply", "nowhere", "--to", "app"),
    "no such rule": ("explain", "nonsense"),
}
"""What goes wrong, as arguments."""


@pytest.mark.parametrize("what", FAILURES)
def test_anticipated(place, capfd, what):
    arguments = list(FAILURES[what])
    for form in [None, *MACHINE] if arguments[0] == "scan" else [None]:
        capfd.readouterr()
        assert main([*arguments, *(["--output-format", form] if form else [])]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        lines = [line for line in err.splitlines() if line.startswith("api-audit: ")]
        assert len(lines) == 1, err
        assert lines[0].startswith("api-audit: error: ")
        assert len(lines[0]) > 30
        assert "internal error" not in err
        assert "Traceback" not in err


@pytest.mark.parametrize("form", [*MACHINE, "full", "html"])
@pytest.mark.parametrize(
    "where", ["auditor.audit.Audit.uses", "auditor.audit.Audit.findings_in", "auditor.formats.renderer"]
)
@pytest.mark.parametrize(
    "error", [KeyError("\x1b[2J"), RecursionError(), MemoryError(), OSError(5, "a\nb"), AssertionError()]
)
def test_unexpected(place, capfd, monkeypatch, form, where, error):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(where, fail)
    monkeypatch.setattr("tempfile.tempdir", str(place / "folder"))
    assert main(["scan", "app", *GOOD, "--output-format", form]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    (line,) = [line for line in err.splitlines() if "internal error" in line]
    (kept,) = (place / "folder").glob("api-audit-crash-*.txt")
    assert f"The traceback is in {kept}" in line
    assert type(error).__name__ in kept.read_text()
    assert "\x1b" not in err


def test_unexpected_in_the_runner(place, capfd, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("auditor.runner.options.read_set", fail)
    monkeypatch.setattr("tempfile.tempdir", str(place / "folder"))
    assert runner(["preflight", "--python", sys.executable, "--patches", "folder"]) == 2
    out, err = capfd.readouterr()
    (kept,) = (place / "folder").glob("api-audit-crash-*.txt")
    assert out == ""
    assert f"internal error: KeyError: 'oops'. The traceback is in {kept}" in err
    assert len(err.splitlines()) == 1


def test_bugs_in_one_second_are_all_kept(place, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(place / "folder"))
    from auditor.crash import record

    kept = {record(KeyError(number), []) for number in range(3)}
    assert len(kept) == 3
    assert {file.parent for file in kept} == {place / "folder"}


@pytest.mark.parametrize("form", [*MACHINE, "full"])
def test_a_report_is_whole_or_not_there(place, form):
    """Standard output on a full device: exit code 2 and a line; into a file: the earlier report stays."""
    command = [sys.executable, "-m", "auditor", "scan", "app", *GOOD, "--output-format", form, "--no-patches"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
        assert done.returncode == 2, done.stderr
        assert "error: standard output: the report cannot be written: No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1, done.stderr
    if form in MACHINE:
        json.loads(done.stdout)
