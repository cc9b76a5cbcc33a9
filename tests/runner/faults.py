"""Faults that a rehearsal must find, and the ties between experts that it must not take for one: `faults.py MODEL`.

The engine is played by transformers in bfloat16, with another way to attention than the reference has. Each fault is
put into it or into its states; the last line says, by name, which checks failed.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers

from auditor.runner.inside import reference
from auditor.runner.inside.plan import Prompt

LAYERS = [0, 1, 2]  # of four: what transformers gives for a model's last layer has its final norm in it
States = dict[int, list[Any]]


def engine(folder: Path, change: Callable[[Any], None]) -> Any:
    """The model as an engine would run it, with something changed."""
    found = transformers.AutoModelForCausalLM.from_pretrained(
        folder, torch_dtype=torch.bfloat16, attn_implementation="eager"
    ).eval()
    change(found)
    return found


def states(model: Any, prompts: list[Prompt], layers: list[int]) -> States:
    """What each layer adds up to, for each prompt."""
    found: States = {}
    for prompt in prompts:
        with torch.inference_mode():
            whole = model.model(torch.tensor([prompt.tokens]), use_cache=False, output_hidden_states=True).hidden_states
        found[prompt.number] = [whole[layer + 1][0].clone() for layer in layers]
    return found


def nothing(_model: Any) -> None:
    """The engine is right."""


def other_expert(model: Any) -> None:
    """Two experts have each other's weights."""
    experts = model.model.layers[2].mlp.experts
    one, two = (dict(experts[number].state_dict()) for number in (0, 1))
    kept = {name: tensor.clone() for name, tensor in one.items()}
    experts[0].load_state_dict(two)
    experts[1].load_state_dict(kept)


def fewer_experts(model: Any) -> None:
    """A token gets one expert less than it should."""
    for layer in model.model.layers:
        for part in (layer.mlp, getattr(layer.mlp, "gate", None)):
            if hasattr(part, "top_k"):
                part.top_k -= 1


def other_positions(model: Any) -> None:
    """Positions are turned by other angles."""
    model.model.rotary_emb.inv_freq *= 0.8


def other_norm(model: Any) -> None:
    """A layer's norm is a little too large."""
    model.model.layers[1].post_attention_layernorm.weight.data *= 1.1


def rows_shifted(found: States) -> None:
    """The last layer's rows belong to the token before."""
    for layers in found.values():
        layers[-1] = layers[-1].roll(1, dims=0)


def last_row_of_another(found: States) -> None:
    """The last row of each prompt comes from another prompt."""
    numbers = list(found)
    rows = [found[number][-1][-1].clone() for number in numbers]
    for number, row in zip(numbers, [*rows[1:], rows[0]], strict=True):
        found[number][-1][-1] = row


def one_prompt_of_another(found: States) -> None:
    """One prompt has the states of another of its length."""
    found[0] = [state.clone() for state in found[1]]


def late_layers(found: States) -> None:
    """Each layer's states are those of the layer after it."""
    for number, layers in found.items():
        found[number] = [*layers[1:], layers[-1].roll(1, dims=1)]


def main(folder: Path) -> None:
    """Try all, and print what failed for each."""
    made = random.Random(3)
    prompts = [
        Prompt(number, str(number), [made.randrange(500) for _ in range(length)], None)
        for number, length in enumerate((60, 60, 3, 17, 33, 64, 80, 100))
    ]
    beside = reference.Reference(torch, str(folder), torch.bfloat16)
    found: dict[str, list[str]] = {}
    for change in (nothing, other_expert, fewer_experts, other_positions, other_norm):
        found[change.__name__] = failed(beside, prompts, states(engine(folder, change), prompts, LAYERS))
    right = states(engine(folder, nothing), prompts, LAYERS)
    for fault in (rows_shifted, last_row_of_another, one_prompt_of_another, late_layers):
        changed = {number: [state.clone() for state in layers] for number, layers in right.items()}
        fault(changed)
        found[fault.__name__] = failed(beside, prompts, changed)
    sys.stdout.write("\n" + json.dumps(found) + "\n")


def failed(beside: reference.Reference, prompts: list[Prompt], run: States) -> list[str]:
    """The checks that fail, with what they say."""
    checks, _ = reference.compare(beside, prompts, LAYERS, run)
    sys.stderr.write("\n".join(map(str, checks)) + "\n\n")
    return [name for name, holds, _ in checks if not holds]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
