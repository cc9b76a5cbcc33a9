"""Turns a file of prompts into a plan: reads or makes tokens, checks them against the vocabulary, packs them.

`python -m auditor.runner.inside.prepare --data D --model M --plan DIR ...`. A line of the data holds `input_ids` (and
perhaps `loss_mask`), or `prompt` or `text`, or `conversations` as speculators takes them; and perhaps an `id`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.runner.inside import plan
from auditor.runner.inside.plan import Plan, Prompt

BAD_DATA = 4
"""Exit code: the data cannot be used; the reason stands in the last line of the output."""


class DataError(Exception):
    """A line of the data that cannot become a sample."""


def main(arguments: list[str] | None = None) -> int:
    """Write the plan, unless the same one is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--max-length", type=int, required=True)
    parser.add_argument("--batch-tokens", type=int, required=True)
    parser.add_argument("--batch-prompts", type=int, required=True)
    parser.add_argument("--limit", type=int)
    given = parser.parse_args(arguments)
    digest = _digest(given)
    if (given.plan / plan.PLAN).is_file() and plan.read(given.plan).digest == digest:
        return 0
    try:
        _prepare(given, digest)
    except DataError as error:
        sys.stdout.write(f"\n{error}\n")
        return BAD_DATA
    return 0


def _digest(given: argparse.Namespace) -> str:
    """What the plan depends on."""
    settings = [given.max_length, given.batch_tokens, given.batch_prompts, given.limit]
    found = hashlib.sha256(json.dumps(settings).encode())
    with given.data.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            found.update(block)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        path = Path(given.model) / name
        found.update(path.read_bytes() if path.is_file() else b"-")
    return found.hexdigest()


def _prepare(given: argparse.Namespace, digest: str) -> None:
    vocabulary = _vocabulary(Path(given.model))
    given.plan.mkdir(parents=True, exist_ok=True)
    lengths: list[int] = []
    cut = 0
    draft = given.plan / f"{plan.PROMPTS}.draft"
    with draft.open("w", encoding="utf-8") as file:
        for number, (identity, tokens, mask) in enumerate(_samples(given)):
            if number == given.limit:
                break
            where = f"prompt {number} (id {identity})"
            if not tokens:
                raise DataError(f"{where} has no tokens")
            if mask is not None and len(mask) != len(tokens):
                raise DataError(f"{where} has {len(tokens)} tokens and a loss mask of {len(mask)}")
            if not all(isinstance(token, int) and 0 <= token < vocabulary for token in tokens):
                raise DataError(f"{where} holds a token outside the model's vocabulary of {vocabulary}")
            cut += len(tokens) > given.max_length
            tokens = tokens[: given.max_length]
            lengths.append(len(tokens))
            file.write(plan.encode(Prompt(number, identity, tokens, mask[: given.max_length] if mask else None)))
    if not lengths:
        raise DataError("there are no prompts in it")
    draft.replace(given.plan / plan.PROMPTS)
    packed = plan.pack(lengths, tokens=given.batch_tokens, prompts=given.batch_prompts)
    plan.write(given.plan, Plan(digest, len(lengths), sum(lengths), cut, max(lengths), packed))


def _vocabulary(model: Path) -> int:
    """How many tokens the model knows; without a config of that kind, as many as a token can be."""
    try:
        config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 1 << 31
    found = config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size")
    return int(found) if found else 1 << 31


def _samples(given: argparse.Namespace) -> Iterator[tuple[str, list[int], list[int] | None]]:
    tokenizer: Any = None
    with given.data.open(encoding="utf-8") as file:
        for line_number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                identity = str(sample.get("id", line_number))
            except (ValueError, AttributeError) as error:
                raise DataError(f"line {line_number} is not a JSON object") from error
            if "conversations" in sample:
                yield from _conversations(given)
                return
            if "input_ids" in sample:
                yield identity, sample["input_ids"], sample.get("loss_mask")
                continue
            text = sample.get("prompt", sample.get("text"))
            if not isinstance(text, str):
                raise DataError(f"line {line_number} has neither `input_ids` nor `prompt`, `text` or `conversations`")
            tokenizer = tokenizer or _tokenizer(given.model)
            yield identity, list(tokenizer(text)["input_ids"]), None


def _tokenizer(model: str) -> Any:
    return importlib.import_module("transformers").AutoTokenizer.from_pretrained(model, trust_remote_code=True)


def _conversations(given: argparse.Namespace) -> Iterator[tuple[str, list[int], list[int] | None]]:
    """The preprocessing of speculators itself: chat template, tokens, loss mask, shuffled with its fixed seed."""
    module = importlib.import_module("speculators.data_generation.preprocessing")
    given.plan.mkdir(parents=True, exist_ok=True)
    dataset, _ = module.load_and_preprocess_dataset(
        given.model,
        str(given.data),
        given.max_length,
        build_dataset_num_proc=1,
        token_freq_path=str(given.plan / "token-frequencies.bin"),  # no name in `pt`: the loader would read it
        max_samples=given.limit,
    )
    for number, sample in enumerate(dataset):
        yield str(number), sample["input_ids"].tolist(), sample["loss_mask"].tolist()


if __name__ == "__main__":
    sys.exit(main())
