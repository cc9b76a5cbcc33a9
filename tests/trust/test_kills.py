"""`apply` and `--revert` killed, starved, refused and raced at every step: all old, all new, or a journal."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patches.sample import NAME, PRISTINE, SET, UNSAFE, found, laid, leftovers, written
from trust.killing import survives

from auditor.errors import PatchError
from auditor.patches import journal
from auditor.patches.apply import apply

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
MODES = ["apply", "revert"]
MANY = 10_000


@pytest.fixture(autouse=True)
def nothing_is_synced(monkeypatch):
    """What a process has written survives the process: only a power failure would need it."""
    monkeypatch.setattr(os, "fsync", lambda _handle: None)


def ends(mode: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    return (PRISTINE, UNSAFE) if mode == "apply" else (UNSAFE, PRISTINE)


def killed(folder: Path, mode: str) -> Iterator[tuple[int, Path]]:
    """A tree for each step at which a run can die, as it was left there."""
    for at in range(1, MANY):
        root = laid(folder / f"{at}", ends(mode)[0])
        if survives(at, lambda root=root: apply(SET, root, unsafe=True, mode=mode), root=str(root)):
            return
        yield at, root
        shutil.rmtree(root)


def settled(root: Path, mode: str) -> str:
    """What the next call says about the interrupted one; it must leave the tree right and clean."""
    outcome = apply(SET, root, unsafe=True, mode=mode)
    assert found(root) == ends(mode)[1]
    assert not leftovers(root)
    return (outcome.recovered or "nothing").split(":")[0]


@pytest.mark.parametrize("mode", MODES)
def test_killed_at_every_step(tmp_path, record_property, mode):
    """Without a journal all files are old or all are new; with one, `--check` says so and the next call settles it."""
    said = []
    for at, root in killed(tmp_path, mode):
        waits = (root / journal.JOURNAL).exists()
        assert waits or found(root) in ends(mode), at
        assert ("waits there" in (apply(SET, root, unsafe=True, mode="check").recovered or "")) == waits, at
        said.append(settled(root, mode))
        assert waits == (said[-1] != "nothing"), at
    assert len(said) > 60
    record_property("inputs", len(said))
    assert set(said) == {"nothing", "An interrupted run was rolled back", "An interrupted run was finished"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("stride", [pytest.param(29, id="some"), pytest.param(1, id="all", marks=pytest.mark.fuzz)])
def test_the_recovery_is_killed_as_well(tmp_path, record_property, mode, stride):
    """Killed at every step, and the call that recovers killed at every (29th) step of its own."""
    tries = 0
    for at, root in killed(tmp_path / "first", mode):
        for second in range(1 + at % stride, MANY, stride):
            again = Path(shutil.copytree(root, tmp_path / "second" / f"{at}-{second}"))
            if survives(second, lambda again=again: apply(SET, again, unsafe=True, mode=mode), root=str(again)):
                break
            assert settled(again, mode) or True
            shutil.rmtree(again)
            tries += 1
    assert tries > 1000 // stride
    record_property("inputs", tries)


@pytest.mark.parametrize("mode", MODES)
def test_killed_and_then_the_other_way(tmp_path, record_property, mode):
    """After a killed `apply`, `--revert` is asked for, and the other way round."""
    other = "revert" if mode == "apply" else "apply"
    for at, root in killed(tmp_path, mode):
        apply(SET, root, unsafe=True, mode=other)
        assert found(root) == ends(mode)[0], at
        assert not leftovers(root), at
    record_property("inputs", at)


def in_a_child(act: Callable[[], object]) -> str:
    """What `act` was refused with, in a process of its own; empty if it was not."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except PatchError as error:
            os.write(writing, str(error).encode())
            os._exit(1)
        except BaseException as error:  # noqa: BLE001 - a child tells what happened and ends
            os.write(writing, f"not refused but failed: {error!r}".encode())
        finally:
            os._exit(2)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


@pytest.mark.parametrize("mode", MODES)
def test_no_room_for_the_files(tmp_path, mode):
    """A real limit of the kernel instead of a simulated error."""
    root = laid(tmp_path, ends(mode)[0])

    def starved() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        apply(SET, root, unsafe=True, mode=mode)

    said = in_a_child(starved)
    assert os.strerror(errno.EFBIG) in said
    assert "All are as they were" in said
    assert found(root) == ends(mode)[0]
    assert not leftovers(root)
    settled(root, mode)


_ON_A_SMALL_DISK = """
import os
import sys
from contextlib import suppress
from pathlib import Path
from patches.sample import SET, UNSAFE, PRISTINE, laid, found, leftovers
from auditor.errors import PatchError
from auditor.patches.apply import apply
root = laid(Path(sys.argv[1]))
filler = root / "filler"
refused = done = 0
for room in range(0, 40):
    with filler.open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.write(b"x" * 4096):
                pass
    os.truncate(filler, max(0, filler.stat().st_size - room * 4096))
    try:
        apply(SET, root, unsafe=True)
        done += 1
        assert found(root) == UNSAFE
        apply(SET, root, mode="revert")
    except PatchError as error:
        refused += 1
        assert "No space left" in str(error), error
    filler.unlink()
    if found(root) != PRISTINE:
        apply(SET, root, mode="revert")
    assert found(root) == PRISTINE and not leftovers(root), room
print(refused, done)
"""


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("unshare") is None, reason="needs a file system of its own")
def test_a_disk_that_is_really_full(tmp_path, record_property):
    mount = 'mount -t tmpfs -o size=128k none "$1" && exec "$0" -c "$2" "$1/tree"'
    command = ["unshare", "-rm", "sh", "-c", mount, sys.executable, str(tmp_path), _ON_A_SMALL_DISK]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if "unshare" in ended.stderr or "mount" in ended.stderr:
        pytest.skip(f"no file system of its own here: {ended.stderr.strip()}")
    assert ended.returncode == 0, ended.stderr
    refused, done = map(int, ended.stdout.split())
    assert refused
    assert done
    record_property("inputs", refused + done)


NOBODY = 65534


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("closed", ["app/one.py", "app", "app/sub dir", "."])
def test_permission_denied(open_path, closed):
    """As a user who may not write there: the file, its folder, the root."""
    root = laid(open_path / "tree")
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    os.chown(root / closed, 0, 0)

    def as_nobody() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        apply(SET, root, unsafe=True)

    assert "cannot be written to" in in_a_child(as_nobody)
    assert found(root) == PRISTINE
    assert not leftovers(root)
    apply(SET, root, unsafe=True)
    assert found(root) == UNSAFE
    assert (root / "app/crlf.py").stat().st_uid == NOBODY


THEIRS = b"theirs\n"


def overwrite(path: Path) -> None:
    path.write_bytes(THEIRS)


def swap(path: Path) -> None:
    draft = path.with_name("draft")
    draft.write_bytes(THEIRS)
    draft.rename(path)


def link(path: Path) -> None:
    elsewhere = path.parents[1] / "elsewhere.py"
    elsewhere.write_bytes(THEIRS)
    path.unlink()
    path.symlink_to(elsewhere)


@pytest.mark.parametrize("change", [overwrite, swap, link], ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["app/one.py", "app/sub dir/latin.py"])
def test_a_file_changed_by_somebody_else_at_any_step_is_kept(tmp_path, monkeypatch, record_property, change, name):
    """Before any step of ours somebody saves another content: theirs stays, and the other files are all old or new.

    One moment is left out: that between the last look at the file and its renaming, for editors that rename as well.
    """
    refused = 0
    for at in range(1, MANY):
        root = laid(tmp_path / f"{at}")
        taken = 0

        def step(real, *arguments, at=at, root=root, **options):
            nonlocal taken
            last_look = change is not overwrite and arguments[-1] == root / name and str(arguments[0]).endswith("-new")
            taken += not last_look
            if taken == at and not last_look:
                with monkeypatch.context() as undisturbed:
                    undisturbed.undo()
                    change(root / name)
            return real(*arguments, **options)

        with monkeypatch.context() as patched:
            for call in ("open", "write", "fsync", "link", "replace", "fchown", "utime"):
                real = getattr(os, call)
                patched.setattr(os, call, lambda *a, real=real, step=step, **o: step(real, *a, **o))
            try:
                apply(SET, root, unsafe=True)
                problem = None
            except PatchError as error:
                problem = str(error)
        if taken < at:
            break
        assert (root / name).read_bytes() == THEIRS, (at, problem)
        others = {path: content for path, content in found(root).items() if path != name}
        assert others in [{p: c for p, c in side.items() if p != name} for side in (PRISTINE, UNSAFE)], (at, problem)
        if problem:
            refused += 1
            assert str(root / name) in problem, at
            assert others == {p: c for p, c in PRISTINE.items() if p != name}
            assert not leftovers(root), at
    assert refused > 10
    record_property("inputs", at)


def test_eight_at_once(tmp_path):
    """Eight processes apply at once: each does all of it, finds it done, or is refused; the files are new."""
    root, patches = laid(tmp_path / "tree"), written(tmp_path / "patches")
    command = [sys.executable, "-m", "auditor", "apply", str(patches), "--to", str(root), "--unsafe-fixes"]
    for _ in range(2):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        running = [subprocess.Popen(command, **pipes) for _ in range(8)]
        ended = [(*process.communicate(), process.returncode) for process in running]
        for out, err, code in ended:
            assert (code == 0 and ("Applied 3" in out or "applied already" in out)) or (
                code == 2 and "Another run is changing files there" in err
            ), (out, err, code)
        assert any("Applied 3" in out for out, _, _ in ended)
        assert found(root) == UNSAFE
        assert not leftovers(root)
        apply(SET, root, mode="revert")
    assert NAME in str(patches)
