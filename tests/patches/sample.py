"""A small consumer in every kind of text, and a set of three patches for it: two safe ones and an unsafe one."""

from __future__ import annotations

from pathlib import Path

from auditor.model import Applicability, Patch, Proof
from auditor.patches import hunks
from auditor.patches.series import PatchSet
from auditor.patches.writer import write_set

NAME = "app-1.0--lib-2.0"
PRISTINE = {
    "app/one.py": b"import lib\n\nx = lib.f(1)\ny = lib.g(2)\n" + b"# filler\n" * 20 + b"z = lib.h(3)",
    "app/crlf.py": b"\xef\xbb\xbfimport lib\r\nx = lib.f(1)\r\n\r\n-- no\r\n" + b"# \r\n" * 9 + b"end = 1\r\n",
    "app/sub dir/latin.py": b"# coding: latin-1\nname = '\xe9'\nx = lib.f('\xe8')\n",
    "app/untouched.py": b"x = 1\n",
}
SAFE = {
    **PRISTINE,
    "app/one.py": PRISTINE["app/one.py"].replace(b"lib.f(1)", b"lib.f()"),
    "app/crlf.py": PRISTINE["app/crlf.py"].replace(b"lib.f(1)\r\n", b"lib.f(\r\n  1,\r\n)\r\n"),
}
SAFE_TOO = {
    **SAFE,
    "app/one.py": SAFE["app/one.py"].replace(b"z = lib.h(3)", b"z = lib.h(3)\n-- q\n"),
    "app/sub dir/latin.py": PRISTINE["app/sub dir/latin.py"].replace(b"lib.f('\xe8')", b"lib.f('\xe8\xe0')"),
}
UNSAFE = {**SAFE_TOO, "app/one.py": SAFE_TOO["app/one.py"].replace(b"lib.g(2)", b"lib.G(2)")}
STATES = (PRISTINE, SAFE, SAFE_TOO, UNSAFE)


def patch(name: str, before: dict[str, bytes], after: dict[str, bytes], applicability: Applicability = "safe") -> Patch:
    return Patch(
        name=name,
        rule=name[4:-6],
        applicability=applicability,
        reason="It is gone: `f(x)` takes nothing.",
        symbols=("lib.f",),
        files=tuple(hunks.make(path, before[path], after[path]) for path in before if before[path] != after[path]),
        proofs=(Proof("parses", "all parse"),),
        old_signatures=("f(\n    x: int,\n) -> None",),
        new_signatures=("f() -> None",),
        findings=("abc123",),
    )


PATCHES = (
    patch("010-unknown-argument.patch", PRISTINE, SAFE),
    patch("020-renamed.patch", SAFE, SAFE_TOO),
    patch("030-altered.patch", SAFE_TOO, UNSAFE, "unsafe"),
)
SET = PatchSet("app", "1.0", ("lib 1.0 -> 2.0",), PATCHES)


def written(folder: Path, patches: PatchSet = SET) -> Path:
    return write_set(folder, NAME, patches)


def laid(root: Path, files: dict[str, bytes] = PRISTINE) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def found(root: Path) -> dict[str, bytes]:
    return {path: (root / path).read_bytes() for path in PRISTINE}


def leftovers(root: Path) -> list[str]:
    return sorted(
        p.name for p in root.rglob("*") if "api-audit" in p.name or p.name.endswith((".rej", ".orig", ".tmp"))
    )
