"""The peers: how each is called on a side, and which rows of the cascade its new diagnostics hit."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from inputs import ROOT, Inputs
from measuring import Measure, measure, total
from ours import WARM

_LINE = re.compile(r"(?P<path>[^\s:]+\.py):(?P<line>\d+)(?::\d+)?[-\d:]*:?\s*(?P<message>.*)")


def checkers(
    inputs: Inputs, runs: int, names: Sequence[str] = ("ty", "pyrefly", "pyright"), *, warm_up: bool = True
) -> list[Measure]:
    """Type checkers on the old and on the new release; what they say of the new one alone is what they find."""
    found = []
    for name in names:
        sides = [
            measure(f"{name}, {side}", _command(name, inputs, tree), runs=runs, cwd=inputs.consumer, warm_up=warm_up)
            for side, tree in (("old side", inputs.old), ("new side", inputs.new))
        ]
        both = total(f"{name}, two runs", sides)
        old, new = (Counter(_diagnostics(side.output)) for side in sides)
        output = "\n".join(f"{path}:{line}: {message}" for path, line, message in (new - old).elements())
        found.append(Measure(both.name, both.seconds, both.megabytes, output, both.failure, cpu=both.cpu))
    return found


def _command(name: str, inputs: Inputs, tree: Path) -> list[str | Path]:
    python = inputs.empty / "bin" / "python"
    if name == "ty":
        place: list[str | Path] = ["--python", python, "--extra-search-path", tree]
        return [inputs.tool("ty"), "check", *place, "--output-format", "concise", "--no-progress", inputs.consumer]
    if name == "pyrefly":
        place = ["--python-interpreter-path", python, "--search-path", tree, "--search-path", inputs.consumer]
        how = ["--preset", "default", "--output-format", "min-text"]
        return [inputs.tool("pyrefly"), "check", *how, *place, *sorted(inputs.consumer.rglob("*.py"))]
    project = inputs.work / f"pyright-{tree.name}.json"
    consumer = os.path.relpath(inputs.consumer, inputs.work)  # it ignores absolute paths
    settings = {"include": [consumer], "extraPaths": [str(tree)], "pythonVersion": "3.11"}
    project.write_text(json.dumps(settings), encoding="utf-8")
    return [inputs.tool("pyright"), "--project", project, "--pythonpath", python]


def rivals(inputs: Inputs, runs: int, package: str, limit: float) -> list[Measure]:
    """The two packages on the index that do the same job, by their engines: their programs download whole wheels."""
    script = ROOT / "benchmarks" / "rivals.py"
    found = []
    for name in ("willitbreak", "upgrade-impact"):
        command = [inputs.tool("python"), script, name, inputs.old, inputs.new, package, inputs.consumer]
        found.append(measure(name, command, runs=runs, warm_up=False, limit=limit))
    return found


def _diagnostics(output: str) -> list[tuple[str, int, str]]:
    """Path, line and message of each diagnostic, paths by their last part."""
    found = []
    for line in output.splitlines():
        match = _LINE.search(line)
        if match is not None:
            found.append((Path(match["path"]).name, int(match["line"]), match["message"]))
    return found


def _audited(output: str) -> list[tuple[str, int, str]]:
    try:
        findings = json.loads(output)["findings"]
    except (ValueError, KeyError):
        return []
    return [(Path(f["path"]).name, f["line"], f["severity"]) for f in findings]


def detected(measures: list[Measure], rows: dict[int, tuple[str, int, int]]) -> dict[str, tuple[set[int], int]]:
    """For each tool the rows that it hits, and how many of its diagnostics hit none."""
    found = {}
    for one in measures:
        if one.name == WARM:
            said = [place for place in _audited(one.output) if place[2] != "info" or place[1] == rows[10][1]]
        elif one.name.startswith(("api-audit", "griffe")) or one.failure:
            continue
        else:
            said = sorted(set(_diagnostics(one.output)))
        hits, beside = set(), 0
        for path, line, _ in said:
            matched = {n for n, (name, start, end) in rows.items() if path == name and start <= line <= end}
            hits |= matched
            beside += not matched
        found[one.name] = (hits, beside)
    return found
