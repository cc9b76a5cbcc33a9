"""A small world to run in: a library in its new release, a consumer written for the old one, its patches and audit."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from auditor.model import Patch, Proof
from auditor.patches import hunks
from auditor.patches.series import PatchSet
from auditor.patches.writer import write_set

LIB = {
    "lib/__init__.py": "",
    "lib/core.py": """
from dataclasses import dataclass

def kept(a, b=1): return a
def shrunk(one, two): return one
def fresh(x, *, y): return x

class Engine:
    def __init__(self, config, block): self.config = config
    def step(self, count): return count
    @classmethod
    def made(cls, config): return cls(config, 1)
    @staticmethod
    def helped(value): return value

@dataclass
class Config:
    size: int
    name: str = "n"
""",
}
APP = """\
from lib.core import Config, Engine, kept, shrunk

EXTENSION = "app.work.Extension"


def run(things):
    config = Config(3)
    engine = Engine(config)
    engine.step(2)
    engine.collective_rpc("go")
    kept(1, b=2)
    return shrunk(1, 2, gone=3)
"""
PATCHED = APP.replace("Engine(config)", "Engine(config, block=16)").replace(
    "    return shrunk(1, 2, gone=3)", "    fresh(1, y=2)\n    return shrunk(1, 2)"
)
PATCHED = PATCHED.replace("kept, shrunk\n", "fresh, kept, shrunk\n")
WORK = "class Extension:\n    def go(self): pass\n"


@dataclass
class World:
    """Paths of a world, and the environment that makes the interpreter see its packages."""

    site: Path
    patches: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def options(self) -> list[str]:
        return ["--python", sys.executable, "--patches", str(self.patches)]


def site(
    symbol: str, line: int, column: int, text: str, positional: int, *keywords: str, new: str, verdict: str = "fits"
):
    return {
        "path": "app/main.py",
        "line": line,
        "column": column,
        "end_line": line,
        "end_column": column + len(text),
        "symbol": symbol,
        "positional": positional,
        "keywords": list(keywords),
        "star": False,
        "double_star": False,
        "new_signature": new,
        "verdict": verdict,
    }


SITES = [
    site("lib.core.Config", 7, 14, "Config(3)", 1, new="Config(size: int, name: str = 'n')"),
    site("lib.core.Engine", 8, 14, "Engine(config)", 1, new="Engine(config, block)", verdict="broken"),
    site("lib.core.Engine.step", 9, 5, "engine.step(2)", 1, new="Engine.step(count)"),
    site("lib.core.kept", 11, 5, "kept(1, b=2)", 1, "b", new="kept(a, b=1)"),
    site("lib.core.shrunk", 12, 12, "shrunk(1, 2, gone=3)", 2, "gone", new="shrunk(one, two)", verdict="broken"),
]


def finding(identity: str, rule: str, symbol: str, line: int, column: int, patch: str | None) -> dict[str, object]:
    return {
        "id": identity,
        "rule": rule,
        "severity": "error",
        "symbol": symbol,
        "path": "app/main.py",
        "line": line,
        "column": column,
        "message": f"`{symbol}` drifted",
        "fix": {"applicability": "safe", "reason": "", "patch": patch} if patch else None,
    }


FINDINGS = [
    finding("aaa111", "missing-argument", "lib.core.Engine", 8, 14, "p/010-a.patch"),
    finding("bbb222", "unknown-argument", "lib.core.shrunk", 12, 12, "p/010-a.patch"),
    finding("ccc333", "unresolved-import", "lib.core", 1, 1, None),
]


def make(root: Path, *, app: str = APP, patched: str = PATCHED, lib: dict[str, str] | None = None) -> World:
    folder = root / "site"
    files = {"app/__init__.py": "", "app/work.py": WORK, "app/main.py": app, **(LIB | (lib or {}))}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = Patch(
        name="010-a.patch",
        rule="missing-argument",
        applicability="safe",
        reason="because",
        symbols=("lib.core.Engine",),
        files=(hunks.make("app/main.py", APP.encode(), patched.encode()),),
        proofs=(Proof("parses", "it does"),),
    )
    patches = write_set(root / "patches", "app-1.0--lib-2.0", PatchSet("app", "1.0", ("lib 1.0 -> 2.0",), (made,)))
    provider = {
        "name": "lib",
        "packages": ["lib"],
        "old": "1.0",
        "new": "2.0",
        "old_origin": None,
        "new_origin": "index",
        "old_reason": "given",
    }
    document = {
        "schema": 1,
        "consumer": {"name": "app", "version": "1.0", "origin": "index", "files": 3},
        "providers": [provider],
        "findings": FINDINGS,
        "problems": [],
        "stats": {},
        "call_sites": SITES,
        "by_name": [{"calls": ["collective_rpc"], "parameter": "method", "classes": ["lib.core.Engine"]}],
    }
    (patches / "audit.json").write_text(json.dumps(document), encoding="utf-8")
    return World(folder, patches, {"PYTHONPATH": str(folder)})
