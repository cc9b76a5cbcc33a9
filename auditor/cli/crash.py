"""Keeps the traceback of a bug in a file, so that the terminal shows one line and nothing is lost."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

from auditor import __version__


def record(error: BaseException, arguments: list[str]) -> Path | None:
    """Write the traceback of `error` into a new file; None where no folder can be written."""
    text = "".join(
        (
            f"api-audit {__version__}, Python {platform.python_version()}, {platform.platform()}\n",
            f"arguments: {arguments!r}\n\n",
            *traceback.format_exception(error),
        )
    )
    name = f"api-audit-crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (Path(tempfile.gettempdir()), Path()):
        file = folder / name
        try:
            with file.open("x", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
        except OSError:
            continue
        return file.resolve()
    sys.stderr.write(text)
    return None
