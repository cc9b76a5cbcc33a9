"""Puts the questions of preflight to the target's Python, in one process that imports what they are about."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from auditor.errors import PatchError
from auditor.patches.header import plain
from auditor.runner.inside import compiling
from auditor.runner.overlay import Overlay

CORES = 4
"""With fewer, compiling ahead would take from the import what it gives to it."""


def ask(request: dict[str, Any], overlay: Overlay, timeout: float) -> dict[str, Any]:
    """What the target answers; the probe's own output is kept for the case that it ends without an answer."""
    question, answer = overlay.root / "preflight-question.json", overlay.root / "preflight-answer.json"
    question.write_text(json.dumps(request), encoding="utf-8")
    answer.unlink(missing_ok=True)
    command = [str(overlay.target.python), "-m", "auditor.runner.inside.probe", str(question), str(answer)]
    log = overlay.root / "preflight.log"
    where = str(overlay.target.python)
    try:
        with _compiling(request, overlay):
            overlay.run(command, log, extra={"HF_HUB_OFFLINE": "1"}, timeout=timeout)
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    except subprocess.TimeoutExpired as error:
        raise PatchError(f"The probe did not answer within {timeout:.0f} seconds", where=where) from error
    except (OSError, ValueError) as error:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
        last = plain(lines[-1]) if lines else "it printed nothing"
        raise PatchError(f"The probe ended without an answer: {last}", where=where) from error
    return found


@contextmanager
def _compiling(request: dict[str, Any], overlay: Overlay) -> Iterator[None]:
    """Compile ahead of the imports while the block runs, on the cores that they leave idle."""
    if compiling.cores() < CORES:
        yield
        return
    roots = [*request["modules"], *sorted({site["symbol"].rpartition(".")[0] for site in request["sites"]})]
    process = subprocess.Popen(  # noqa: S603
        [str(overlay.target.python), "-m", "auditor.runner.inside.compiling", *roots, *request["classes"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=overlay.root,
        env=overlay.environment(),
    )
    try:
        yield
    finally:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)  # what it still does is of use to the job that may follow
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
