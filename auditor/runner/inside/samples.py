"""One sample on disk, as speculators' loader reads it: checked, written under a temporary name, then renamed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auditor.runner.inside.plan import Prompt, sample_name


class BadSampleError(Exception):
    """A sample that must not be written; the message names it and says why."""


def refuse(prompt: Prompt, why: str) -> BadSampleError:
    """The error for one prompt."""
    return BadSampleError(f"sample {prompt.number} (id {prompt.id}): {why}")


def check_shape(prompt: Prompt, layer: int, shape: Sequence[int]) -> None:
    """Refuse a layer that has not a row for each token."""
    if len(shape) != 2 or shape[0] != len(prompt.tokens):
        raise refuse(prompt, f"layer {layer} has shape {list(shape)} for {len(prompt.tokens)} tokens")


def save(torch: Any, out: Path, prompt: Prompt, states: Sequence[Any], *, sync: bool = True) -> int:
    """Write `data_<number>.pt`; says how many bytes it has.

    Each tensor must own its memory: a view would bring all of its base along.
    """
    mask = prompt.mask if prompt.mask is not None else [1] * len(prompt.tokens)
    sample = {
        "input_ids": torch.tensor(prompt.tokens, dtype=torch.long),
        "hidden_states": list(states),
        "loss_mask": torch.tensor(mask, dtype=torch.long),
    }
    path = out / sample_name(prompt.number)
    draft = out / f".{path.name}.{os.getpid()}.draft"
    try:
        with draft.open("wb") as file:  # a name given to torch.save would become part of the content
            torch.save(sample, file)
            file.flush()
            if sync:
                os.fsync(file.fileno())
            size = file.tell()
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return size


def clear_drafts(out: Path) -> None:
    """Remove what killed runs have left half-written."""
    for draft in out.glob(".data_*.draft"):
        draft.unlink(missing_ok=True)
