"""Runs the replicas on a Ray cluster (the extra `ray`): one task for each, Ray chooses the machine and the GPUs.

The output folder and the model must be reachable under the same paths from every machine; the overlay travels with the
task. Nothing is scheduled here beyond that.
"""

from __future__ import annotations

import importlib
import io
import os
import tarfile
from contextlib import suppress
from typing import Any

from auditor.errors import AuditError
from auditor.runner import jobs
from auditor.runner.extract import Order


class Cluster:
    """An engine whose replicas are Ray tasks."""

    def __init__(self, address: str | None) -> None:
        try:
            self.ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise AuditError("Ray is not installed beside this program", hint="pip install 'api-audit[ray]'") from error
        self.address = address

    def run(self, order: Order, listener: jobs.Listener) -> None:
        """Start all, listen to all, leave none."""
        self._connect()
        payload = _packed(order)
        each = order.settings.tensor_parallel if self.ray.cluster_resources().get("GPU") else 0
        runner = self.ray.remote(num_cpus=1, num_gpus=each, max_retries=0)(_replica)
        listened = [_Remote(order, number) for number in range(order.replicas)]
        for job in listened:
            job.events.unlink(missing_ok=True)
        tasks = {runner.remote(payload, number): number for number in range(order.replicas)}
        waiting = list(tasks)
        try:
            while waiting:
                ended, waiting = self.ray.wait(waiting, num_returns=1, timeout=jobs.POLL)
                for job in listened:
                    for event in job.listen():
                        listener(job.number, event)
                for task in ended:
                    self._settle(task, listened[tasks[task]])
        finally:
            for task in waiting:
                with suppress(Exception):
                    self.ray.cancel(task)  # raises KeyboardInterrupt in it, which ends its job
            if waiting:
                self.ray.wait(waiting, num_returns=len(waiting), timeout=jobs.GRACE + 5)
            self.ray.shutdown()

    def _connect(self) -> None:
        options: dict[str, Any] = {"address": self.address} if self.address else {}
        try:
            self.ray.init(**options, log_to_driver=False, include_dashboard=False, configure_logging=False)
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise AuditError(f"The Ray cluster does not answer: {error}", where=self.address) from error

    def _settle(self, task: Any, job: _Remote) -> None:
        try:
            code = self.ray.get(task)
        except Exception as error:
            raise jobs.JobError(
                f"Replica {job.number} was lost: {type(error).__name__}",
                where=str(job.log),
                hint="The same command resumes",
            ) from error
        if code:
            raise jobs.ended_early(job, code)


class _Remote(jobs.Listened):
    """The events of a replica that runs elsewhere, read over the shared folder."""

    def __init__(self, order: Order, number: int) -> None:
        super().__init__(number, order.log(number), order.events(number))


def _packed(order: Order) -> dict[str, Any]:
    """What a task needs: the overlay as an archive, the commands, the names of the files that it writes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for folder in (order.overlay.packages, order.overlay.lib):
            archive.add(folder, arcname=folder.name, filter=_no_caches)
    return {
        "archive": buffer.getvalue(),
        "commands": [order.command(number) for number in range(order.replicas)],
        "logs": [str(order.log(number)) for number in range(order.replicas)],
        "pythonpath": os.environ.get("PYTHONPATH", ""),
        "environment": {name: os.environ[name] for name in _CARRIED if name in os.environ},
    }


_CARRIED = ("HF_HUB_OFFLINE", "HF_HOME", "VLLM_CPU_KVCACHE_SPACE", "LD_PRELOAD", "NCCL_NVLS_ENABLE")


def _no_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if "__pycache__" in member.name else member


def _replica(payload: dict[str, Any], number: int) -> int:
    """Run on whatever machine Ray has chosen: unpack, run the job, and see to it that it ends."""
    import contextlib
    import io
    import os
    import signal
    import subprocess
    import tarfile
    import tempfile

    with tempfile.TemporaryDirectory(prefix="api-audit-ray-") as root:
        with tarfile.open(fileobj=io.BytesIO(payload["archive"])) as archive:
            archive.extractall(root, filter="data")
        path = [f"{root}/overlay", f"{root}/lib", *([payload["pythonpath"]] if payload["pythonpath"] else [])]
        own = {"PYTHONPATH": os.pathsep.join(path), "API_AUDIT_OVERLAY": f"{root}/overlay"}
        environment = {**os.environ, **payload["environment"], **own, "API_AUDIT_RUN_PID": str(os.getpid())}
        with open(payload["logs"][number], "ab") as log:  # noqa: PTH123 - this function travels alone
            process = subprocess.Popen(  # noqa: S603
                payload["commands"][number], stdout=log, stderr=log, env=environment, cwd=root, start_new_session=True
            )
            try:
                return process.wait()
            finally:
                if process.poll() is None:
                    process.terminate()
                    try:
                        process.wait(timeout=20)
                    except subprocess.TimeoutExpired:
                        process.kill()
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
