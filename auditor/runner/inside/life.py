"""How a process of the job lives and dies: with its parent, and telling what happens in a file of events."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_MEMORY = ("out of memory", "outofmemory", "available memory", "free memory on device")


def out_of_memory(text: str) -> bool:
    """Whether an error's text tells of memory that is not there, as torch and vLLM put it."""
    lowered = text.lower()
    return any(sign in lowered for sign in _MEMORY)


def die_with_parent(expected: int | None = None) -> None:
    """Ask the kernel to kill this process when its parent ends, however that ends; a GPU must not stay taken."""
    if sys.platform != "linux":
        return
    parent = expected or os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended before it was asked for
        os.kill(os.getpid(), signal.SIGKILL)


def end_on_term() -> None:
    """Turn SIGTERM into `SystemExit`, so that `finally` blocks run."""

    def leave(number: int, _frame: Any) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)


class Events:
    """A file to which each event is appended as one line of JSON."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def tell(self, event: str, **values: Any) -> None:
        """Append one event; a line is written whole or not at all."""
        line = json.dumps({"event": event, "time": time.time(), **values}, separators=(",", ":")) + "\n"
        os.write(self._handle, line.encode())
