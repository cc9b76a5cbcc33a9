"""Runs a command several times and says how long it took (median) and how much memory it used at most."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Measure:
    """A command's cost."""

    name: str
    seconds: tuple[float, ...]
    megabytes: float
    output: str = ""
    failure: str = ""
    facts: dict[str, float] = field(default_factory=dict)
    cpu: tuple[float, ...] = ()
    """Processor seconds, those of helper processes included: steadier than the clock where others share the machine."""

    @classmethod
    def again(cls, kept: Mapping[str, Any]) -> Measure:
        """One that was kept as JSON."""
        return cls(**{**kept, "seconds": tuple(kept["seconds"]), "cpu": tuple(kept["cpu"])})

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) if self.seconds else float("nan")

    @property
    def work(self) -> float:
        return statistics.median(self.cpu) if self.cpu else float("nan")

    @property
    def spread(self) -> str:
        return f"{min(self.seconds):.2f}-{max(self.seconds):.2f}" if self.seconds else ""


def measure(
    name: str,
    command: Sequence[str | Path],
    *,
    runs: int,
    good: Sequence[int] = (0, 1),
    warm_up: bool = True,
    before: Callable[[], object] | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    limit: float = 900.0,
) -> Measure:
    """Run a command `runs` times, after one run that does not count.

    Args:
        name: What it is called.
        command: Its arguments.
        runs: How often it counts.
        good: Exit codes that mean it did its work.
        warm_up: Whether a run comes first that does not count.
        before: Called before every run, outside its time.
        environment: Added to this process's.
        cwd: Where it runs.
        limit: Seconds after which a run is ended and the measure counts as failed.
    """
    seconds, cpu, most, output = [], [], 0.0, ""
    for number in range(runs + warm_up):
        if before is not None:
            before()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            started = time.perf_counter()
            process = subprocess.Popen(
                list(map(str, command)), stdout=out, stderr=err, cwd=cwd, env={**os.environ, **(environment or {})}
            )
            ending = threading.Timer(limit, process.kill)
            ending.start()
            _, status, usage = os.wait4(process.pid, 0)
            ending.cancel()
            process.returncode = code = os.waitstatus_to_exitcode(status)
            taken = time.perf_counter() - started
            out.seek(0)
            err.seek(0)
            output = out.read().decode("utf-8", "replace")
            said = err.read().decode("utf-8", "replace")
        if taken >= limit:
            return Measure(name, (), 0.0, output, failure=f"ended after {limit:.0f} s")
        if code not in good:
            last = (said or output).strip().splitlines()[-1:] or [f"exit code {code}"]
            return Measure(name, (), 0.0, output, failure=last[0][:200])
        if number >= warm_up:
            seconds.append(taken)
            cpu.append(usage.ru_utime + usage.ru_stime)
            most = max(most, usage.ru_maxrss / 1024)
        print(f"  {name}: {taken:.2f} s{'' if number >= warm_up else ' (does not count)'}", file=sys.stderr)
    return Measure(name, tuple(seconds), most, output, cpu=tuple(cpu))


def total(name: str, parts: Sequence[Measure]) -> Measure:
    """Several commands that are needed together, run by run."""
    failure = next((part.failure for part in parts if part.failure), "")
    seconds = () if failure else tuple(map(sum, zip(*(part.seconds for part in parts), strict=True)))
    cpu = () if failure else tuple(map(sum, zip(*(part.cpu for part in parts), strict=True)))
    return Measure(name, seconds, max(part.megabytes for part in parts), failure=failure, cpu=cpu)


def machine() -> str:
    """What this ran on, in a line."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{cores} cores, Python {sys.version.split()[0]}, load {load} at the start (other jobs beside it count)"
