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

from auditor.runner.inside import plan, reference
from auditor.runner.inside.plan import Prompt, sample_name
from auditor.runner.inside.reference import Check

CLOSE = 0.02
"""Relative error at most between two computations of one prompt in different batches."""


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
    found = list(_form(torch, prompts, layers, runs))
    if all(holds for _, holds, _ in found):  # states of another form cannot be laid beside anything
        beside, tied = _reference(torch, given.model, prompts, layers, runs[0]) if given.reference else ([], None)
        found += [*_equal(torch, prompts, runs), *reference.copies(prompts, runs[0], tied, CLOSE), *beside]
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


def _reference(
    torch: Any, model: str, prompts: list[Prompt], layers: list[int], run: dict[int, list[Any]]
) -> tuple[list[Check], float | None]:
    try:
        loaded = reference.Reference(torch, model, run[prompts[0].number][0].dtype)
    except reference.CannotLoadError as problem:  # an architecture that transformers does not know is no failure
        traceback.print_exc()
        return [("transformers", None, f"cannot load it: {' '.join(str(problem).split())[:200]}")], None
    return reference.compare(loaded, prompts, layers, run)


def error(found: Any, wanted: Any) -> float:
    """How far off, as a share of what is wanted."""
    wanted = wanted.float()
    return float((found.float() - wanted).norm() / wanted.norm().clamp(min=1e-12))


if __name__ == "__main__":
    sys.exit(main())
