"""`api-audit apply` over a real patch set: what it says, what it refuses, and its exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from repositories import git

from auditor.__main__ import main
from auditor.model import Applicability, ConsumerInfo, Patch, ProviderInfo
from auditor.patches import hunks
from auditor.patches.series import PatchSet, folder_name
from auditor.patches.writer import write_set

FIRST, SECOND, THIRD = b"x = 1\ny = 1\n", b"x = 2\ny = 1\n", b"x = 2\ny = 2\n"


def patch(name: str, applicability: Applicability, before: bytes, after: bytes, path: str = "app/a.py") -> Patch:
    return Patch(
        name=name,
        rule=name[4:-6],
        applicability=applicability,
        reason="because",
        symbols=("lib.f",),
        files=(hunks.make(path, before, after),),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    patches = (
        patch("010-one.patch", "safe", FIRST, SECOND),
        patch("020-two.patch", "safe", b"z = 1\n", b"z = 2\n", "app/b.py"),
        patch("030-three.patch", "unsafe", SECOND, THIRD),
    )
    provider = ProviderInfo("lib", ("lib",), "1", "2", "index", "index", "--from")
    name = folder_name(ConsumerInfo("app", "1", "app==1", 2), [provider])
    return write_set(tmp_path / "generated_patches", name, PatchSet("app", "1", ("lib 1 -> 2",), patches))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "app").mkdir(parents=True)
    (tree / "app" / "a.py").write_bytes(FIRST)
    (tree / "app" / "b.py").write_bytes(b"z = 1\n")
    return tree


def content(tree: Path) -> tuple[bytes, bytes]:
    return (tree / "app" / "a.py").read_bytes(), (tree / "app" / "b.py").read_bytes()


def apply(folder: Path, tree: Path, *flags: str) -> int:
    return main(["apply", str(folder), "--to", str(tree), *flags])


def test_apply_and_revert(folder, tree, capsys):
    assert apply(folder, tree) == 0
    assert content(tree) == (SECOND, b"z = 2\n")
    out, err = capsys.readouterr()
    assert "Applied 2 patches to 2 files" in out
    assert "030-three.patch" in out
    assert f"--to {tree} --revert" in err
    assert f"Check: api-audit scan {tree} --from lib==1 --against lib==2 --no-patches" in err
    assert apply(folder, tree, "--unsafe-fixes") == 0
    assert content(tree) == (THIRD, b"z = 2\n")
    assert apply(folder, tree, "--revert") == 0
    assert content(tree) == (FIRST, b"z = 1\n")


def audit_json(folder: Path, **provider: object) -> None:
    fields = {"name": "lib", "packages": ["lib"], "old": "1", "new": "2", "old_reason": "--from", **provider}
    (folder / "audit.json").write_text(json.dumps({"schema": 1, "providers": [fields]}), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("lib-1.whl from pypi", "lib-2.whl from pypi", "--from lib==1 --against lib==2 --no-patches"),
        ("lib-1.whl from pypi", "{here}", "--from lib==1 --against 'lib @ {here}' --no-patches"),
        ("{here} at v1", "{here} at v2", "--from 'lib @ {here}@v1' --against 'lib @ {here}@v2' --no-patches"),
        ("{here} (lib-1.dist-info)", "{here}", "--from 'lib @ {here}' --against 'lib @ {here}' --no-patches"),
        (None, "lib-2.whl from pypi", "tree --against lib==2 --no-patches"),
        ("lib-1.whl", "{here}", None),
        ("{here}", "/no/such/place", None),
    ],
)
def test_the_check_names_releases_that_can_be_opened(folder, tree, tmp_path, capsys, old, new, said):
    place = old and old.format(here=tmp_path)
    audit_json(folder, old_origin=place, new_origin=new.format(here=tmp_path))
    assert apply(folder, tree) == 0
    err = capsys.readouterr().err
    assert (said.format(here=tmp_path) in err) if said else ("Check:" not in err)


def test_in_a_shared_folder_the_check_is_about_the_patched_package(folder, tree, capsys):
    for name in ("app-1.dist-info", "lib-2.dist-info"):
        (tree / name).mkdir()
    assert apply(folder, tree) == 0
    assert f"Check: api-audit scan {tree / 'app'} --from" in capsys.readouterr().err


def test_check_and_diff_change_nothing(folder, tree, capsys):
    assert apply(folder, tree, "--check") == 0
    out, err = capsys.readouterr()
    assert "Would apply 2 patches" in out
    assert err.rstrip().endswith(f"Do it: api-audit apply {folder} --to {tree}")
    assert apply(folder, tree, "--check", "--unsafe-fixes") == 0
    assert capsys.readouterr().err.rstrip().endswith("--unsafe-fixes")
    assert apply(folder, tree, "--diff") == 0
    out = capsys.readouterr().out
    assert out.startswith("--- a/app/a.py\n")
    assert content(tree) == (FIRST, b"z = 1\n")
    done = subprocess.run(["git", "apply", "--check", "-"], input=out, text=True, cwd=tree, check=False)
    assert done.returncode == 0


def test_a_changed_file_is_refused_and_nothing_written(folder, tree, capsys):
    (tree / "app" / "b.py").write_bytes(b"z = 7\n")
    assert apply(folder, tree) == 2
    assert content(tree) == (FIRST, b"z = 7\n")
    assert "Nothing was changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "flags", [["--check", "--diff"], ["--revert", "--check"], ["--interactive", "--check"], ["--nonsense"]]
)
def test_flags_that_exclude_each_other(folder, tree, flags):
    assert apply(folder, tree, *flags) == 2


def test_missing_things_are_refused(folder, tree, tmp_path, capsys):
    assert main(["apply", str(tmp_path / "none"), "--to", str(tree)]) == 2
    assert apply(folder, tmp_path / "none") == 2
    assert main(["apply", str(folder)]) == 2
    assert "--to" in capsys.readouterr().err


def test_a_dirty_tree_is_refused(folder, tree, capsys):
    git(tree, "init", "-q")
    (tree / "other.py").write_text("a = 1\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "start")
    (tree / "other.py").write_text("a = 2\n")
    assert apply(folder, tree) == 2
    assert "other.py" in capsys.readouterr().err
    assert content(tree) == (FIRST, b"z = 1\n")
    assert apply(folder, tree, "--check") == 0, "looking is always allowed"
    git(tree, "commit", "-qam", "done")
    assert apply(folder, tree) == 0
    assert apply(folder, tree, "--unsafe-fixes") == 0, "what the patches did themselves is no other work"
    assert content(tree) == (THIRD, b"z = 2\n")
    (tree / "other.py").write_text("a = 3\n")
    assert apply(folder, tree, "--revert") == 2
    assert "other.py" in capsys.readouterr().err
    assert apply(folder, tree, "--revert", "--allow-dirty") == 0
    assert content(tree) == (FIRST, b"z = 1\n")


def test_the_patches_own_changes_are_told_from_others_below_the_root_of_a_checkout(folder, tree, capsys):
    git(tree.parent, "init", "-q")
    git(tree.parent, "add", "tree")
    git(tree.parent, "commit", "-qm", "start")
    assert apply(folder, tree) == 0
    assert apply(folder, tree, "--revert") == 0
    assert content(tree) == (FIRST, b"z = 1\n")
    (tree / "app" / "b.py").write_bytes(b"z = 7\n")
    assert apply(folder, tree) == 2
    assert "uncommitted changes: app/b.py" in capsys.readouterr().err


def test_no_version_control_is_mentioned_once_asked_not(folder, tree, capsys):
    apply(folder, tree)
    assert "not under version control" in capsys.readouterr().err
    apply(folder, tree, "--revert", "--allow-no-vcs")
    assert "not under version control" not in capsys.readouterr().err


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    given = iter(answers)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(given))


def test_interactive_takes_what_is_said(folder, tree, monkeypatch):
    answering(monkeypatch, "n", "y")
    assert apply(folder, tree, "-i", "--unsafe-fixes") == 0
    assert content(tree) == (FIRST, b"z = 2\n"), "the third builds on the first, which was declined"
    answering(monkeypatch, "y", "y")
    assert apply(folder, tree, "-i", "--unsafe-fixes") == 0
    assert content(tree) == (THIRD, b"z = 2\n")


def test_interactive_stops(folder, tree, monkeypatch, capsys):
    answering(monkeypatch, "q")
    assert apply(folder, tree, "-i") == 0
    assert content(tree) == (FIRST, b"z = 1\n")
    assert "No patch was chosen" in capsys.readouterr().err


def test_interactive_needs_a_terminal(folder, tree, capsys):
    assert apply(folder, tree, "-i") == 2
    assert "needs a terminal" in capsys.readouterr().err
