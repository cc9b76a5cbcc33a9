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


def record(error: BaseException, arguments: list[str], *, program: str = "api-audit") -> Path | None:
    """Write the traceback of `error` into a new file; None where no folder can be written."""
    text = "".join(
        (
            f"{program} {__version__}, Python {platform.python_version()}, {platform.platform()}\n",
            f"arguments: {arguments!r}\n\n",
            *traceback.format_exception(error),
        )
    )
    for folder in (tempfile.gettempdir(), "."):
        try:
            handle, file = tempfile.mkstemp(".txt", f"api-audit-crash-{time.strftime('%Y%m%d-%H%M%S')}-", folder)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
        except OSError:
            continue
        return Path(file).resolve()
    sys.stderr.write(text)
    return None
