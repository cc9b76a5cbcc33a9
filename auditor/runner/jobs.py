"""Starts jobs in the target environment, listens to their events, and sees to it that nothing of them is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from auditor.errors import AuditError
from auditor.patches.header import plain
from auditor.runner.inside.life import out_of_memory

GRACE = 20.0
"""Seconds that a job gets to end its workers by itself."""
POLL = 0.1

_MARK = "=== "
"""What a log has before the command of each start."""
_RAISED = re.compile(r"^(?:.*\] )?((?:\w+\.)*\w+(?:Error|Exception): .+)$", re.MULTILINE)
"""The last line of a traceback, behind whatever a logger puts before it."""

Event = Mapping[str, Any]
Listener = Callable[[int, Event], None]


class JobError(AuditError):
    """A job that ended before its work was done."""


_HINTS = {
    "memory": "Give fewer --batch-tokens, another --gpu-memory, or more --tensor-parallel; the same command resumes",
    "worker": "The log tells why; the same command resumes",
    "bad-sample": "Nothing of it was written. Rehearse the model, or look at the prompt",
    "write": "Free some space or look at --out; the same command resumes",
}


class Listened:
    """The log and the events of a job, wherever it runs."""

    def __init__(self, number: int, log: Path, events: Path) -> None:
        self.number, self.log, self.events = number, log, events
        self.failure: Event | None = None
        self._read = 0
        self._rest = b""

    def listen(self) -> list[Event]:
        """The events since the last time."""
        try:
            with self.events.open("rb") as file:
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return []
        self._read += len(content)
        *lines, self._rest = (self._rest + content).split(b"\n")
        found: list[Event] = []
        for line in lines:
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and "event" in event:
                    found.append(event)
                    if event["event"] == "failed":
                        self.failure = event
        return found


class Job(Listened):
    """One process and all that it starts."""

    def __init__(self, number: int, process: subprocess.Popen[bytes], log: Path, events: Path) -> None:
        super().__init__(number, log, events)
        self.process = process


def start(number: int, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, log: Path, events: Path) -> Job:
    """Start a job in a session of its own, so that all of it can be ended at once."""
    events.unlink(missing_ok=True)
    with log.open("ab") as output:
        output.write(f"\n{_MARK}{' '.join(command)}\n".encode())
        output.flush()
        process = subprocess.Popen(  # noqa: S603
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**env, "API_AUDIT_RUN_PID": str(os.getpid())},
            cwd=cwd,
        )
    return Job(number, process, log, events)


def follow(jobs: Sequence[Job], listener: Listener) -> None:
    """Wait until all jobs have done their work; the first that fails ends all."""
    try:
        waiting = list(jobs)
        while waiting:
            for job in list(waiting):
                code = job.process.poll()
                for event in job.listen():  # after asking whether it has ended, so that no last word is missed
                    listener(job.number, event)
                if code is not None:
                    waiting.remove(job)
                    if code != 0:
                        raise ended_early(job, code)
            if waiting:
                time.sleep(POLL)
    finally:
        stop(jobs)


def stop(jobs: Sequence[Job]) -> None:
    """End what still runs: politely, then by force, workers included."""
    running = [job for job in jobs if job.process.poll() is None]
    for job in running:
        with suppress(ProcessLookupError):
            job.process.terminate()
    deadline = time.monotonic() + GRACE
    for job in running:
        with suppress(subprocess.TimeoutExpired):
            job.process.wait(timeout=max(0.1, deadline - time.monotonic()))
    for job in jobs:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(job.process.pid, signal.SIGKILL)  # the session outlives its leader while workers are in it
        with suppress(subprocess.TimeoutExpired):
            job.process.wait(timeout=5)


def ended_early(job: Listened, code: int) -> JobError:
    """The error for a job that ended with this code: what it told itself, or else what its log says last."""
    log = str(job.log)
    if job.failure is not None:
        kind, message = _rooted(job.log, str(job.failure.get("kind")), plain(str(job.failure.get("message"))))
        title = _TITLES.get(kind, "The job failed")
        return JobError(f"{title}: {message.rstrip('.')}", where=log, hint=_HINTS.get(kind))
    if code < 0:
        name = signal.Signals(-code).name if -code in {s.value for s in signal.Signals} else str(-code)
        return JobError(f"The job was killed ({name})", where=log, hint="The same command resumes")
    return JobError(f"The job ended with {code}: {last_line(job.log)}", where=log)


_TITLES = {
    "memory": "Out of memory",
    "worker": "A worker ended",
    "bad-sample": "A sample is not right",
    "write": "A sample could not be written",
    "generator": "The generator went another way than foreseen",
}


def _rooted(log: Path, kind: str, message: str) -> tuple[str, str]:
    """The kind and text of an end, with what its log names as the cause where a worker's end is all that was told."""
    if kind != "worker":
        return kind, message
    with suppress(OSError):
        told = log.read_bytes()[-500_000:].decode("utf-8", "replace").rpartition(f"\n{_MARK}")[2]
        causes = [plain(found.group(1))[:300] for found in _RAISED.finditer(told)]
        memory = next((cause for cause in causes if out_of_memory(cause)), None)
        if memory:
            return "memory", memory
        cause = next((cause for cause in causes if message not in cause), None)
        if cause:
            return kind, f"{message} Its log names {cause}"
    return kind, message


def last_line(log: Path) -> str:
    """The last thing that a log says, for an error message."""
    try:
        lines = log.read_bytes()[-20_000:].decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return "its log cannot be read"
    return plain(lines[-1])[:300] if lines else "it said nothing"
