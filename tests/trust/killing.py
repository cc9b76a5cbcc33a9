"""Runs something in a forked child that dies, as of SIGKILL, just before its n-th step on the file system."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

AUDITED = {"open", "os.link", "os.rename", "os.remove", "os.chmod", "os.chown", "os.utime", "os.mkdir", "os.setxattr"}
DONE = 0


def survives(at: int, act: Callable[[], object], *, root: str) -> bool:
    """Fork; do it in the child; False if the child was killed before step `at`, True if it came to its end.

    A step is a write, a sync, half a write, or any call under `root` that Python's audit hooks announce. Nothing is
    really synced: what a process has written survives the process, and the test is about processes.
    """
    child = os.fork()
    if child == 0:
        try:
            _arm(at, root)
            act()
            os._exit(DONE)
        except BaseException:  # noqa: BLE001 - a child tells what happened and ends
            traceback.print_exc()
        finally:
            os._exit(3)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return False
    assert os.waitstatus_to_exitcode(status) == DONE, "the child failed before it could be killed"
    return True


def _arm(at: int, root: str) -> None:
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in AUDITED and any(str(argument).startswith(root) for argument in arguments[:2]):
            step()

    real_write = os.write

    def write(handle: int, data: bytes) -> int:
        step()
        half = real_write(handle, data[: len(data) // 2])
        step()
        return half + real_write(handle, data[half:])

    os.write = write
    os.fsync = lambda _handle: step()
    sys.addaudithook(hook)
