"""A repository of a stranger: none of the programs that its settings name is run, whatever git is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from packages.test_trees import open_
from repositories import git

from auditor.bisection import _commits, _title
from auditor.cli.git import changed_files
from auditor.errors import AuditError
from auditor.git import ask
from auditor.packages.store import Store

pytestmark = pytest.mark.skipif(shutil.which("git") is None or os.name != "posix", reason="needs git and a shell")


def commit(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "more")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With a trap in every setting that names a program, a touched file, and a submodule with the same traps."""
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\necho $0 $* >> {tmp_path / 'witness'}\ncat\n")
    script.chmod(0o755)
    inner, folder = tmp_path / "inner", tmp_path / "repository"
    for place in (inner, folder):
        place.mkdir()
        git(place, "init", "-q")
        commit(place, {"p/__init__.py": "x = 1\n", ".gitattributes": "*.py filter=a=b.c diff=d\n"})
    git(folder, "submodule", "--quiet", "add", str(inner), "sub")
    commit(folder, {"p/one.py": "x = 2\n"})
    for place in (folder, folder / "sub"):
        settings = Path(git(place, "rev-parse", "--absolute-git-dir"))
        (settings / "more").write_text(
            f'[filter "a=b.c"]\n\tclean = {script} c\n\tprocess = {script} p\n\trequired = true\n'
        )
        with (settings / "config").open("a") as config:
            config.write(
                f"[include]\n\tpath = more\n[core]\n\tfsmonitor = {script}\n\tpager = {script}\n"
                f"\tsshCommand = {script}\n\thooksPath = {tmp_path}\n"
                f"\teditor = {script}\n\taskPass = {script}\n\tgitProxy = {script}\n"
                f'[diff "d"]\n\tcommand = {script}\n\ttextconv = {script}\n[gpg]\n\tprogram = {script}\n'
                f"[log]\n\tshowSignature = true\n[credential]\n\thelper = {script}\n[diff]\n\texternal = {script}\n"
                f'[protocol "ssh"]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n'
            )
        for hook in ("post-index-change", "post-checkout", "reference-transaction"):
            shutil.copy(script, tmp_path / hook)
        os.utime(place / "p/__init__.py", (1_000_000_000, 1_000_000_000))
    return folder


def test_the_traps_are_set(repository, tmp_path):
    """Git itself runs some of them."""
    subprocess.run(["git", "-C", str(repository), "status"], capture_output=True, check=False)
    assert (tmp_path / "witness").exists()


def test_nothing_is_run(repository, tmp_path):
    assert changed_files(repository) == []
    (repository / "p/one.py").write_text("changed\n")
    assert changed_files(repository) == ["p/one.py"]
    with Store(None) as store:
        release = open_(f"{repository}@HEAD", store)
        assert release.read(release.files)
    assert len(_commits(repository, _Asked())) == 2
    assert _title(f"{repository}@HEAD")
    assert not (tmp_path / "witness").exists()


class _Asked:
    start, end, tags = "HEAD~1", "HEAD", False


@pytest.mark.parametrize(
    "url", ["ssh://example.invalid/x", "ext::{script} %S", "file:///{inner}", "http://127.0.0.1:9/x"]
)
def test_what_a_partial_clone_lacks_is_not_fetched(repository, tmp_path, url):
    script, inner = tmp_path / "trap.sh", tmp_path / "inner"
    git(repository, "config", "core.repositoryFormatVersion", "1")
    git(repository, "config", "extensions.partialClone", "origin")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "remote.origin.url", url.format(script=script, inner=inner))
    lost = git(repository, "rev-parse", "HEAD:p/one.py")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    (tmp_path / "witness").unlink(missing_ok=True)
    with Store(None) as store, pytest.raises(AuditError, match="git"):
        open_(f"{repository}@HEAD", store)
    ask(repository, "log", "-p", "-1", "--no-ext-diff", "--no-textconv")
    assert not (tmp_path / "witness").exists()
