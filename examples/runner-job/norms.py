"""A job of one's own for `api-audit-run --job`: the mean norm of each prompt's states, a line of JSON for each prompt.

    api-audit-run rehearse --python PY --patches DIR --model M --layers 2,30 --job examples/runner-job/norms.py
    api-audit-run extract  ... --data prompts.jsonl --out norms/ --job examples/runner-job/norms.py

A job is a plain script. It gets `--model --data --out --events --replica I/N` and, if given, `--layers`; whatever
stands in `--job-argument` follows as it is. It runs in the target environment with the patched package first on the
path, in the processes that it spawns, too. `auditor.runner.inside` is there for it: the stand-ins for a machine
without CUDA, events for the progress, and dying with the program that started it. A main guard is a must: vLLM's
workers import this file.
"""

import argparse
import json
import os
from pathlib import Path

from auditor.runner.inside.life import Events, die_with_parent, end_on_term
from auditor.runner.inside.stand_ins import prepare_environment, stand_in_for_cuda


def main() -> None:
    """Run this replica's share of the prompts."""
    parser = argparse.ArgumentParser()
    for name in ("model", "data", "out", "events", "replica", "layers"):
        parser.add_argument(f"--{name}")
    given = parser.parse_args()
    die_with_parent()
    end_on_term()
    events = Events(Path(given.events))
    number, of = map(int, given.replica.split("/"))
    lines = Path(given.data).read_text(encoding="utf-8").splitlines()[number::of]
    samples = [json.loads(line) for line in lines]

    prepare_environment()
    import torch
    from speculators.data_generation.vllm_hidden_states_generator import VllmHiddenStatesGenerator

    stand_in_for_cuda(torch)
    layers = [int(layer) for layer in given.layers.split(",")]
    generator = VllmHiddenStatesGenerator(given.model, layer_ids=layers, max_model_len=2049)
    events.tell("ready", seconds=0)
    out = Path(given.out) / f"norms-{number}.jsonl"
    try:
        with out.with_suffix(".draft").open("w", encoding="utf-8") as file:
            for sample in samples:
                (result,) = generator.generate([sample["input_ids"]])
                norms = [round(float(state.float().norm(dim=1).mean()), 4) for state in result["hidden_states"]]
                file.write(json.dumps({"id": sample["id"], "norms": norms}) + "\n")
                events.tell("sample", tokens=len(sample["input_ids"]))
        os.replace(out.with_suffix(".draft"), out)  # noqa: PTH105 - whole or not at all
    finally:
        generator.executor.shutdown()
    events.tell("done")


if __name__ == "__main__":
    main()
