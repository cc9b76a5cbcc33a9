"""Whatever lies in a consumer or a provider: an entry for that file, and the rest is audited as ever."""

from __future__ import annotations

import json
from pathlib import Path

from trust.hostile_sources import HOSTILE, READABLE, UNREADABLE, raw

from auditor.__main__ import main

OLD = "def f(x): ...\nclass Base: ...\n"
NEW = "def f(): ...\nclass Base: ...\n"


def plant(folder: Path, files: dict[str, bytes | str]) -> Path:
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw(source))
    return folder


def audited(capfd, tmp_path: Path, consumer: Path, old: Path, new: Path) -> dict:
    sides = ("--from", f"lib @ {old}", "--against", f"lib @ {new}", "--isolated", "--offline")
    places = ("--cache-dir", str(tmp_path / "cache"), "--patch-dir", str(tmp_path / "patches"))
    code = main(["scan", str(consumer), *sides, *places, "--output-format", "json"])
    out, err = capfd.readouterr()
    assert code == 1, err
    assert "internal error" not in err
    return json.loads(out)


def test_in_a_consumer(tmp_path, capfd, record_property):
    """Read, and then taken from the store."""
    consumer = plant(tmp_path / "consumer", {f"app/{name}.py": source for name, source in HOSTILE.items()})
    plant(consumer, {"app/__init__.py": "", "app/fine.py": "import lib\nlib.f(1)\n"})
    # each of them uses the provider, so that each of them must be looked at
    for name in HOSTILE:
        path = consumer / f"app/{name}.py"
        path.write_bytes(path.read_bytes() + b"\nimport lib\nlib.f(1)\n")
    old, new = plant(tmp_path / "old", {"lib/__init__.py": OLD}), plant(tmp_path / "new", {"lib/__init__.py": NEW})
    for _ in range(2):
        report = audited(capfd, tmp_path, consumer, old, new)
        broken = {problem["path"] for problem in report["problems"]}
        found = {finding["path"] for finding in report["findings"]}
        assert "app/fine.py" in found
        assert {f"app/{name}.py" for name in UNREADABLE} <= broken
        assert found | broken >= {f"app/{name}.py" for name in HOSTILE}
    assert len(found) > len(READABLE) // 2
    record_property("inputs", len(HOSTILE))


def test_in_a_provider(tmp_path, capfd, record_property):
    names = sorted(HOSTILE)
    taken = "".join(f"import lib.{name}\nfrom lib.{name} import *\n" for name in names)
    sides = [
        plant(
            tmp_path / side,
            {"lib/__init__.py": source + taken, **{f"lib/{name}.py": text for name, text in HOSTILE.items()}},
        )
        for side, source in (("old", OLD), ("new", NEW))
    ]
    uses = {
        f"app/use_{name}.py": f"""
            import lib, lib.{name} as m
            from lib.{name} import *
            lib.f(1)
            m.x, m.a.b, m.A().foo(1), m.f(1, a=2).foo, m.A60().foo, m.a60.x, m.f60(1).x, m.C1000(1).x, m.f500().x
            m.A0, m.k7, m.value_3, m.J, m.K, m.M, m.B(1)
            class One(m.C1000):
                def foo(self): return self.bar(1)
            class Two(m.A):
                def foo(self): return super().foo(1)
            One().foo(1), Two().foo(2)
            """.replace("\n            ", "\n")
        for name in names
    }
    consumer = plant(tmp_path / "consumer", {"app/__init__.py": "", **uses})
    report = audited(capfd, tmp_path, consumer, *sides)
    found = {(finding["path"], finding["symbol"]) for finding in report["findings"]}
    assert found >= {(f"app/use_{name}.py", "lib.f") for name in names}
    assert {symbol for _, symbol in found} == {"lib.f"}
    record_property("inputs", len(HOSTILE))
