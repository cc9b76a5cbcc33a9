"""The plan of a run: every prompt as tokens, cut into batches in a way that no interruption and no replica changes.

Hidden states depend, in their last bits, on what else is in the batch. So batches are fixed once for all prompts, and a
resumed run computes an unfinished batch as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PROMPTS, PLAN = "prompts.jsonl", "plan.json"


@dataclass(frozen=True)
class Prompt:
    """One sample to be: its number (which names its file), its id in the data, its tokens and loss mask."""

    number: int
    id: str
    tokens: list[int]
    mask: list[int] | None


@dataclass(frozen=True)
class Plan:
    """What is to be done; batches are stretches [start, end) of prompt numbers."""

    digest: str
    count: int
    tokens: int
    cut: int
    """How many prompts were longer than allowed."""
    longest: int
    batches: list[tuple[int, int]]

    def mine(self, replica: int, replicas: int) -> list[tuple[int, int]]:
        """The batches of one of several copies of the engine."""
        return self.batches[replica::replicas]


def sample_name(number: int) -> str:
    """The file of one sample, named as speculators names it."""
    return f"data_{number}.pt"


def pack(lengths: Sequence[int], *, tokens: int, prompts: int) -> list[tuple[int, int]]:
    """Neighbouring prompts as batches of at most so many tokens and prompts: what one scheduler step takes whole.

    speculators ends every request after its first step, so that a batch beyond one step would lose rows.
    """
    batches: list[tuple[int, int]] = []
    start, total = 0, 0
    for index, length in enumerate(lengths):
        if index > start and (total + length > tokens or index - start >= prompts):
            batches.append((start, index))
            start, total = index, 0
        total += length
    if len(lengths) > start:
        batches.append((start, len(lengths)))
    return batches


def write(folder: Path, plan: Plan) -> None:
    """Write the plan; it counts once `plan.json` is there."""
    draft = folder / f"{PLAN}.draft"
    draft.write_text(json.dumps(asdict(plan)), encoding="utf-8")
    draft.replace(folder / PLAN)


def read(folder: Path) -> Plan:
    """The plan that lies in a folder."""
    found: dict[str, Any] = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    found["batches"] = [(start, end) for start, end in found["batches"]]
    return Plan(**found)


def encode(prompt: Prompt) -> str:
    """One prompt as a line."""
    return json.dumps([prompt.number, prompt.id, prompt.tokens, prompt.mask], separators=(",", ":")) + "\n"


def batches(folder: Path, wanted: Sequence[tuple[int, int]]) -> Iterator[list[Prompt]]:
    """The prompts of each wanted batch, shortest first; the others' lines are skipped unread.

    Some attention backends move short prompts to the front of a batch, and speculators cuts rows in the order in which
    it asked: shortest first is the order that stays.
    """
    with (folder / PROMPTS).open(encoding="utf-8") as file:
        at = 0
        for start, end in wanted:
            for _ in range(at, start):
                next(file)
            found = [Prompt(*json.loads(next(file))) for _ in range(start, end)]
            at = end
            yield sorted(found, key=lambda prompt: (len(prompt.tokens), prompt.number))


def finished(out: Path, wanted: Sequence[tuple[int, int]]) -> set[int]:
    """The numbers of the samples that are there."""
    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    return {number for start, end in wanted for number in range(start, end) if sample_name(number) in there}


def unfinished(there: set[int], wanted: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The batches of which at least one sample is not there yet."""
    return [(start, end) for start, end in wanted if any(number not in there for number in range(start, end))]
