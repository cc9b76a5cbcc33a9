"""What the terminal allows: colour and width, and how a report or a message gets onto it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from auditor import __version__
from auditor.errors import ConfigError
from auditor.formats import RenderOptions


def wants_color(choice: str, stream: TextIO) -> bool:
    """Whether to colour: the flag, then NO_COLOR, then FORCE_COLOR, then whether `stream` is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal, between 60 and 160; 100 where there is none."""
    import shutil  # brings compressors with it, for a figure that few formats ask for

    return min(max(shutil.get_terminal_size((100, 24)).columns, 60), 160)


def rendering(given: Mapping[str, Any]) -> RenderOptions:
    """What the flags of a command and the terminal mean for a format; a file is coloured only if asked for."""
    choice = "never" if given["output_file"] is not None and given["color"] == "auto" else given["color"]
    return RenderOptions(
        color=wants_color(choice, sys.stdout),
        width=width(),
        verbose=given["verbose"] > 0,
        statistics=given.get("statistics", False),
        version=__version__,
    )


def refuse_nowhere(file: Path | None) -> None:
    """Fail before any work is done where the folder of a report's file does not exist: that is a mistyped path."""
    if file is not None and not file.absolute().parent.is_dir():
        raise ConfigError("there is no such folder to write the report into", where=str(file.parent))


def deliver(report: str | bytes, file: Path | None) -> None:
    """Write a report to standard output, or replace `file` with it in one step."""
    encoding = "utf-8" if file else sys.stdout.encoding or "utf-8"
    content = report if isinstance(report, bytes) else report.encode(encoding, "backslashreplace")
    if file is None:
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:  # such as a full disk behind `>`
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - or leaving would flush again
            raise ConfigError(f"the report cannot be written: {error.strerror}", where="standard output") from error
        return
    try:
        _replace(file, content)
    except OSError as error:
        raise ConfigError(f"the report cannot be written: {error.strerror}", where=str(file)) from error


def _replace(file: Path, content: bytes) -> None:
    if file.exists() and not file.is_file():  # a pipe or a device: /dev/stdout, process substitution
        file.write_bytes(content)
        return
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def say(message: str) -> None:
    """A line on standard error."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


def under_ci() -> bool:
    """Whether a continuous-integration service runs us."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
