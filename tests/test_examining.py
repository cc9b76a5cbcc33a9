"""A big consumer is examined by several processes, and they find what one finds."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from packages.making import publish

from auditor import examining, pool
from auditor.audit import Audit
from auditor.consumer.source import from_paths
from auditor.model import Report
from auditor.options import Options
from auditor.scan import scan
from auditor.setting import setting_of

FILES = 24

OLD = """
import os
from acme.part import Part

class Machine:
    def __init__(self, size, speed=1): ...
    def part(self) -> Part: ...

def run(a, b=0): ...

if os.environ.get("ACME_PAGES", "0") == "1":
    class Reader:
        pages = 1
else:
    class Reader:
        lines = 1

if os.environ.get("ACME_COLUMNS", "0") == "1":
    class Writer:
        columns = 1
else:
    class Writer:
        rows = 1
"""
NEW = OLD.replace("speed=1", "rate=1").replace("a, b=0", "a").replace('"0"', '"1"')
CODE = """
from acme import Reader, Writer, run
from app.base import Own

class Mine{0}(Own):
    def work(self):
        return self.part().turn()

def start():
    run(1, b=2)
    Mine{0}({0}, speed=2)
    return Reader().lines, Writer().rows
"""


@pytest.fixture
def options(tmp_path: Path) -> Options:
    part = "class Part:\n    def {}(self): ...\n"
    publish(tmp_path / "index", "acme", "1.0", {"acme/__init__.py": OLD, "acme/part.py": part.format("turn")})
    publish(tmp_path / "index", "acme", "2.0", {"acme/__init__.py": NEW, "acme/part.py": part.format("rotate")})
    app = tmp_path / "project" / "app"
    app.mkdir(parents=True)
    (app / "__init__.py").touch()
    (app / "base.py").write_text("from acme import Machine\n\nclass Own(Machine): ...\n", encoding="utf-8")
    for number in range(FILES):
        (app / f"part{number}.py").write_text(CODE.format(number) * (1 + number % 3), encoding="utf-8")
    return Options(
        consumers=(str(app.parent),),
        against=("acme==2.0",),
        from_=("acme==1.0",),
        index_url=str(tmp_path / "index"),
        cache_dir=tmp_path / "cache",
    )


@pytest.fixture
def alone(options: Options) -> dict[str, Any]:
    """What one process finds."""
    report = scan(msgspec.structs.replace(options, cache_dir=options.cache_dir.with_name("alone")))
    drifts = {(finding.rule, finding.symbol, finding.argument) for finding in report.findings}
    assert drifts == {
        ("unknown-argument", "acme.run", "b"),
        ("unknown-argument", "acme.Machine.__init__", "speed"),
        ("unresolved-attribute", "acme.part.Part.turn", None),
        ("unresolved-attribute", "acme.Reader.lines", None),
        ("unresolved-attribute", "acme.Writer.rows", None),
    }
    defaults = {finding.symbol: finding.notes for finding in report.findings if "unless" in "".join(finding.notes)}
    assert defaults == {
        "acme.Reader.lines": ("this is so by default, unless `ACME_PAGES` is set",),
        "acme.Writer.rows": ("this is so by default, unless `ACME_COLUMNS` is set",),
    }
    return told(report)


def told(report: Report) -> dict[str, Any]:
    """A report but for how long it took, and what was in the store."""
    found: dict[str, Any] = msgspec.to_builtins(report)
    for name in ("seconds", "modules_parsed", "traffic_bytes", "requests"):
        del found["stats"][name]
    return found


@pytest.fixture
def examined_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two helpers for any consumer, and the files that this process examines, slowly, beside them."""
    monkeypatch.setattr(examining, "_ALONE", 0)
    monkeypatch.setattr(examining, "_BATCH", 1)
    monkeypatch.setattr(pool, "spare_cores", lambda: 2)
    here: list[str] = []
    examined = Audit.examined

    def slowly(self: Audit, analysis: Any) -> Any:
        here.append(analysis.path)
        time.sleep(0.2)
        return examined(self, analysis)

    monkeypatch.setattr(Audit, "examined", slowly)
    return here


def test_helpers_find_what_one_process_finds(options, alone, examined_here):
    assert told(scan(options)) == alone
    assert 0 < len(examined_here) < FILES


def test_what_helpers_cannot_open_is_examined_here(options, alone, examined_here, monkeypatch):
    releases = examining._releases
    monkeypatch.setattr(examining, "_releases", lambda pairs: (*releases(pairs), ("other",)))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert told(scan(options)) == alone
    assert len(examined_here) == FILES + 1


def test_without_a_store_on_disk_nobody_helps(options, alone, examined_here, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(pool, "spread", None)
    assert told(scan(msgspec.structs.replace(options, cache_dir=tmp_path / "file"))) == alone
    assert len(examined_here) == FILES + 1


def test_helpers_know_when_the_consumer_was_published(options):
    sources = from_paths([Path(options.consumers[0])])
    sources.published = lambda: datetime(2021, 1, 1, tzinfo=timezone.utc)
    shipped = setting_of(options, sources).consumer
    assert shipped is not None
    assert shipped.sources().published() == sources.published()
