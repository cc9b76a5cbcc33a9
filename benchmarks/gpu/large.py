"""Makes a large model with random weights, by several processes at once: `large.py CONFIG_FOLDER OUT GIGABYTES`.

As many layers as GIGABYTES of weights hold, and of the experts as many as leave room for four layers. The names and
shapes of the weights are transformers' own; the last line says what was made. The checkout must be on the path.
"""

import json
import math
import multiprocessing
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file

from auditor.runner.inside.shrink import make_tokenizer

Config = dict[str, Any]
SHARD = 4 << 30
LEAST_LAYERS = 4
EACH = 4
"""Processes for each GPU: generating is fast, writing is what takes time."""


def shapes(config: Any) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config, torch_dtype=torch.bfloat16)
    return {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in model.state_dict().items()}


def size(config: Any) -> int:
    """Bytes of a model; a large one is slow to lay out, so `fit` asks about small ones."""
    return sum(math.prod(shape) * dtype.itemsize for shape, dtype in shapes(config).values())


def fit(given: Config, budget: int) -> Config:
    """The config with as many experts and layers as fit."""

    def sized(layers: int, experts: int) -> Config:
        return given | {"num_hidden_layers": layers, "n_routed_experts": experts, "num_nextn_predict_layers": 0}

    def counted(layers: int, experts: int) -> int:
        return size(transformers.AutoConfig.for_model(**sized(layers, experts)))

    base, dense = counted(1, 8), given["first_k_dense_replace"]
    few, more = counted(dense + 1, 8), counted(dense + 1, 16)
    expert = (more - few) // 8
    bare = few - base - 8 * expert  # a layer with experts, less these
    experts = given["n_routed_experts"]
    while experts > 8 and base + (LEAST_LAYERS - dense) * (bare + experts * expert) > budget:
        experts //= 2
    layers = min(given["num_hidden_layers"], dense + (budget - base) // (bare + experts * expert))
    return sized(max(dense + 1, layers), experts)


def write(job: tuple[int, dict[str, Any], str, str, float]) -> dict[str, str]:
    """Write one file of weights; says which are in it."""
    number, names, out, device, deviation = job
    if device != "cpu":
        torch.cuda.set_device(device)
    made = torch.Generator(device=device).manual_seed(number)
    tensors = {}
    for name, (shape, dtype) in names.items():
        if len(shape) > 1:
            tensor = torch.empty(shape, dtype=dtype, device=device).normal_(0, deviation, generator=made)
        else:
            tensor = (torch.ones if name.endswith("norm.weight") else torch.zeros)(shape, dtype=dtype, device=device)
        tensors[name] = tensor.cpu()
    file = f"model-{number:05}.safetensors"
    save_file(tensors, Path(out) / file, metadata={"format": "pt"})
    return dict.fromkeys(names, file)


def main(source: Path, out: Path, gigabytes: str) -> None:
    begun = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        shutil.copyfile(file, out / file.name)
    given = json.loads((source / "config.json").read_text())
    config = fit(given, int(float(gigabytes) * 1e9))
    (out / "config.json").write_text(json.dumps(config, indent=1))
    if not list(out.glob("tokenizer*")):
        make_tokenizer(out, config["vocab_size"])
    wanted = shapes(transformers.AutoConfig.from_pretrained(out))
    shards, room = [{}], SHARD
    for name, (shape, dtype) in wanted.items():
        bytes_ = math.prod(shape) * dtype.itemsize
        if room < bytes_ and shards[-1]:
            shards.append({})
            room = SHARD
        shards[-1][name] = (shape, dtype)
        room -= bytes_
    gpus = torch.cuda.device_count()
    deviation = max(0.02, config["hidden_size"] ** -0.5)
    jobs = [
        (number, names, str(out), f"cuda:{number % gpus}" if gpus else "cpu", deviation)
        for number, names in enumerate(shards)
    ]
    with multiprocessing.get_context("spawn").Pool(min(len(jobs), EACH * gpus or 2)) as pool:
        places = {name: file for part in pool.imap_unordered(write, jobs) for name, file in part.items()}
    total = sum(math.prod(shape) * dtype.itemsize for shape, dtype in wanted.values())
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (out / "model.safetensors.index.json").write_text(json.dumps(index))
    print(
        f"large: {config['num_hidden_layers']} layers, {config['n_routed_experts']} experts, {total / 1e9:.0f} GB"
        f" of weights in {len(jobs)} files, {time.monotonic() - begun:.0f} s"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
