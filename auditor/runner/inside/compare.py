"""Judges a rehearsal: the samples of two runs against what was asked, each other, and transformers' own forward.

`python -m auditor.runner.inside.compare --plan DIR --first DIR --second DIR --model M ...` prints, as its last line,
what it found: a list of (name, whether it holds, a sentence).
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.runner.inside import plan
from auditor.runner.inside.plan import Prompt, sample_name

CLOSE = 0.02
"""Relative error at most between two computations of one prompt in different batches."""
MEDIAN, FAR, SHARE = 0.05, 0.25, 0.05
"""Against transformers in float32: the median row's error, and how many rows may be further off (flipped routing)."""

REFERENCES = 8
"""How many prompts are compared with transformers."""

Check = tuple[str, bool | None, str]


def main(arguments: list[str] | None = None) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--first", type=Path, required=True)
    parser.add_argument("--second", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--layers", required=True)
    parser.add_argument("--reference", action="store_true", help="compare with transformers, too")
    given = parser.parse_args(arguments)
    torch = importlib.import_module("torch")
    chosen = plan.read(given.plan)
    prompts = [prompt for batch in plan.batches(given.plan, chosen.batches) for prompt in batch]
    layers = [int(layer) for layer in given.layers.split(",")]
    runs = [_load(torch, folder, prompts) for folder in (given.first, given.second)]
    found = [*_form(torch, prompts, layers, runs), *_equal(torch, prompts, runs), *_copies(prompts, runs[0])]
    if given.reference:
        found += _reference(torch, given.model, prompts, layers, runs[0])
    sys.stdout.write("\n" + json.dumps(found) + "\n")
    return 0


def _load(torch: Any, folder: Path, prompts: list[Prompt]) -> dict[int, list[Any]]:
    return {
        prompt.number: torch.load(folder / sample_name(prompt.number), weights_only=True)["hidden_states"]
        for prompt in prompts
    }


def _form(torch: Any, prompts: list[Prompt], layers: list[int], runs: list[dict[int, list[Any]]]) -> Iterator[Check]:
    states = [(p, state) for run in runs for p in prompts for state in run[p.number]]
    short = [
        f"prompt {p.number}: {list(s.shape)} for {len(p.tokens)} tokens" for p, s in states if len(s) != len(p.tokens)
    ]
    yield "full length", not short, short[0] if short else f"{len(prompts)} prompts, a row for each token"
    counts = {len(run[p.number]) for run in runs for p in prompts}
    yield "layers", counts == {len(layers)}, f"{sorted(counts)} layers came, {len(layers)} were asked for"
    kinds = {str(s.dtype) for _, s in states}
    yield "dtype", len(kinds) == 1, ", ".join(sorted(kinds))
    wild = [p.number for p, s in states if not bool(torch.isfinite(s).all())]
    yield "finite", not wild, f"prompt {wild[0]} is not" if wild else "all values"
    zero = [p.number for p, s in states if not bool(s.float().abs().sum(dim=1).all())]
    yield "no empty rows", not zero, f"prompt {zero[0]} has one" if zero else "no row of zeros"


def _equal(torch: Any, prompts: list[Prompt], runs: list[dict[int, list[Any]]]) -> Iterator[Check]:
    worst = 0.0
    same = True
    for prompt in prompts:
        for one, two in zip(runs[0][prompt.number], runs[1][prompt.number], strict=True):
            if not torch.equal(one, two):
                same = False
                worst = max(worst, error(one, two))
    said = "every bit" if same else f"only within a relative error of {worst:.4f}"
    yield "equal on repetition", same or worst < CLOSE, said


def _copies(prompts: list[Prompt], run: dict[int, list[Any]]) -> Iterator[Check]:
    """A prompt that comes again, in another batch and at another place in it."""
    first: dict[tuple[int, ...], int] = {}
    worst, count, where = 0.0, 0, ""
    for prompt in sorted(prompts, key=lambda prompt: prompt.number):
        key = tuple(prompt.tokens)
        if key not in first:
            first[key] = prompt.number
            continue
        count += 1
        for one, two in zip(run[first[key]], run[prompt.number], strict=True):
            if (found := error(one, two)) > worst:
                worst, where = found, f"prompts {first[key]} and {prompt.number}"
    said = f"{count} prompts came again; relative error {worst:.4f} at most {where}".rstrip()
    yield "equal in other batches", worst < CLOSE, said


def error(found: Any, wanted: Any) -> float:
    """How far off, as a share of what is wanted."""
    wanted = wanted.float()
    return float((found.float() - wanted).norm() / wanted.norm().clamp(min=1e-12))


def _reference(
    torch: Any, model: str, prompts: list[Prompt], layers: list[int], run: dict[int, list[Any]]
) -> Iterator[Check]:
    try:
        wanted = _Transformers(torch, model)
    except Exception as problem:  # noqa: BLE001 - an architecture that transformers cannot load is no failure
        traceback.print_exc()
        yield "transformers", None, f"cannot load it: {' '.join(str(problem).split())[:200]}"
        return
    errors: dict[int, list[Any]] = {layer: [] for layer in layers}
    for prompt in _some(prompts):
        expected = wanted.states(prompt.tokens)
        for place, layer in enumerate(layers):
            found = run[prompt.number][place].float().to(expected[layer].device)
            distance = (found - expected[layer]).norm(dim=1)
            errors[layer].append(distance / expected[layer].norm(dim=1).clamp(min=1e-12))
    for layer in layers:
        rows = torch.cat(errors[layer])
        median, far = float(rows.median()), float((rows > FAR).float().mean())
        worst = float(rows.max())
        said = f"median relative error {median:.4f}, {far:.1%} of {len(rows)} rows beyond {FAR}, worst {worst:.3f}"
        yield f"transformers, layer {layer}", median < MEDIAN and far <= SHARE, said


def _some(prompts: list[Prompt]) -> list[Prompt]:
    """A few different prompts, from the shortest to the longest: a mixture of experts is slow in transformers."""
    different = sorted({tuple(p.tokens): p for p in prompts}.values(), key=lambda prompt: len(prompt.tokens))
    step = max(1, (len(different) - 1) // (REFERENCES - 1))
    return [*different[:-1:step][: REFERENCES - 1], different[-1]]


class _Transformers:
    """The same model in transformers, in float32."""

    def __init__(self, torch: Any, model: str) -> None:
        transformers = importlib.import_module("transformers")
        self.torch = torch
        device = "cuda" if torch.cuda.is_available() else "cpu"
        found = transformers.AutoModelForCausalLM.from_pretrained(
            model, torch_dtype=torch.float32, trust_remote_code=True
        )
        self.model = found.to(device).eval()
        self.device = device
        count = getattr(found.config.get_text_config(), "num_hidden_layers", None)
        stacks = [m for m in found.modules() if isinstance(m, torch.nn.ModuleList) and len(m) == count]
        self.seen: list[Any] = []
        for layer in stacks[0]:
            layer.register_forward_hook(self._see)

    def _see(self, _module: Any, _arguments: Any, result: Any) -> None:
        state = result[0] if isinstance(result, tuple) else result
        self.seen.append(state.reshape(-1, state.shape[-1]))

    def states(self, tokens: list[int]) -> list[Any]:
        """What each layer adds up to, before the final norm."""
        self.seen = []
        with self.torch.inference_mode():
            self.model(self.torch.tensor([tokens], device=self.device), use_cache=False)
        return self.seen


if __name__ == "__main__":
    sys.exit(main())
