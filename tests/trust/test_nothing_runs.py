"""The commands, watched by an audit hook: nothing audited runs, nothing is started, nobody is asked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packages.making import Site, sdist_bytes, serving, wheel_bytes
from repositories import git
from trust.watching import MARK

WATCHER = Path(__file__).with_name("watching.py")
TRAP = f"""
import os as _os
_mark = {MARK!r}
open(_os.environ["TRAP_WITNESS"], "a").write(__name__ + "\\n")
"""
OLD = TRAP + "def f(x): ...\ndef gone(): ...\ndef k(x, y=1): ...\nclass Base:\n    def run(self, x): ...\n"
NEW = TRAP + "def f(x, y): ...\ndef k(x, *, y=1): ...\nclass Base:\n    def run(self, x, *, z): ...\n"
CONSUMER = TRAP + (
    "import trapped\nfrom trapped.sub import deep\ntrapped.f(1)\ntrapped.gone()\ntrapped.k(1, 2)\n"
    "class C(trapped.Base):\n    def run(self, x): return deep(x)\n"
)
MODULES = ["trapped", "victim"]


def provider(version: str, source: str) -> dict[str, str]:
    tail = "".join(f"x{number} = {number}\n" for number in range(20))
    many = {f"trapped/m{number}.py": TRAP + tail for number in range(210)}  # so many that helpers are started
    return {
        "trapped/__init__.py": f"{source}__version__ = {version!r}\nfrom trapped.sub import deep\n",
        "trapped/sub.py": TRAP + "def deep(x): ...\n",
        **many,
    }


def plant(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


class World:
    """Trapped sources of every kind: an index, folders, a repository, a checkout, an environment."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.folder = folder
        self.site = site
        self.sources = folder / "sources"
        self.out = folder / "out"
        self.witness = folder / "witness"
        self.log = folder / "log"
        self.temporary = self.out / "tmp"
        self.temporary.mkdir(parents=True)
        setup = {"setup.py": TRAP, "conftest.py": TRAP, "sitecustomize.py": TRAP, "usercustomize.py": TRAP}
        for version, source in (("1.0", OLD), ("2.0", NEW), ("3.0", NEW)):
            files = provider(version, source)
            site.publish(f"trapped-{version}-py3-none-any.whl", wheel_bytes("trapped", version, files))
            site.publish(f"trapped-{version}.tar.gz", sdist_bytes("trapped", version, {**files, **setup}))
            plant(self.sources / f"trapped-{version}", files)
        project = '[project]\nname = "victim"\nversion = "1.0"\ndependencies = ["trapped==1.0"]\n'
        victim = plant(self.sources / "victim", {"victim/__init__.py": CONSUMER, **setup, "pyproject.toml": project})
        site.publish("victim-1.0-py3-none-any.whl", wheel_bytes("victim", "1.0", {"victim/__init__.py": CONSUMER}))
        self._repository(victim)
        self._environment()

    def _repository(self, folder: Path) -> None:
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
            git(folder, *words)
        hooks = folder / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("post-checkout", "pre-commit", "fsmonitor"):
            (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {self.witness}\n")
            (hooks / name).chmod(0o755)
        with (folder / ".git" / "config").open("a") as config:
            config.write(f'[core]\n\tfsmonitor = "{hooks / "fsmonitor"}"\n\tpager = "{hooks / "fsmonitor"}"\n')

    def _environment(self) -> None:
        site = self.sources / "venv" / "lib" / "python3.11" / "site-packages"
        plant(
            site,
            {"trapped/__init__.py": NEW, "trapped/sub.py": TRAP + "def deep(x): ...\n", "trap.pth": "import trapped\n"},
        )
        info = {
            "METADATA": "Metadata-Version: 2.1\nName: trapped\nVersion: 2.0\n",
            "RECORD": "trapped/__init__.py,,\ntrapped/sub.py,,\n",
        }
        plant(site / "trapped-2.0.dist-info", info)
        plant(
            self.sources / "venv",
            {"pyvenv.cfg": "version = 3.11\n", "bin/python": f"#!/bin/sh\necho python >> {self.witness}\n"},
        )
        (self.sources / "venv/bin/python").chmod(0o755)

    def run(
        self, *arguments: str, offline: bool = False, deeds: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        host, port = self.site.url.removeprefix("http://").split(":")
        writable = [str(self.out), str(self.folder / "cache"), os.devnull, str(self.log)]
        configuration = {
            "trapped": [str(self.sources)],
            "modules": MODULES,
            "writable": writable,
            "addresses": [] if offline else [[host, port]],
            "deeds": deeds,
        }
        file = self.folder / "configuration.json"
        file.write_text(json.dumps(configuration))
        self.log.write_text("")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
            "API_AUDIT_CACHE_DIR": str(self.folder / "cache"),
            "PIP_INDEX_URL": f"{self.site.url}/simple",
            "PIP_CONFIG_FILE": os.devnull,
            "TMPDIR": str(self.temporary),
            "TRAP_WITNESS": str(self.witness),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(Path(__file__).parent.parent),
        }
        command = [sys.executable, str(WATCHER), str(file), str(self.log), *arguments]
        return subprocess.run(
            command, cwd=self.sources / "victim", env=environment, capture_output=True, text=True, check=False
        )

    def breaches(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with serving() as site:
        yield World(tmp_path_factory.mktemp("world"), site)


COMMANDS = {
    "scan an installed name against the index": (
        "scan",
        "victim==1.0",
        "--from",
        "trapped==1.0",
        "--against",
        "trapped==2.0",
    ),
    "scan a checkout": ("scan", ".", "--against", "trapped==2.0"),
    "scan a checkout against what it declares": ("scan", "."),
    "scan files against folders": (
        "scan",
        "victim/__init__.py",
        "--from",
        "trapped @ ../trapped-1.0",
        "--against",
        "trapped @ ../trapped-2.0",
    ),
    "scan a git reference against an environment": (
        "scan",
        ".@HEAD",
        "--from",
        "trapped==1.0",
        "--against",
        "trapped @ env:../venv/bin/python",
    ),
    "scan and show the patches": ("scan", ".", "--against", "trapped==2.0", "--diff"),
    "snapshot": ("snapshot", "trapped==2.0"),
    "snapshot of a folder": ("snapshot", "trapped @ ../trapped-3.0"),
    "matrix": ("matrix", ".", "--against", "trapped>=1.0"),
    "bisect": ("bisect", ".", "--provider", "trapped", "--from", "1.0", "--to", "3.0"),
    "prune": ("prune", ".", "--against", "trapped>=1.0"),
    "diff": ("diff", "trapped==1.0", "trapped==2.0"),
    "diff of what is used": ("diff", "trapped==1.0", "trapped==2.0", "--used-by", "."),
}
"""What is run twice: with an empty store and the index, then from the store with `--offline`."""


def options(world: World, command: tuple[str, ...]) -> tuple[str, ...]:
    patches = ("--patch-dir", str(world.out / command[0])) if command[0] in ("scan", "prune") else ()
    return (*command, "--isolated", *patches)


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_audited_is_run(world, name):
    done = world.run(*options(world, COMMANDS[name]))
    assert done.returncode in (0, 1), done.stderr
    assert world.breaches() == []
    assert not world.witness.exists()
    asked = len(world.site.requests)
    again = world.run(*options(world, COMMANDS[name]), "--offline", offline=True)
    assert again.returncode == done.returncode, again.stderr
    assert world.breaches() == []
    assert not world.witness.exists()
    assert len(world.site.requests) == asked


def test_patches_are_written_and_applied_without_running_anything(world):
    done = world.run(*options(world, ("scan", ".", "--against", "trapped==2.0", "--unsafe-fixes")[:-1]))
    assert done.returncode == 1, done.stderr
    assert world.breaches() == []
    tree = Path(shutil.copytree(world.sources / "victim", world.out / "tree"))
    folders = list((world.out / "scan").iterdir())
    assert folders
    for folder in folders:
        for mode in (["--check"], ["--diff"], ["--allow-dirty", "--unsafe-fixes"], ["--revert", "--allow-dirty"]):
            done = world.run("apply", str(folder), "--to", str(tree), *mode)
            assert done.returncode == 0, done.stderr
            assert world.breaches() == []
    assert not world.witness.exists()


def test_the_hook_sees_every_trap(world):
    """The watcher is watched: each thing that must not happen, done on purpose, is written down."""
    source = str(world.sources / "trapped-1.0" / "trapped" / "sub.py")
    deeds = {
        "import trapped.sub": "imported",
        f"import runpy; runpy.run_path({source!r})": "ran",
        f"exec(compile(open({source!r}).read(), '<harmless>', 'exec'))": "ran <harmless>",
        "import subprocess; subprocess.run(['true'])": "started a process",
        "import os; os.system('true')": "did: os.system",
        "import socket; socket.create_connection(('127.0.0.1', 1), 0.1)": "connected elsewhere",
        "import socket; socket.getaddrinfo('example.invalid', 80)": "resolved another name",
        f"open({source!r}, 'a')": "opened for writing",
        f"import os; os.utime({source!r})": "changed",
    }
    done = world.run("--spring", str(world.sources / "trapped-1.0"), deeds=tuple(deeds))
    assert done.returncode == 0, done.stderr
    seen = world.breaches()
    for deed, breach in deeds.items():
        assert any(line.startswith(breach) for line in seen), (deed, seen)
    world.witness.unlink()
