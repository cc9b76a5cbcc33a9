"""Patch sets of a stranger, as `apply` and the runner get them: refused in a line, with nothing changed or run."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from patches.sample import NAME, PATCHES, PRISTINE, SET, found, laid, leftovers, patch, written
from patches.test_files import CONTENT, RESEALED, TAMPERED, resealed

from auditor.__main__ import main
from auditor.patches import hunks
from auditor.patches.series import PatchSet
from auditor.patches.writer import render
from auditor.runner.__main__ import main as runner


def refused(capfd, *arguments: str, program=main) -> str:
    """The one line on standard error."""
    capfd.readouterr()
    assert program(list(arguments)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.removesuffix("\n").isprintable()
    assert "internal error" not in err
    return err


def hostile(folder: Path, content: bytes) -> Path:
    """A set whose first patch is this one."""
    made = written(folder)
    (made / PATCHES[0].name).write_bytes(content)
    (made / "series").write_text(f"{PATCHES[0].name}\n")
    return made


VARIANTS = {
    **{f"tampered: {what}": CONTENT.replace(*change) for what, change in TAMPERED.items()},
    **{f"sealed: {what}": resealed(CONTENT.replace(*change, 1)) for what, change in RESEALED.items()},
    **{f"cut at {cut}": CONTENT[:cut] for cut in range(0, len(CONTENT), 211)},
}


@pytest.mark.parametrize("what", VARIANTS)
def test_what_was_tampered_with_is_refused(tmp_path, capfd, what):
    made, root = hostile(tmp_path, VARIANTS[what]), laid(tmp_path / "tree")
    for mode in ([], ["--check"], ["--diff"], ["--revert"]):
        refused(capfd, "apply", str(made), "--to", str(root), *mode)
    refused(capfd, "preflight", "--python", str(tmp_path / "python"), "--patches", str(made), program=runner)
    assert found(root) == PRISTINE
    assert not leftovers(root)


def aimed(folder: Path, path: str, before: bytes = b"x = 1\n") -> Path:
    """A set, sealed as ours are, that edits another path than a Python file of a package."""
    file = msgspec.structs.replace(hunks.make("app/x.py", before, b"import os\n"), path=path)
    file = msgspec.structs.replace(file, diff=file.diff.replace("app/x.py", path))
    one = msgspec.structs.replace(PATCHES[0], files=(file,))
    return hostile(folder, render(one, PatchSet("app", "1.0", SET.providers, (one,))))


OUTSIDE = ["../outside.py", "app/../../outside.py", "{root}/outside.py", "app/./x.py", "app//x.py", ".git/x.py"]
OTHER_KINDS = ["app/x.so", "app/x.pth", "app/x.sh", "app/x", "setup.cfg", "app/x.pyc", "Makefile", "app/x.py.bak"]


@pytest.mark.parametrize("path", [*OUTSIDE, *OTHER_KINDS])
def test_only_python_files_under_the_target(tmp_path, capfd, path):
    root = laid(tmp_path / "tree")
    wanted = path.format(root=tmp_path)
    for place in (root / wanted, root.parent / wanted):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"x = 1\n")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    made = aimed(tmp_path / "set", wanted)
    assert "edits something else than a Python file" in refused(capfd, "apply", str(made), "--to", str(root))
    refused(capfd, "preflight", "--python", str(tmp_path / "python"), "--patches", str(made), program=runner)
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize("owner", ["other", None])
def test_in_a_shared_folder_only_files_of_the_named_package(tmp_path, capfd, owner):
    """The folder of an environment is named itself, and the set for `app` edits a file of another distribution."""
    folder = laid(tmp_path / "site-packages")
    (folder / "other").mkdir()
    (folder / "other/x.py").write_bytes(b"x = 1\n")
    for name, owned in {"app": list(PRISTINE), "other": ["other/x.py"]}.items():
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "RECORD").write_text("".join(f'"{path}",,\n' for path in owned))
    if owner is None:
        shutil.rmtree(folder / "app-1.0.dist-info")
    foreign = patch("010-unknown-argument.patch", {"other/x.py": b"x = 1\n"}, {"other/x.py": b"import os\n"})
    made = hostile(tmp_path, render(foreign, PatchSet("app", "1.0", SET.providers, (foreign,))))
    said = refused(capfd, "apply", str(made), "--to", str(folder))
    assert ("no part of `app`" in said) if owner else ("`app` is not installed there" in said)
    assert (folder / "other/x.py").read_bytes() == b"x = 1\n"
    if owner:
        assert main(["apply", str(written(tmp_path / "good")), "--to", str(folder), "--allow-no-vcs"]) == 0


@pytest.mark.parametrize("kind", ["link to a file", "link to a folder", "folder", "hard link outside"])
def test_links_in_place_of_files(tmp_path, capfd, kind):
    root, outside = laid(tmp_path / "tree"), laid(tmp_path / "outside")
    target = root / "app/one.py"
    target.unlink()
    if kind == "link to a file":
        target.symlink_to(outside / "app/one.py")
    elif kind == "folder":
        target.mkdir()
    elif kind == "link to a folder":
        shutil.rmtree(root / "app")
        (root / "app").symlink_to(outside / "app")
    else:
        target.hardlink_to(outside / "app/one.py")
    made = written(tmp_path / "set")
    if kind == "hard link outside":
        assert main(["apply", str(made), "--to", str(root), "--allow-no-vcs"]) == 0
    else:
        refused(capfd, "apply", str(made), "--to", str(root), "--allow-no-vcs", "-q")
    assert found(outside) == PRISTINE


HEADERS = {
    "shell": "$(touch {w}) `touch {w}` ; touch {w} | sh && touch {w}",
    "terminal": "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\u2028\r\nroot# ",
    "template": "{{{{ cycler.__init__.__globals__.os.system('touch {w}') }}}}{{% include '/etc/passwd' %}}",
    "workflow": "%0A::error::x\n::set-output name=a::b",
    "patch": "x\n--- a/app/two.py\n+++ b/app/two.py\n@@ -1,1 +1,1 @@\n-a\n+b\n",
}


@pytest.mark.parametrize("what", HEADERS)
def test_headers_are_text(tmp_path, capfd, what):
    """Hostile names in a set that is otherwise right: it is applied, and what is shown of it is harmless."""
    nasty = HEADERS[what].format(w=tmp_path / "witness")
    one = msgspec.structs.replace(
        PATCHES[0], reason=nasty, rule=nasty, symbols=(nasty,), old_signatures=(nasty,), findings=(nasty,)
    )
    made = hostile(tmp_path, render(one, PatchSet(nasty, None, (nasty,), (one,))))
    root = laid(tmp_path / "tree")
    for mode in (["--check"], ["--diff"], [], ["--revert"]):
        capfd.readouterr()
        assert main(["apply", str(made), "--to", str(root), "--allow-no-vcs", *mode]) == 0
        shown = "".join(capfd.readouterr())
        if mode != ["--diff"]:
            assert all(line.isprintable() for line in shown.splitlines()), shown
            assert not any(line.startswith("::") for line in shown.splitlines())
    refused(capfd, "preflight", "--python", str(tmp_path / "python"), "--patches", str(made), program=runner)
    assert found(root) == PRISTINE
    assert not (tmp_path / "witness").exists()
    assert made.name == NAME
