"""Texts of strangers, out of sources, names of files and metadata, through every command and every way of telling."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auditor.__main__ import main
from auditor.formats import names

RAW = "\x1b[2J\x1b]0;t\x07\u202e\u2028\x9b31m"
MARKUP = "<script>alert(1)</script>`|]]>&[a](javascript:b)"
TEXT = f"{RAW}{MARKUP}"
LINES = "\\n::error::pwned%0A::set-output name=a::b\\n"
COMMON = f"""
from warnings import deprecated
X = "{TEXT}"
class Base:
    def run(self, x="{TEXT}") -> "{RAW}": ...
"""
OLD = (
    COMMON
    + f"""
def f(x: "{RAW}" = "{TEXT}", y=1): ...
def gone(): ...
def k(x, y=1): ...
"""
)
NEW = (
    COMMON
    + f"""
def f(x: "{RAW}" = "{TEXT}{LINES}"): ...
def k(x, *, y="{TEXT}"): ...
@deprecated("{TEXT}{LINES}")
def gone(a): ...
"""
)
CONSUMER = f"""
import lib
lib.f("{TEXT}", y="{TEXT}")
lib.gone()  # {TEXT} ::error::pwned
lib.k(1, "{TEXT}")
lib.f()["{RAW}"]
class C(lib.Base):
    def run(self): return "{TEXT}"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("API_AUDIT_CACHE_DIR", str(tmp_path / "cache"))
    for side, source, version in (("old", OLD, "1.0"), ("new", NEW, "2.0")):
        folder = tmp_path / side
        (folder / "lib").mkdir(parents=True)
        (folder / "lib/__init__.py").write_text(source, encoding="utf-8")
        (folder / "pyproject.toml").write_text(f'[project]\nname = "lib"\nversion = "{version}"\n')
    app = tmp_path / "app"
    (app / "odd").mkdir(parents=True)
    (app / "__init__.py").write_text(CONSUMER, encoding="utf-8")
    for name in (
        "a\x1b[31m.py",
        "b\u202e.py",
        "c\n::error::pwned.py",
        "d<script>.py",
        os.fsdecode(b"e\xff.py"),
        "f(.py",
    ):
        (app / "odd" / name).write_text(
            "import lib\nlib.f(1, y=2)\nx = (\n" if "(" in name else "import lib\nlib.gone()\n"
        )
    return tmp_path


SIDES = ("--from", "lib @ old", "--against", "lib @ new", "--isolated", "--offline")


def harmless(shown: str) -> None:
    """Nothing that a terminal or a service would obey."""
    for line in shown.splitlines():
        assert all(char.isprintable() or char == "\t" for char in line), repr(line)
        assert not line.lstrip().startswith(("::error::pwned", "::set-output")), line


@pytest.mark.parametrize("form", names())
def test_a_scan(place, capfd, form):
    assert main(["scan", "app", *SIDES, "--output-format", form, "-v", "--patch-dir", "patches"]) == 1
    out, err = capfd.readouterr()
    harmless(err)
    harmless(out)
    assert "lib.f" in out or "`f`" in out
    if form == "html":
        assert "<script>alert" not in out
    if form == "github":
        assert all(line.startswith("::") for line in out.splitlines() if line)


@pytest.mark.parametrize(
    "command",
    [
        ("diff", "lib @ old", "lib @ new"),
        ("diff", "lib @ old", "lib @ new", "--json"),
        ("diff", "lib @ old", "lib @ new", "--used-by", "app"),
        ("snapshot", "lib @ new"),
        ("scan", "app", *SIDES[:4], "--show-settings"),
        ("scan", "app", *SIDES[:4], "--show-files"),
        ("scan", "app", *SIDES[:4], "--second-opinion", "nonsense\x1b[2J"),
        ("scan", f"{RAW}/"),
        ("explain", f"{RAW}"),
        ("apply", f"{RAW}", "--to", "app"),
    ],
    ids=" ".join,
)
def test_other_commands(place, capfd, command):
    isolated = () if command[0] in ("explain", "apply") else ("--isolated", "--offline")
    assert main([*command, *isolated]) in (0, 1, 2)
    out, err = capfd.readouterr()
    harmless(out)
    harmless(err)


def test_patches_and_what_applies_them(place, capfd):
    assert main(["scan", "app", *SIDES, "--patch-dir", "patches"]) == 1
    (folder,) = Path("patches").iterdir()
    capfd.readouterr()
    for file in folder.glob("*.patch"):
        head = file.read_bytes().partition(b"\n--- ")[0].decode()
        assert all(line.startswith("# ") and line.isprintable() for line in head.splitlines())
    for mode in (["--check"], [], ["--revert"]):
        assert main(["apply", str(folder), "--to", "app", "--allow-no-vcs", "--unsafe-fixes", *mode]) == 0
        for shown in capfd.readouterr():
            harmless(shown)


def test_what_is_no_file_of_a_consumer_is_passed_over(place, capfd):
    """A folder, a pipe, a link out of the tree and names that are no text, all called like modules."""
    odd = place / "app" / "odd"
    (odd / "folder.py").mkdir()
    os.mkfifo(odd / "pipe.py")
    (odd / "link.py").symlink_to("/etc/passwd")
    (odd / "circle").symlink_to(place / "app")
    (odd / "device.py").symlink_to("/dev/zero")
    assert main(["scan", "app", *SIDES, "--show-files"]) == 1
    assert capfd.readouterr().out.split() == ["__init__.py", "odd/d<script>.py", "odd/f(.py"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_file_that_may_not_be_read_is_named(place, open_path, capfd):
    (place / "app" / "closed.py").write_text("import lib\n")
    (place / "app" / "closed.py").chmod(0)
    place.chmod(0o777)
    child = os.fork()
    if child == 0:
        try:
            os.setgid(65534)
            os.setuid(65534)
            os.environ["HOME"] = str(place)
            os._exit(main(["scan", "app", *SIDES, "--cache-dir", str(place / "other")]))
        finally:
            os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    err = capfd.readouterr().err
    assert "closed.py: cannot be read: Permission denied. `--exclude` leaves it out" in err
    assert "internal error" not in err
