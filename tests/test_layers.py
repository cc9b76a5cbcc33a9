"""Imports point down, and rooms of one floor never meet."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "auditor"

FLOORS: tuple[tuple[str, ...], ...] = (
    (
        *("errors", "terms", "suggest", "spelling", "decoding", "pool", "excerpts", "crash", "settled", "syntax"),
        *("sharing", "portions", "overlapping"),
    ),
    ("api", "model", "conditional", "git"),
    ("fingerprint", "packages", "reading", "binding", "options"),
    ("provider", "consumer", "rulepack", "baseline", "patches", "config", "suppressions"),
    ("world", "claims", "analysing", "setting"),
    ("sides",),
    ("findings", "whereabouts", "vanishing", "coverage"),
    ("canonical", "renames", "differences"),
    ("checks", "fixes", "formats", "runner", "opinions"),
    ("codemod",),
    ("verify",),
    ("fixing", "patching", "resolution", "inventory", "migrations", "matching", "guarding"),
    ("audit",),
    ("examining",),
    ("scan",),
    ("matrix",),
    ("bisection", "ranges", "prune"),
    ("cli",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ALONE = {"click": {"cli", "__main__", "runner"}, "rich": {"cli", "runner"}}
"""Libraries that only some rooms may know."""
RUNNER_KNOWS = {"patches", "model", "errors", "terms", "crash"}
RUNNER_SHUNS = {"libcst"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file: Path) -> Iterator[tuple[str, int]]:
    """Every module that `file` imports, inside functions and under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: imports are absolute"
            assert node.module
            if node.module == "auditor":
                yield from ((f"auditor.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield node.module, node.lineno


def rooms_imported(file: Path) -> Iterator[tuple[str, int]]:
    for module, line in imports(file):
        top, _, rest = module.partition(".")
        if top == "auditor" and rest and rest.split(".")[0] in {room(other) for other in modules()}:
            yield rest.split(".")[0], line


def test_every_room_has_a_floor():
    rooms = {room(file) for file in modules()} - {"__init__", "__main__"}
    assert rooms <= set(FLOOR)


@pytest.mark.parametrize("file", modules(), ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_imports_point_down(file):
    here = room(file)
    if here in ("__init__", "__main__"):
        return
    for there, line in rooms_imported(file):
        if there != here:
            assert FLOOR[there] < FLOOR[here], f"{file}:{line}: `{here}` must not know `{there}`"


def test_the_runner_knows_patches_alone():
    for file in (PACKAGE / "runner").rglob("*.py"):
        for there, line in rooms_imported(file):
            assert there in {"runner", *RUNNER_KNOWS}, f"{file}:{line}: the runner must not know `{there}`"


def test_what_the_runner_needs_needs_no_libcst():
    for name in RUNNER_KNOWS | {"runner"}:
        for file in [PACKAGE / f"{name}.py", *(PACKAGE / name).rglob("*.py")]:
            if file.exists():
                found = {module.split(".")[0] for module, _ in imports(file)}
                assert not found & RUNNER_SHUNS, file


@pytest.mark.parametrize("library", ALONE)
def test_some_libraries_are_known_to_few(library):
    for file in modules():
        if room(file) not in ALONE[library]:
            assert library not in {module.split(".")[0] for module, _ in imports(file)}, file


def test_every_module_states_its_duty():
    for file in modules():
        assert ast.get_docstring(ast.parse(file.read_bytes())), file


def test_modules_stay_small():
    for file in modules():
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 330, file


def test_the_documented_picture_is_this_one():
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", text, re.MULTILINE)
    drawn = {int(floor): set(re.findall("`([a-z]+)`", rooms)) for floor, rooms in rows}
    built = {room(file) for file in modules()}
    assert drawn == {number: set(rooms) & built for number, rooms in enumerate(FLOORS) if set(rooms) & built}
