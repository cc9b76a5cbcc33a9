"""The runner as a distribution of its own holds what it needs, asks for what the whole one asks for, and no more."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from test_layers import PACKAGE, RUNNER_KNOWS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def project(file: Path) -> dict:
    return tomllib.loads(file.read_text(encoding="utf-8"))


@pytest.fixture
def alone() -> dict:
    return project(PACKAGE / "runner" / "pyproject.toml")


@pytest.fixture
def whole() -> dict:
    return project(PACKAGE.parent / "pyproject.toml")["project"]


def test_it_holds_the_rooms_that_the_runner_knows(alone):
    files = alone["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    rooms = {name if (PACKAGE / name).is_dir() else f"{name}.py" for name in RUNNER_KNOWS}
    assert set(files) == {".", *(f"../{name}" for name in {*rooms, "__init__.py", "py.typed"})}
    for source, there in files.items():
        assert (PACKAGE / "runner" / source).resolve() == PACKAGE.parent / there


def test_it_asks_for_no_more_than_the_whole(alone, whole):
    assert set(alone["project"]["dependencies"]) < set(whole["dependencies"])
    for name, needs in alone["project"]["optional-dependencies"].items():
        assert whole["optional-dependencies"][name] == needs
    assert alone["project"]["scripts"].items() <= whole["scripts"].items()
    assert alone["project"]["requires-python"] == whole["requires-python"]
