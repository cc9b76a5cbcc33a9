"""Applying: all or nothing, in checkouts, wheels and environments; what does not fit is refused, nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from patches.sample import PATCHES, PRISTINE, SAFE, SAFE_TOO, SET, UNSAFE, found, laid, leftovers, patch, written

from auditor.errors import PatchError
from auditor.patches import journal
from auditor.patches.apply import apply
from auditor.patches.lock import locked
from auditor.patches.reader import read_set
from auditor.patches.series import PatchSet
from auditor.patches.target import site_packages


def test_safe_ones_by_default_unsafe_ones_when_asked(tmp_path):
    root = laid(tmp_path)
    outcome = apply(SET, root)
    assert found(root) == SAFE_TOO
    assert outcome.patches == ("010-unknown-argument.patch", "020-renamed.patch")
    assert outcome.left_out == ("030-altered.patch",)
    assert sorted(outcome.changed) == ["app/crlf.py", "app/one.py", "app/sub dir/latin.py"]
    again = apply(SET, root)
    assert (again.patches, again.changed) == ((), ())
    assert again.already == outcome.patches
    assert "applied already" in again.sentences()[0]
    more = apply(SET, root, unsafe=True)
    assert found(root) == UNSAFE
    assert (more.patches, more.left_out) == (("030-altered.patch",), ())
    assert apply(SET, root).left_out == ()
    assert not leftovers(root)


@pytest.mark.parametrize("state", [SAFE, SAFE_TOO, UNSAFE])
def test_revert_from_any_state(tmp_path, state):
    root = laid(tmp_path, state)
    outcome = apply(SET, root, mode="revert")
    assert found(root) == PRISTINE
    assert outcome.patches
    assert apply(SET, root, mode="revert").sentences() == [f"Nothing to do in {root}: no patch is applied"]


def test_check_and_diff_change_nothing(tmp_path):
    root = laid(tmp_path)
    check, diff = apply(SET, root, mode="check"), apply(SET, root, mode="diff", unsafe=True)
    assert check.patches == (PATCHES[0].name, PATCHES[1].name)
    assert found(root) == PRISTINE
    assert "+z = lib.h(3)\n+-- q\n" in diff.diff
    assert diff.diff.count("--- a/") == 3
    assert "Would apply 2 patches to 3 files" in check.sentences()[0]


def test_read_from_disk_it_does_the_same(tmp_path):
    root = laid(tmp_path / "tree")
    apply(read_set(written(tmp_path / "patches")), root, unsafe=True)
    assert found(root) == UNSAFE


@pytest.mark.parametrize("inside", [".", "src", "app"])
def test_checkouts_of_every_layout(tmp_path, inside):
    root = laid(tmp_path / "src" if inside == "src" else tmp_path)
    target = tmp_path / "app" if inside == "app" else tmp_path
    apply(SET, target)
    assert found(root) == SAFE_TOO


def test_patches_of_a_src_checkout_fit_the_installed_package(tmp_path):
    files = tuple(
        msgspec.structs.replace(f, path=f"src/{f.path}", diff=f.diff.replace("/app/", "/src/app/"))
        for f in PATCHES[0].files
    )
    moved = PatchSet("app", "1.0", (), (msgspec.structs.replace(PATCHES[0], files=files),))
    assert moved.packages == ("app",)
    apply(moved, laid(tmp_path))
    assert found(tmp_path) == SAFE


def environment(
    tmp_path: Path, *, record: str | None = None, editable: bool = False, venv: bool = True
) -> tuple[str, Path]:
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    info = site / "App-1.0.dist-info"
    info.mkdir(parents=True)
    laid(site)
    rows = "".join(f"{path},sha256=x,1\n" for path in PRISTINE) if record is None else record
    (info / "RECORD").write_text(rows)
    url = {"url": "file:///work/app", "dir_info": {"editable": editable}}
    (info / "direct_url.json").write_text(json.dumps(url))
    python = tmp_path / "env" / "bin" / "python3"
    python.parent.mkdir()
    if venv:
        (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
        python.symlink_to(sys.executable)
    else:
        python.with_name("python3.11").write_text("")
        python.symlink_to("python3.11")
    return f"env:{python}", site


@pytest.mark.parametrize("venv", [True, False])
def test_an_environment_is_patched_without_being_run(tmp_path, venv):
    target, site = environment(tmp_path, venv=venv)
    outcome = apply(SET, target)
    assert found(site) == SAFE_TOO
    assert "RECORD" in outcome.notes[0]
    assert outcome.root == str(site)
    assert (site / "App-1.0.dist-info" / "RECORD").read_text().startswith("app/one.py,sha256=x")
    apply(SET, target, mode="revert")
    assert found(site) == PRISTINE


def test_a_folder_of_an_environment_is_one(tmp_path):
    _, site = environment(tmp_path)
    apply(SET, tmp_path / "env")
    assert found(site) == SAFE_TOO


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"record": "app/crlf.py,,\n"}, "is no part of `app`"),
        ({"record": '"'}, "is no part|cannot be read"),
        ({"editable": True}, "installed from a checkout there. Apply to /work/app"),
    ],
)
def test_environments_that_are_not_meant_are_refused(tmp_path, options, message):
    target, site = environment(tmp_path, **options)
    with pytest.raises(PatchError, match=message):
        apply(SET, target)
    assert found(site) == PRISTINE


def test_targets_that_are_none(tmp_path):
    target, site = environment(tmp_path)
    other = msgspec.structs.replace(SET, consumer="other")
    for where, message in (
        (tmp_path / "nowhere", "no such folder"),
        (tmp_path, "are not there"),
        (f"env:{tmp_path}/nowhere", "no such interpreter"),
        (f"env:{tmp_path}", "a folder, not an interpreter"),
    ):
        with pytest.raises(PatchError, match=message):
            apply(SET, where)
    with pytest.raises(PatchError, match="`other` is not installed there"):
        apply(other, target)
    (tmp_path / "bare" / "bin").mkdir(parents=True)
    (tmp_path / "bare" / "bin" / "python").write_text("")
    with pytest.raises(PatchError, match="No installed packages belong"):
        apply(SET, f"env:{tmp_path}/bare/bin/python")
    assert found(site) == PRISTINE


def test_this_interpreter_is_found():
    import sysconfig

    folders = [folder.resolve() for folder in site_packages(Path(sys.executable))]
    assert Path(sysconfig.get_path("purelib")).resolve() in folders


def test_changed_files_are_refused_all_of_them_untouched(tmp_path):
    root = laid(tmp_path)
    (root / "app/crlf.py").write_bytes(b"mine\n")
    before = found(root)
    for mode in ("apply", "check", "diff", "revert"):
        with pytest.raises(PatchError, match=r"app/crlf\.py: It is not the file that the patches were made for"):
            apply(SET, root, mode=mode)
    assert found(root) == before


def test_unsafe_patches_cannot_be_jumped_over(tmp_path):
    patches = (
        patch("010-a.patch", PRISTINE, SAFE, "unsafe"),
        patch("020-b.patch", SAFE, SAFE_TOO),
    )
    root = laid(tmp_path)
    with pytest.raises(PatchError, match=r"`010-a\.patch` is unsafe.*--unsafe-fixes"):
        apply(PatchSet("app", "1.0", (), patches), root)
    assert found(root) == PRISTINE


def test_links_are_not_followed(tmp_path):
    root = laid(tmp_path / "tree")
    elsewhere = tmp_path / "elsewhere.py"
    shutil.move(root / "app/one.py", elsewhere)
    (root / "app/one.py").symlink_to(elsewhere)
    with pytest.raises(PatchError, match="is a link"):
        apply(SET, root)
    assert elsewhere.read_bytes() == PRISTINE["app/one.py"]
    shutil.rmtree(root)
    laid(tmp_path / "real")
    root.mkdir()
    (root / "app").symlink_to(tmp_path / "real" / "app")
    with pytest.raises(PatchError, match="is a link"):
        apply(SET, root)
    assert found(tmp_path / "real") == PRISTINE


def test_a_folder_in_place_of_a_file_is_refused(tmp_path):
    root = laid(tmp_path)
    (root / "app/one.py").unlink()
    (root / "app/one.py").mkdir()
    with pytest.raises(PatchError, match="not a plain file"):
        apply(SET, root)


def test_modes_links_and_attributes_are_kept(tmp_path):
    root = laid(tmp_path)
    path = root / "app/one.py"
    path.chmod(0o640)
    other_name = root / "cache.py"
    os.link(path, other_name)
    if hasattr(os, "setxattr"):
        with suppress(OSError):
            os.setxattr(path, "user.note", b"kept")
    owner = (path.stat().st_uid, path.stat().st_gid)
    if os.geteuid() == 0:
        owner = (12345, 54321)
        os.chown(path, *owner)
    was = path.stat()
    apply(SET, root)
    now = path.stat()
    assert stat.S_IMODE(now.st_mode) == 0o640
    assert (now.st_uid, now.st_gid) == owner
    assert int(now.st_mtime) != int(was.st_mtime)
    assert other_name.read_bytes() == PRISTINE["app/one.py"], (
        "a file shared with a package cache is replaced, not edited"
    )
    if hasattr(os, "listxattr") and "user.note" in os.listxattr(other_name):
        assert os.getxattr(path, "user.note") == b"kept"


@pytest.mark.skipif(not hasattr(os, "listxattr"), reason="no extended attributes here")
@pytest.mark.parametrize("call", ["listxattr", "setxattr"])
def test_attributes_that_cannot_be_had_or_kept_do_not_stop_it(tmp_path, monkeypatch, call):
    def refuse(*_, **__):
        raise OSError(errno.ENOTSUP, "no attributes here")

    monkeypatch.setattr(os, "listxattr", lambda *_, **__: ["security.x", "user.y"])
    monkeypatch.setattr(os, "getxattr", lambda *_, **__: b"z")
    monkeypatch.setattr(os, call, refuse)
    apply(SET, laid(tmp_path))
    assert found(tmp_path) == SAFE_TOO


def test_read_only_targets_are_refused(tmp_path, monkeypatch):
    root = laid(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: "crlf" not in str(path))
    with pytest.raises(PatchError, match="cannot be written to"):
        apply(SET, root)
    assert found(root) == PRISTINE


def test_two_at_once_one_is_refused(tmp_path):
    root = laid(tmp_path)
    with locked(root), pytest.raises(PatchError, match="Another run"):
        apply(SET, root)
    assert found(root) == PRISTINE
    apply(SET, root)
    assert not leftovers(root)


STEPS = ("open", "write", "fsync", "link", "replace", "unlink", "fchown", "utime")


def counting(monkeypatch, act, *, calls=STEPS):
    """Call `act(n)` before the n-th file system step."""
    steps = iter(range(1, 10_000))
    for name in calls:
        real = getattr(os, name)

        def step(*args, real=real, **kwargs):
            act(next(steps))
            return real(*args, **kwargs)

        monkeypatch.setattr(os, name, step)
    return steps


@pytest.mark.parametrize("mode", ["apply", "revert"])
@pytest.mark.parametrize("failure", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_failing_step_leaves_all_old(tmp_path, monkeypatch, record_property, failure, mode):
    """Disk full, permission denied, input/output error: at each step, once."""
    old, new = (PRISTINE, UNSAFE) if mode == "apply" else (UNSAFE, PRISTINE)
    outcomes = set()
    for at in range(1, 1000):
        root = laid(tmp_path / f"{at}", old)
        reached = []

        def fail(step, at=at, reached=reached):
            if step == at:
                reached.append(step)
                raise OSError(failure, os.strerror(failure))

        with monkeypatch.context() as patched:
            counting(patched, fail)
            error = failure_of(SET, root, mode)
        if not reached:
            break
        outcomes.add(error is None)
        if error is not None:
            assert os.strerror(failure) in error, at
            assert found(root) == old, at
        after = apply(SET, root, unsafe=True, mode=mode)
        assert found(root) == new, at
        assert not leftovers(root), at
        assert after.recovered is None or "interrupted" in after.recovered
    assert at > 20
    assert False in outcomes
    record_property("inputs", at)


def failure_of(patches, root, mode):
    try:
        apply(patches, root, unsafe=True, mode=mode)
    except PatchError as error:
        return str(error)
    return None


@pytest.mark.parametrize("mode", ["apply", "revert"])
def test_killed_at_every_step_the_next_call_finishes_or_rolls_back(tmp_path, monkeypatch, mode):
    """From the n-th step on nothing runs any more, as after SIGKILL; what is on disk is all that the next call has."""
    old, new = (PRISTINE, UNSAFE) if mode == "apply" else (UNSAFE, PRISTINE)
    seen = set()
    for at in range(1, 1000):
        root = laid(tmp_path / f"{at}", old)

        def die(step, at=at):
            if step >= at:
                raise KilledError

        with monkeypatch.context() as patched:
            counting(patched, die)
            try:
                apply(SET, root, unsafe=True, mode=mode)
                break
            except KilledError:
                pass
        half = found(root)
        recovered = apply(SET, root, unsafe=True, mode="check").recovered
        assert recovered is None or "waits there" in recovered
        outcome = apply(SET, root, unsafe=True, mode=mode)
        assert found(root) == new, at
        assert not leftovers(root), at
        seen.add((outcome.recovered or "nothing").split(":")[0])
        if half not in (old, new):
            assert outcome.recovered
    assert at > 20
    assert seen == {"nothing", "An interrupted run was rolled back", "An interrupted run was finished"}


class KilledError(BaseException):
    """Nothing may catch it and go on."""


@pytest.mark.parametrize("at", [3, 9, 15, 21, 24, 26, 28, 31])
def test_a_real_sigkill(tmp_path, at):
    root, folder = laid(tmp_path / "tree"), written(tmp_path / "patches")
    code = f"""
import os, signal
from pathlib import Path
from auditor.patches.apply import apply
from auditor.patches.reader import read_set
steps = iter(range(1, 1000))
def wrap(real):
    def step(*args, **kwargs):
        if next(steps) == {at}:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return step
chosen = read_set(Path({str(folder)!r}))
for name in {STEPS!r}:
    setattr(os, name, wrap(getattr(os, name)))
apply(chosen, {str(root)!r}, unsafe=True)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    apply(SET, root, mode="revert")
    assert found(root) == PRISTINE
    assert not leftovers(root)


def test_a_file_changed_between_check_and_write_is_kept(tmp_path, monkeypatch):
    root = laid(tmp_path)

    def change(step):
        if step == 20:
            (root / "app/one.py").write_bytes(b"mine now\n")

    with monkeypatch.context() as patched:
        counting(patched, change)
        with pytest.raises(PatchError):
            apply(SET, root)
    assert (root / "app/one.py").read_bytes() == b"mine now\n"
    assert found(root)["app/crlf.py"] in (PRISTINE["app/crlf.py"], SAFE["app/crlf.py"])


def test_file_systems_without_links_are_served(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError(errno.EPERM, "no links here")

    root = laid(tmp_path)
    monkeypatch.setattr(os, "link", refuse)
    apply(SET, root)
    assert found(root) == SAFE_TOO
    real = os.replace
    calls = iter(range(100))
    monkeypatch.setattr(os, "replace", lambda *a: real(*a) if next(calls) != 4 else refuse())
    with pytest.raises(PatchError, match="All are as they were"):
        apply(SET, root, mode="revert")
    assert found(root) == SAFE_TOO


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", '{"format": 2, "state": "committed", "files": []}', "[" * 100_000]
    + [
        json.dumps({"format": 1, "state": "committed", "files": [{"name": name, "before": "0", "after": "1"}]})
        for name in ("../x.py", "/etc/x.py", "app/x.so", 7)
    ],
)
def test_a_journal_of_somebody_else_is_not_acted_on(tmp_path, content):
    root = laid(tmp_path)
    (root / journal.JOURNAL).write_text(content)
    with pytest.raises(PatchError, match="not a journal of this tool"):
        apply(SET, root)
    assert found(root) == PRISTINE


def test_a_journal_whose_files_are_gone_is_reported(tmp_path):
    root = laid(tmp_path)
    state = {"format": 1, "state": "committed", "files": [{"name": "app/one.py", "before": "0", "after": "1"}]}
    (root / journal.JOURNAL).write_text(json.dumps(state))
    with pytest.raises(PatchError, match="neither finished nor rolled back"):
        apply(SET, root)
    assert found(root) == PRISTINE
