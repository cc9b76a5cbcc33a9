"""How many uses of a provider count as resolved, and the reasons given for the others."""

from __future__ import annotations

import pytest

from auditor.options import Options
from auditor.scan import scan

PROVIDER = """
import torch
class Engine:
    def __init__(self):
        self.runner = make()
        self.device: torch.device = torch.device("cpu")
        self.parts: list[Part] = []
        self.core = self.part().core.core
    def part(self) -> "Part": ...
    def plain(self): return unknown()
class Part:
    def run(self): ...
"""


def figures(folder, code: str) -> tuple[int, int, list[str]]:
    for side in ("old", "new"):
        package = folder / side / "lib"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(PROVIDER)
    consumer = folder / "consumer"
    consumer.mkdir()
    (consumer / "app.py").write_text(f"import json\nimport lib\ne = lib.Engine()\n{code}\n")
    report = scan(
        Options(
            consumers=(str(consumer),),
            against=(str(folder / "new"),),
            from_=(str(folder / "old"),),
            cache_dir=folder / "cache",
            offline=True,
        )
    )
    reasons = [p.message for p in report.problems if p.kind == "unresolved"]
    return int(report.stats["provider_uses"]), int(report.stats["unresolved_uses"]), reasons


@pytest.mark.parametrize(
    ("code", "uses", "reasons"),
    [
        pytest.param("", 1, [], id="constructor"),
        pytest.param("e.part().run()", 3, [], id="a callee counts with its call"),
        pytest.param("e.runner", 2, [], id="an attribute that is there"),
        pytest.param("e.runner.go()", 3, ["1 use unresolved: undefined name"], id="of a value that was not read"),
        pytest.param(
            "e.runner.go()\ne.runner.stop()",
            5,
            ["2 uses unresolved, first here: undefined name"],
            id="told once",
        ),
        pytest.param("e.core.go()", 3, ["1 use unresolved: value not read"], id="of what only subclasses have"),
        pytest.param("def f(x: lib.Gone): x.go()", 2, [], id="of what neither release has"),
        pytest.param("e.device.type", 2, [], id="somebody else's"),
        pytest.param("e.parts.append(1)\ne.parts[0].run()", 4, [], id="through a list"),
        pytest.param("json.loads('1').x", 1, [], id="not the provider's"),
        pytest.param(
            "class Mine(lib.Engine):\n    def f(self): return self.runner.x", 4, ["undefined name"], id="heir"
        ),
    ],
)
def test_unresolved_uses_are_counted(tmp_path, code, uses, reasons):
    found, unresolved, told = figures(tmp_path, code)
    assert found == uses
    assert len(told) == len(reasons)
    assert unresolved == sum(int(text.split()[0]) for text in told)
    assert all(reason in text for reason, text in zip(reasons, told, strict=True))
