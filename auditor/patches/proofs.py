"""Proofs on bytes alone: nothing outside the edits changed, no name that others import is gone, git takes the patch."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from auditor.model import PatchedFile
from auditor.patches import hunks


def tree(source: bytes) -> ast.Module | None:
    """The syntax tree, or None where this Python cannot parse the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def compiles(source: bytes) -> bool:
    """Whether this Python takes the file; it is compiled, which finds more than parsing does, and never run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<patched>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def untouched(before: bytes, after: bytes, footprint: Sequence[tuple[int, int]]) -> bool:
    """Whether all lines outside the footprint (from 1, end exclusive; empty: an insertion) are there as before."""
    if not footprint:
        return before == after
    lines = before.split(b"\n")
    chunks, done = [], 0
    for start, end in footprint:
        chunks.append(lines[done : max(start - 1, done)])
        done = max(done, end - 1)
    chunks.append(lines[done:])
    rest = after.split(b"\n")
    if rest[: len(chunks[0])] != chunks[0] or len(rest) < len(chunks[0]) + len(chunks[-1]):
        return False
    last = len(rest) - len(chunks[-1])
    if rest[last:] != chunks[-1]:
        return False
    at = len(chunks[0])
    for chunk in chunks[1:-1]:
        found = next((i for i in range(at, last - len(chunk) + 1) if rest[i : i + len(chunk)] == chunk), None)
        if found is None:
            return False
        at = found + len(chunk)
    return at <= last


def taken_names(path: str, before: bytes, after: bytes, sources: Mapping[str, bytes]) -> list[str]:
    """Names that the edited file no longer offers although another file imports them from it."""
    old, new = tree(before), tree(after)
    gone = _bound(old) - _bound(new) if old is not None and new is not None else set()
    if not gone:
        return []
    place = PurePosixPath(path)
    module = place.parent.name if place.stem == "__init__" else place.stem
    wanted: set[str] = set()
    for other, source in sources.items():
        if other != path and any(name.encode() in source for name in gone):
            found = tree(source)
            for node in ast.walk(found) if found is not None else ():
                if isinstance(node, ast.ImportFrom) and ((node.module or "").rpartition(".")[2] in (module, "")):
                    wanted.update(alias.name for alias in node.names if alias.name in gone)
    return sorted(wanted)


def _bound(module: ast.Module | None) -> set[str]:
    return set(_bindings(module.body)) if module is not None else set()


def _bindings(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
        for block in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
                yield from _bindings(getattr(node, block, []))
        for handler in node.handlers if isinstance(node, ast.Try) else ():
            yield from _bindings(handler.body)


def git_objection(files: Sequence[PatchedFile], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str | None:
    """What git has against the patch in a folder of its own, forwards and backwards; None if nothing.

    Without git the answer is None too; `has_git` tells.
    """
    git = shutil.which("git")
    if git is None:
        return None
    with tempfile.TemporaryDirectory(prefix="api-audit-") as folder:
        root = Path(folder).resolve()
        for file in files:
            path = root / "tree" / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(before[file.path])
        (root / "patch").write_bytes(hunks.joined(files))
        for options, wanted in (((), after), (("-R",), before)):
            for check in (("--check",), ()):
                objection = _git_apply(git, root, [*options, *check])
                if objection is not None:
                    return objection
            if any((root / "tree" / file.path).read_bytes() != wanted[file.path] for file in files):
                return "its result differs from ours"
    return None


def has_git() -> bool:
    """Whether git is installed here."""
    return shutil.which("git") is not None


def _git_apply(git: str, root: Path, options: Sequence[str]) -> str | None:
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(root),
        "GIT_CEILING_DIRECTORIES": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
    }
    if "SYSTEMROOT" in os.environ:
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    command = [git, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", *options, str(root / "patch")]
    try:
        done = subprocess.run(  # noqa: S603 - git itself, on files of our own
            command, cwd=root / "tree", env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip().split("\n")[0] or "it gives no reason")
