"""The settings of a job, and the command line that they make."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from auditor.errors import AuditError
from auditor.runner.overlay import Overlay

DEFAULT_JOB = "auditor.runner.inside.hidden_states"


@dataclass(frozen=True)
class Settings:
    """What is to be extracted, from what, how."""

    model: str
    data: Path
    layers: str | None = None
    job: Path | None = None
    extra: tuple[str, ...] = ()
    """Arguments for a job of the user's own, passed on as they are."""
    max_length: int = 2048
    batch_tokens: int = 8192
    batch_prompts: int = 32
    tensor_parallel: int = 1
    gpu_memory: float = 0.8
    pipeline: str = "staged"
    writers: int = 2
    sync: str = "batch"
    limit: int | None = None
    dummy_weights: bool = False
    trial: int | None = None
    """Vocabulary of the prompts with which a rehearsal tries what an extraction never does."""

    def checked(self) -> Settings:
        """The same settings; refuses those that cannot work."""
        if not self.data.is_file():
            raise AuditError("There is no such file of prompts", where=str(self.data))
        if self.job is not None:
            if not self.job.is_file():
                raise AuditError("There is no such job", where=str(self.job))
            return self
        if self.layers is None:
            raise AuditError("The hidden-state job must be told which layers", hint="Give --layers 2,30,58")
        try:
            numbers = [int(part) for part in self.layers.split(",")]
        except ValueError:
            raise AuditError(f"`{self.layers}` is no list of layer numbers", hint="Give --layers 2,30,58") from None
        if numbers != sorted(set(numbers)) or numbers[0] < 0:
            raise AuditError("Layers must ascend, as their states do in the samples", hint="Give --layers 2,30,58")
        if self.max_length > self.batch_tokens:
            raise AuditError(
                f"A prompt of {self.max_length} tokens does not fit into --batch-tokens {self.batch_tokens}"
            )
        return self

    def identity(self) -> dict[str, object]:
        """What decides about the bytes of a sample."""
        return {
            "job": str(self.job) if self.job else "hidden-states",
            "model": self.model,
            "layers": [int(part) for part in self.layers.split(",")] if self.layers else None,
            "max_length": self.max_length,
            "batch_tokens": self.batch_tokens,
            "batch_prompts": self.batch_prompts,
            "tensor_parallel": self.tensor_parallel,
        }

    def prepare(self, python: Path, plan: Path) -> list[str]:
        """The command that makes the plan."""
        command = [
            *(str(python), "-m", "auditor.runner.inside.prepare"),
            *("--data", str(self.data), "--model", self.model, "--plan", str(plan)),
            *("--max-length", str(self.max_length), "--batch-tokens", str(self.batch_tokens)),
            *("--batch-prompts", str(self.batch_prompts)),
        ]
        return command if self.limit is None else [*command, "--limit", str(self.limit)]

    def command(self, python: Path, *, plan: Path, out: Path, events: Path, replica: str) -> list[str]:
        """The command of one replica."""
        shared = ["--model", self.model, "--out", str(out), "--events", str(events), "--replica", replica]
        if self.job is not None:
            layers = ["--layers", self.layers] if self.layers else []
            return [str(python), str(self.job), *shared, "--data", str(self.data), *layers, *self.extra]
        return [
            *(str(python), "-m", DEFAULT_JOB, *shared, "--plan", str(plan), "--layers", str(self.layers)),
            *("--max-length", str(self.max_length), "--tensor-parallel", str(self.tensor_parallel)),
            *("--gpu-memory", str(self.gpu_memory), "--pipeline", self.pipeline, "--writers", str(self.writers)),
            *("--sync", self.sync),
            *(("--dummy-weights",) if self.dummy_weights else ()),
            *(("--trial", str(self.trial)) if self.trial else ()),
        ]


def refuse_shadow(job: Path, overlay: Overlay) -> None:
    """A script's folder comes before everything else on its path: no second copy of a package may lie in it."""
    for name in overlay.target.packages:
        for place in (job.parent / name, job.parent / f"{name}.py"):
            if place.exists():
                raise AuditError("It would hide the patched package from the job", where=str(place))
