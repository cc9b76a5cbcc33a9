"""Where the time goes: a sampler looks at a command many times a second, and what it saw is counted by room."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring import measure

HERTZ = 250
IMPORTING, PARSING, OUTSIDE = "(importing modules)", "(`ast.parse`)", "(Python's start and end)"
_OURS = re.compile(r"/auditor/(?P<room>\w+)[\w/]*\.py:\d+\)$")
_PARSE = re.compile(r"^parse \(.*/ast\.py:\d+\)$")


@dataclass(frozen=True)
class Profile:
    """In how many samples of a command each room was seen; samples of processes that wait are not taken."""

    name: str
    samples: int = 0
    itself: dict[str, int] = field(default_factory=dict)
    """The innermost room of a sample answers for the library code that it calls, too."""
    within: dict[str, int] = field(default_factory=dict)
    """All rooms of a sample, whatever they called."""
    failure: str = ""


def sampled(name: str, command: Sequence[str | Path], *, sampler: Path, runs: int, **given: Any) -> Profile:
    """Run a command under a sampler.

    Args:
        name: What it is called.
        command: Its arguments.
        sampler: The program `py-spy`.
        runs: How often it is run; all samples count together.
        given: As for `measure`.
    """
    itself: Counter[str] = Counter()
    within: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "stacks"
        how = ("--subprocesses", "--full-filenames", "--rate", str(HERTZ), "--format", "raw", "--output", file)
        for _ in range(runs):
            record = [sampler, "record", *how, "--", *command]
            one = measure(f"{name}, sampled", record, runs=1, warm_up=False, **given)
            if one.failure:
                return Profile(name, failure=one.failure)
            for line in file.read_text(encoding="utf-8").splitlines():
                frames, _, number = line.rpartition(" ")
                at_work, around = rooms(frames.split(";"))
                itself[at_work] += int(number)
                within.update(dict.fromkeys({at_work, *around}, int(number)))
    return Profile(name, itself.total(), dict(itself), dict(within))


def rooms(frames: Sequence[str]) -> tuple[str, list[str]]:
    """What is at work in a stack, outermost frame first, and all of our rooms in it."""
    ours = [found["room"] for frame in frames if (found := _OURS.search(frame)) is not None]
    if any("<frozen importlib" in frame for frame in frames):
        return IMPORTING, []
    if _PARSE.match(frames[-1]):
        return PARSING, ours
    return ours[-1] if ours else OUTSIDE, ours
