"""The type checkers that can be asked: how each is run over unpacked sources, and what its JSON says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from auditor.errors import AuditError

_TIMEOUT = 600
"""Seconds after which a checker is given up."""


class Diagnostic(msgspec.Struct, frozen=True):
    """What a checker says of one place; lines and columns count from 1."""

    path: str
    """Relative to the checked folder."""
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str

    @property
    def place(self) -> tuple[str, int, int, str]:
        """What makes it the same on both sides: texts are often worded anew, for they quote the provider's types."""
        return (self.path, self.line, self.column, self.code)


Command: TypeAlias = Callable[[Path, Path, Path, Path], Sequence[str]]
"""Program, consumer's folder, provider's folder, an environment without packages -> the command line."""


class Checker(msgspec.Struct, frozen=True):
    """One type checker."""

    name: str
    command: Command
    parse: Callable[[Any], Iterator[Diagnostic]]

    def check(self, consumer: Path, provider: Path, environment: Path) -> list[Diagnostic]:
        """What it says of the files in `consumer`, with `provider` on its search path and nothing else."""
        command = self.command(_program(self.name), consumer, provider, environment)
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program of ours, on files in our own folder
                command, cwd=consumer, capture_output=True, timeout=_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise AuditError(f"the second opinion could not be had: {error}", where=self.name) from error
        try:
            return list(self.parse(msgspec.json.decode(done.stdout or b"[]")))
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [str(error)]
            hint = f"It may be a release of {self.name} that this one does not know"
            raise AuditError(f"its report cannot be read: {lines[-1]}", where=self.name, hint=hint) from error


def checker(name: str) -> Checker:
    """The checker of that name.

    Raises:
        AuditError: It is not installed.
    """
    _program(name)
    return CHECKERS[name]


def _program(name: str) -> Path:
    """The checker's program, beside this interpreter or on the path."""
    beside = shutil.which(name, path=str(Path(sys.executable).parent))
    found = beside or shutil.which(name)
    if found is None:
        raise AuditError(
            "is not installed, so it cannot be asked", where=name, hint=f"Install it: pip install 'api-audit[{name}]'"
        )
    return Path(found)


def _ty(program: Path, consumer: Path, provider: Path, environment: Path) -> list[str]:
    return [
        *(str(program), "check", "--project", str(consumer), "--extra-search-path", str(provider)),
        *("--python", str(environment), "--output-format", "gitlab", "--color", "never"),
        *("--no-progress", "--exit-zero", "--no-respect-ignore-files", str(consumer)),
    ]


def _pyrefly(program: Path, consumer: Path, provider: Path, environment: Path) -> list[str]:
    return [
        *(str(program), "check", "--preset", "default", "--search-path", str(consumer), "--search-path", str(provider)),
        *("--site-packages-path", str(environment), "--skip-interpreter-query", "--disable-search-path-heuristics"),
        *("--disable-project-excludes-heuristics", "--output-format", "json", "--summary=none"),
        *("--color", "never", str(consumer)),
    ]


def _from_ty(document: Sequence[Mapping[str, Any]]) -> Iterator[Diagnostic]:
    for entry in document:
        begin, end = (entry["location"]["positions"][side] for side in ("begin", "end"))
        code = str(entry["check_name"])
        yield Diagnostic(
            str(entry["location"]["path"]),
            int(begin["line"]),
            int(begin["column"]),
            int(end["line"]),
            int(end["column"]),
            code,
            str(entry["description"]).removeprefix(f"{code}: "),
        )


def _from_pyrefly(document: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for entry in document["errors"] if document else ():
        yield Diagnostic(
            str(entry["path"]),
            int(entry["line"]),
            int(entry["column"]),
            int(entry["stop_line"]),
            int(entry["stop_column"]),
            str(entry["name"]),
            str(entry["concise_description"]),
        )


CHECKERS: Mapping[str, Checker] = {
    "ty": Checker("ty", _ty, _from_ty),
    "pyrefly": Checker("pyrefly", _pyrefly, _from_pyrefly),
}
