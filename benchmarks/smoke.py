"""The benchmark's machinery on a made-up provider: no peers, no network; for continuous integration."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from inputs import ROOT
from measuring import measure

_MODULES = 120


def smoke(audit: Callable[..., list[str | Path]], environment: Callable[[Path], dict[str, str]]) -> int:
    """Scan, snapshot and matrix over three releases in folders; 0 where each found what is there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trees = [_provider(folder, number) for number in range(3)]
        consumer = folder / "consumer"
        consumer.mkdir()
        calls = "".join(f"import acme.m{n}\nacme.m{n}.run(1, b=2)\n" for n in range(0, _MODULES, 10))
        (consumer / "main.py").write_text(calls, encoding="utf-8")
        shared = ["--isolated", "-qq"]
        old, *_, new = (f"acme @ {tree}" for tree in trees)
        given = {"runs": 2, "environment": environment(folder / "cache"), "cwd": ROOT}
        scan = measure(
            "scan, warm",
            audit(
                "scan", consumer, "--from", old, "--against", new, *shared, "--no-patches", "--output-format", "json"
            ),
            **given,
        )
        ranged = [word for tree in trees for word in ("--against", f"acme @ {tree}")]
        table = measure(
            "matrix",
            audit("matrix", consumer, "--from", old, *ranged, *shared, "--output-format", "json"),
            **given,
        )
        whole = measure("snapshot", audit("snapshot", new, *shared), **given)
        failed = [one for one in (scan, table, whole) if one.failure]
        for one in failed:
            print(f"{one.name}: {one.failure}", file=sys.stderr)
        if failed:
            return 1
        for one in (scan, table, whole):
            print(f"{one.name}: {one.median:.2f} s, {one.megabytes:.0f} MB")
        found, told = json.loads(scan.output)["findings"], json.loads(table.output)
        wanted = len(range(0, _MODULES, 10))
        firsts = {row["first"] for row in told["findings"]}
        print(f"{len(found)} of {wanted} drifts found, first in {', '.join(sorted(firsts))}")
        return 0 if len(found) == wanted and firsts == {"v2"} else 1


def _provider(folder: Path, number: int) -> Path:
    tree = folder / f"v{number}"
    package = tree / "acme"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    signature = "a" if number == 2 else "a, b=0"
    body = "".join(f"\n\nclass C{n}:\n    def method(self, x, y={n}):\n        return x\n" for n in range(20))
    for module in range(_MODULES):
        (package / f"m{module}.py").write_text(f"def run({signature}): ...\n{body}", encoding="utf-8")
    return tree
