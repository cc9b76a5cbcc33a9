"""Which GPUs there are, how much of their memory is taken, and which copy of the engine gets which."""

from __future__ import annotations

import os
import shutil
import subprocess

from auditor.errors import AuditError


def visible() -> list[str]:
    """The GPUs that a job may use, by the names that CUDA_VISIBLE_DEVICES takes; none on a machine without."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given is not None:
        return [name.strip() for name in given.split(",") if name.strip() and name.strip() != "-1"]
    return [line.split(",")[0].strip() for line in _ask("index")]


def share(replicas: int, each: int) -> list[list[str] | None]:
    """The GPUs of each replica; None where there is nothing to share out."""
    found = visible()
    if not found:
        return [None] * replicas
    if replicas * each > len(found):
        raise AuditError(
            f"{replicas} x {each} GPUs are asked for, and there are {len(found)}",
            hint="Give fewer --replicas or less --tensor-parallel",
        )
    return [found[number * each : (number + 1) * each] for number in range(replicas)]


def used_megabytes() -> int | None:
    """Memory in use on all GPUs together; None where nobody can tell."""
    lines = _ask("memory.used")
    try:
        return sum(int(line.split()[0]) for line in lines) if lines else None
    except ValueError:
        return None


def _ask(what: str) -> list[str]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, f"--query-gpu={what}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.strip().splitlines() if done.returncode == 0 else []
