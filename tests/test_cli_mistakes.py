"""What users mistype: one line that says what, where and what next, exit code 2, and nothing is written."""

from __future__ import annotations

import pytest
from packages.making import publish

from auditor.__main__ import main

BOTH = "--from ./old --against ./new"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A consumer, both sides of a provider, folders with nothing in them, and a file where folders are asked for."""
    sources = {
        "app/main.py": "import lib\n\nlib.f(1)\n",
        "old/lib.py": "def f(a): ...\n",
        "new/lib.py": "def f(a, b): ...\n",
    }
    for path, text in {**sources, "broken/pyproject.toml": "[tool.api-audit\n", "patches/010-x.patch": "no\n"}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    for version in ("1.0", "1.1", "2.0"):
        publish(tmp_path / "index", "acme", version, {"acme.py": ""})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("API_AUDIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("API_AUDIT_INDEX_URL", str(tmp_path / "index"))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("scan broken", "broken/pyproject.toml: is not valid TOML"),
        (f"scan empty {BOTH}", "empty: no Python file to audit"),
        (f"scan nowhere/x {BOTH}", "nowhere/x: no such file or folder"),
        (f"scan '' {BOTH}", "the name of a consumer is empty. For the current folder write `.`"),
        ("scan app --from ./old --against ./empty", "./empty: no Python package or module is in it"),
        ("scan app --against git+https://example.org/x.git", "URLs are not opened. Download or clone it"),
        ("scan app --against https://example.org/x-1-py3-none-any.whl", "URLs are not opened"),
        ("scan app --against env:/nowhere/python", "env:/nowhere/python: there is no such interpreter"),
        ("scan app --against 'acme>=2,<1'", "acme has no release"),
        (f"scan app {BOTH} --select no-such", "there is no rule `no-such`. List them: api-audit rules"),
        (f"scan app {BOTH} --baseline no.jsonl", "no.jsonl: the baseline cannot be read: No such file or directory."),
        (f"scan app {BOTH} --rules app", "app: no rule is in this folder. A rule is a file"),
        (f"scan app {BOTH} --rules nowhere", "nowhere: there is no such folder of rules"),
        (f"scan app old nothing {BOTH}", "nothing: no such file or folder. Several consumers must all be paths"),
        (f"matrix app {BOTH} --ignore no-such", "there is no rule `no-such`"),
        ("matrix app --from ./old --against ./missing", "./missing: there is no such folder"),
        ("apply nowhere --to app", "nowhere: There is no such folder of patches"),
        ("apply patches --to app", "patches: It is no folder of patches. `api-audit scan` makes them"),
        ("bisect app --provider acme --from 2.0 --to 1.0", "2.0 is no earlier release than 1.0. Swap --from and --to"),
        ("bisect app --provider acme --from 1.0 --to 9", "acme has no release 9"),
        ("bisect app --provider acme --from 0.1 --to 2.0", "acme has no release 0.1"),
        ("diff ./old ./empty", "./empty: no Python package or module is in it"),
        ("diff acme==1.0 acme==7", "acme has no release 7"),
        ("prune app", "app declares no range of anything it imports. Name one: --against"),
        ("prune app --against acme", "acme: no range is named. Write `acme>=1.2`"),
        ("snapshot ./empty", "./empty: no Python package or module is in it"),
        ("snapshot --used-by nowhere/x --against acme==1.0", "nowhere/x: no such file or folder"),
    ],
)
def test_a_mistake_is_one_line(project, capsys, command, told):
    words = [word.strip("'") for word in command.split(" ")]
    before = {path for path in project.rglob("*") if "cache" not in path.parts}
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert not out
    assert told in err
    assert err.count("\n") == 1
    assert {path for path in project.rglob("*") if "cache" not in path.parts} == before
