"""Rehearses a job on a shrunken model: the whole path, twice, before anything large is loaded."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auditor.errors import AuditError
from auditor.runner import jobs, said
from auditor.runner.extract import extract
from auditor.runner.overlay import Overlay
from auditor.runner.settings import Settings

LENGTHS = (1, 3, 16, 17, 33, 64, 100, 129, 255, 400, 500)
"""Around the blocks of a KV cache, and around the lengths at which attention backends treat a prompt otherwise."""
CANNOT = 4


@dataclass(frozen=True)
class Check:
    """One thing that a rehearsal looks at; `holds` is None where it could not be looked at."""

    name: str
    holds: bool | None
    said: str


@dataclass(frozen=True)
class Shrunken:
    """A small model that was made."""

    folder: Path
    architecture: str
    layers: int
    width: int
    vocabulary: int
    dense: int
    dummy: bool

    def chosen(self) -> list[int]:
        """At most four layers: the first, the first after the dense ones, one between, the last."""
        wanted = {0, min(self.dense, self.layers - 1), self.layers // 2, self.layers - 1}
        return sorted(wanted)


def shrink(overlay: Overlay, model: str, folder: Path, *, width: str, layers: int, parallel: int) -> Shrunken:
    """Make the small model in the target environment."""
    command = [
        *(str(overlay.target.python), "-m", "auditor.runner.inside.shrink", "--model", model, "--out", str(folder)),
        *("--width", width, "--layers", str(layers), "--tensor-parallel", str(parallel)),
    ]
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = _last_line(overlay, command, folder.parent / "shrink.txt", where=model)
    return Shrunken(
        folder=folder,
        architecture=str(made["architecture"]),
        layers=int(made["layers"]),
        width=int(made["width"]),
        vocabulary=int(made["vocabulary"]),
        dense=int(made["dense"] or 0),
        dummy=made["weights"] == "dummy",
    )


def prompts(vocabulary: int, *, longest: int, step: int) -> list[dict[str, Any]]:
    """Prompts of many lengths, more than one scheduler step takes; then all of them again, in another order."""
    made = random.Random(0)  # noqa: S311 - the same prompts at every rehearsal
    lengths = [length for length in LENGTHS if length <= longest]
    while sum(lengths) <= step + longest:
        lengths.append(made.randint(max(1, longest // 2), longest))
    some = [[made.randrange(vocabulary) for _ in range(length)] for length in lengths]
    again = [*reversed(some), some[0]]
    return [{"id": f"{number}", "input_ids": tokens} for number, tokens in enumerate([*some, *again])]


def rehearse(
    settings: Settings, overlay: Overlay, small: Shrunken, root: Path, *, step: int, quiet: bool
) -> list[Check]:
    """Run the job twice on the small model and judge what it wrote."""
    longest = min(settings.max_length, LENGTHS[-1])
    data = root / "prompts.jsonl"
    samples = prompts(small.vocabulary, longest=longest, step=step)
    data.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    changed = replace(
        settings,
        model=str(small.folder),
        data=data,
        layers=",".join(map(str, small.chosen())),
        max_length=longest,
        batch_tokens=step,
        limit=None,
        dummy_weights=small.dummy,
    )
    outs = [root / "first", root / "second"]
    for out in outs:
        begun = time.monotonic()
        tried = replace(changed, trial=small.vocabulary if out is outs[-1] else None)
        extract(tried, overlay, out, {"rehearsal": True}, quiet=True)
        if not quiet:
            said.say(f"rehearsed {out.name}: {len(samples)} prompts in {time.monotonic() - begun:.0f} s")
    if settings.job is not None:
        return list(_files(outs))
    return [*_judge(changed, overlay, small, outs), *_tried(outs[-1])]


def _tried(out: Path) -> list[Check]:
    """What the generator did with a batch that an extraction never sends: for jobs of one's own, never a failure."""
    lines = (out / "api-audit-run" / "events-0.jsonl").read_text(encoding="utf-8").splitlines()
    found = next((event for event in map(json.loads, lines) if event["event"] == "trial"), None)
    if found is None:
        return []
    if "error" in found:
        return [Check("beyond one step (never sent)", None, found["error"])]
    what = f"{found['prompts']} prompts of {found['tokens']} tokens together, longest first"
    short = f"{len(found['short'])} came back short" if found["short"] else "all rows came"
    other = f"{found['other']} of {found['compared']} differ from themselves alone"
    fine = not found["short"] and not found["other"]
    return [Check("beyond one step (never sent)", True if fine else None, f"{what}: {short}, {other}")]


def _files(outs: Sequence[Path]) -> list[Check]:
    """A job of the user's own: it must write something, and the same at both times."""
    names = [
        sorted(path.name for path in out.iterdir() if path.is_file() and path.name != "manifest.json") for out in outs
    ]
    written = Check("files", bool(names[0]) and names[0] == names[1], f"{len(names[0])} and {len(names[1])} files")
    other = [
        name for name in names[0] if name in names[1] and (outs[0] / name).read_bytes() != (outs[1] / name).read_bytes()
    ]
    same = Check("equal on repetition", not other, f"`{other[0]}` differs" if other else "every byte")
    return [written, same]


def _judge(settings: Settings, overlay: Overlay, small: Shrunken, outs: Sequence[Path]) -> list[Check]:
    command = [
        *(str(overlay.target.python), "-m", "auditor.runner.inside.compare"),
        *("--plan", str(outs[0] / "api-audit-run" / "plan"), "--first", str(outs[0]), "--second", str(outs[1])),
        *("--model", str(small.folder), "--layers", str(settings.layers)),
        *(() if small.dummy else ("--reference",)),
    ]
    found = [
        Check(*check) for check in _last_line(overlay, command, outs[0].parent / "compare.txt", where=str(outs[0]))
    ]
    if small.dummy:
        found.append(Check("transformers", None, "it does not know this architecture; vLLM made the weights"))
    return found


def _last_line(overlay: Overlay, command: Sequence[str], log: Path, *, where: str) -> Any:
    """Run something in the target environment; what it has to say is the last line, as JSON."""
    code = overlay.run(command, log)
    last = jobs.last_line(log)
    if code == CANNOT:
        raise AuditError(last, where=where)
    if code:
        raise AuditError(f"The rehearsal ended: {last}", where=str(log))
    return json.loads(log.read_bytes().decode("utf-8", "replace").strip().splitlines()[-1])
