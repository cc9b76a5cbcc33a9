from __future__ import annotations

from pathlib import Path

import pytest
from runner.making import World, make

from auditor.runner.__main__ import main


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = make(tmp_path)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """The program in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(arguments)
        caught = capsys.readouterr()
        return code, caught.out, caught.err

    return call
