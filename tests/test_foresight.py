"""What the checks look at of their own accord is read with what the consumer imports, in one batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.options import Options
from auditor.provider import snapshot as snapshots
from auditor.provider.loading import load
from auditor.scan import scan

CONSUMER = "import lib\n\ndef embed(model: lib.Model, other):\n    return other.embeddings()\n"
MODEL = "class Model{0}:\n    def {1}(self): ...\n"


def test_modules_that_nothing_imports_come_in_the_first_batch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/app.py").write_text(CONSUMER)
    for version, name in (("old", "embeddings"), ("new", "embed_tokens")):
        folder = tmp_path / version / "lib"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("class Model: ...\n")
        for number in range(5):
            (folder / f"m{number}.py").write_text(MODEL.format(number, name))
        (folder / "idle.py").write_text(f"VERSION = {version!r}\n")
    batches: list[set[str]] = []
    monkeypatch.setattr(
        snapshots,
        "load",
        lambda modules, *args, **given: batches.append({m.name for m in modules}) or load(modules, *args, **given),
    )
    report = scan(
        Options(
            consumers=(str(tmp_path / "app"),),
            against=(str(tmp_path / "new"),),
            from_=(str(tmp_path / "old"),),
            cache_dir=tmp_path / "store",
        )
    )
    assert [finding.rule for finding in report.findings] == ["vanished-member"]
    assert batches == [{"lib", *(f"lib.m{number}" for number in range(5))}]
