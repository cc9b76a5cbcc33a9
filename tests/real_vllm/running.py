"""Runs things as a user would: api-audit on the command line, and the extraction job in the real environment."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from real_vllm.environment import Environment

HERE = Path(__file__).parent
CONSUMER = "speculators==0.3.0"
JOB_LIMIT = 600  # seconds; a job takes about one minute, of which nearly all are imports and start


def api_audit(*arguments: str, cwd: Path, expect: int) -> str:
    """What `api-audit` prints, when it ends as expected."""
    command = [sys.executable, "-m", "auditor", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == expect, f"api-audit {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def unpack_consumer(folder: Path) -> Path:
    """The consumer's wheel as the index has it, unpacked and not installed."""
    pip = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder))
    subprocess.run([*pip, "--only-binary=:all:", CONSUMER], check=True)
    tree = folder / "tree"
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tree)
    return tree


def make_model(environment: Environment, folder: Path) -> Path:
    """The tiny model, made with the transformers of that environment."""
    _python(environment, None, folder.with_suffix(".log"), str(HERE / "tiny_model.py"), str(folder))
    assert (folder / "config.json").is_file(), folder.with_suffix(".log").read_text(encoding="utf-8")[-3000:]
    return folder


def extract(environment: Environment, tree: Path, model: Path, report: Path) -> dict[str, Any]:
    """Run the extraction job with the consumer in this tree; its report, with the log's end where there is none."""
    log = report.with_suffix(".log")
    _python(environment, tree, log, str(HERE / "extraction.py"), str(model), str(report))
    assert report.is_file(), f"the job ended without a report:\n{log.read_text(encoding='utf-8')[-6000:]}"
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


def _python(environment: Environment, tree: Path | None, log: Path, *arguments: str) -> None:
    """Run the environment's Python with the tree first on its path, and end whatever it leaves behind."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VLLM_", "COV_"))}
    settings = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "PYTHONPATH": str(tree or "")}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [environment.python, *arguments],
            cwd=log.parent,
            env=clean | settings | environment.variables(),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(JOB_LIMIT)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the worker processes are in this group as well
            process.wait()
