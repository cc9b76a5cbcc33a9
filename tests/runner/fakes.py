"""Fakes of torch and of speculators' generator, small enough to start in a moment; enough for the plain pipeline."""

from __future__ import annotations

from pathlib import Path

TORCH = """
import pickle
long = "long"

class Tensor:
    def __init__(self, values): self.values = values
    @property
    def shape(self): return (len(self.values), len(self.values[0]))
    dtype = "torch.bfloat16"
    def __len__(self): return len(self.values)
    def __getitem__(self, part): return Tensor(self.values[part])
    def contiguous(self): return self
    def all(self): return all(all(row) if isinstance(row, list) else row for row in self.values)

def tensor(values, dtype=None): return Tensor(list(values))
def isfinite(state): return Tensor([[abs(x) != float("inf") and x == x for x in row] for row in state.values])
def values(thing): return [t.values for t in thing] if isinstance(thing, list) else thing.values
def save(sample, file): pickle.dump({name: values(thing) for name, thing in sample.items()}, file)

class cuda:
    @staticmethod
    def is_available(): return False
    @staticmethod
    def device_count(): return 0
"""
GENERATOR = """
import os, signal, time, types
TROUBLE = os.environ.get("FAKE_TROUBLE", "")

class Executor:
    def collective_rpc(self, method, *args, **named):
        name = getattr(method, "__name__", method)
        if name == "watch": return [{"origins": {"speculators.worker": __file__}, "pid": os.getpid()}]
        if name == "report": return [{"forwards": 3, "busy": 1.0, "span": 2.0}]
        raise AssertionError(name)
    def shutdown(self):
        with open(os.environ["FAKE_LOG"], "a") as log: log.write("shutdown\\n")

class LoadConfig: pass

class VllmHiddenStatesGenerator:
    def __init__(self, model, layer_ids, max_model_len, gpu_memory_utilization, tensor_parallel_size):
        with open(os.environ["FAKE_LOG"], "a") as log: log.write("start\\n")
        self.layers = layer_ids
        self.executor = Executor()
        config = types.SimpleNamespace(max_num_batched_tokens=8192)
        self.vllm_config = types.SimpleNamespace(scheduler_config=config)
    def generate(self, prompts):
        assert sum(map(len, prompts)) <= 64 and [len(p) for p in prompts] == sorted(map(len, prompts)), prompts
        if float(os.environ.get("FAKE_SLOW", 0)): time.sleep(float(os.environ["FAKE_SLOW"]))
        # A value depends on the batch, as on a GPU: whoever cuts batches otherwise after a kill is found out.
        weight = sum(map(sum, prompts))
        results = [self.one(prompt, weight) for prompt in prompts]
        if TROUBLE == "memory" and any(7 in p for p in prompts):
            raise RuntimeError("Worker failed with error 'CUDA out of memory. Tried'")
        if TROUBLE == "worker": raise RuntimeError("Executor failed.")
        if TROUBLE == "fewer": results.pop()
        if TROUBLE == "kill": os.kill(os.getpid(), signal.SIGKILL)
        if TROUBLE == "swap": results.reverse()
        return results
    def one(self, prompt, weight):
        import torch
        rows = [[float(t), float(weight)] for t in prompt]
        if TROUBLE == "short" and 7 in prompt: rows.pop()
        if TROUBLE == "nan" and 7 in prompt: rows[0][0] = float("nan")
        states = [torch.Tensor(rows) for _ in self.layers]
        return {"input_ids": list(prompt), "hidden_states": states, "loss_mask": None}
"""
NAME = "speculators/data_generation/vllm_hidden_states_generator.py"


def lay(site: Path) -> None:
    """Put the fakes where the target environment will find them."""
    for name, text in {
        "torch/__init__.py": TORCH,
        "speculators/__init__.py": "",
        "speculators/data_generation/__init__.py": "",
        NAME: GENERATOR,
    }.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
