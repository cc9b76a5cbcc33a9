"""Makes a small model of the same architecture, with random weights, from a model's own config.

`python -m auditor.runner.inside.shrink --model M --out DIR ...` prints, as its last line, what it made. The weights are
made by transformers; where that does not know the architecture, none are written and vLLM is to make its own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

from auditor.runner.inside.shrinking import language_part, shrink

CANNOT = 4
"""Exit code: the model's config cannot be used; the reason stands in the last line of the output."""
SMALL_FILES = ("*.json", "*.py", "*.model", "*.txt", "*.tiktoken", "*.jinja")
TOKENIZER = ("tokenizer.json", "tokenizer.model", "tiktoken.model", "vocab.json")


def main(arguments: list[str] | None = None) -> int:
    """Make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--experts", type=int, default=8)
    parser.add_argument("--vocabulary", type=int, default=512)
    parser.add_argument("--width", default="256", help="a number, or `real`")
    parser.add_argument("--tensor-parallel", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        source = _source(given.model)
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        small = shrink(
            config,
            layers=given.layers,
            experts=given.experts,
            vocabulary=given.vocabulary,
            width=None if given.width == "real" else int(given.width),
            parallel=given.tensor_parallel,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stdout.write(f"\nits config cannot be made small: {type(error).__name__}: {error}\n")
        return CANNOT
    _lay(source, given.out, small)
    weights = _weights(given.out)
    part = language_part(small)
    made = {
        "architecture": (small.get("architectures") or ["?"])[0],
        "layers": part["num_hidden_layers"],
        "width": part["hidden_size"],
        "vocabulary": part["vocab_size"],
        "dense": part.get("first_k_dense_replace", 0),
        "weights": weights,
    }
    sys.stdout.write("\n" + json.dumps(made) + "\n")
    return 0


def _source(model: str) -> Path:
    """The folder with the model's config; a name is asked of the hub, without the weights."""
    if Path(model).is_dir():
        return Path(model)
    hub = importlib.import_module("huggingface_hub")
    return Path(hub.snapshot_download(model, allow_patterns=list(SMALL_FILES)))


def _lay(source: Path, out: Path, small: dict[str, Any]) -> None:
    """Everything but the weights."""
    out.mkdir(parents=True, exist_ok=True)
    for pattern in SMALL_FILES:
        for file in source.glob(pattern):
            if not file.name.endswith(".index.json"):
                shutil.copyfile(file, out / file.name)
    (out / "config.json").write_text(json.dumps(small, indent=1), encoding="utf-8")
    generation = out / "generation_config.json"
    generation.unlink(missing_ok=True)  # it may name tokens outside the small vocabulary
    if not any((out / name).exists() for name in TOKENIZER):
        make_tokenizer(out, int(language_part(small)["vocab_size"]))


def make_tokenizer(out: Path, vocabulary: int) -> None:
    """A tokenizer of single bytes."""
    tokenizers = importlib.import_module("tokenizers")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    words = {word: number for number, word in enumerate(["<pad>", "<s>", "</s>", *alphabet][:vocabulary])}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=words, merges=[]))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.save(str(out / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
    }
    (out / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def _weights(out: Path) -> str:
    """Random weights on disk (`saved`), or none (`dummy`)."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    try:
        config = transformers.AutoConfig.from_pretrained(out, trust_remote_code=True)
        width = int(language_part(json.loads((out / "config.json").read_text(encoding="utf-8")))["hidden_size"])
        # Small weights would leave every state close to the token's embedding, and any comparison would pass.
        config.initializer_range = max(0.02, width**-0.5)
        dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None) or torch.bfloat16
        torch.manual_seed(0)
        with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
            model = transformers.AutoModelForCausalLM.from_config(config, torch_dtype=dtype, trust_remote_code=True)
        model.save_pretrained(out, max_shard_size="4GB")
    except Exception:  # noqa: BLE001 - remote code may fail in any way; vLLM has weights of its own
        traceback.print_exc()
        return "dummy"
    return "saved"


if __name__ == "__main__":
    sys.exit(main())
