"""A matrix over many releases is the same wherever its audits run, and survives being killed at any moment."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from packages.making import publish

from auditor import pool
from auditor.errors import AuditError
from auditor.matrix import fits, matrix, spreading
from auditor.options import Options

RELEASES = 24


@pytest.fixture
def options(tmp_path: Path) -> Options:
    for number in range(RELEASES):
        signature = "a, b=0" if number < 9 else "a"
        body = {"acme/__init__.py": f"def run({signature}): ...\n", "acme/other.py": f"x = {number // 4}\n"}
        publish(tmp_path / "index", "acme", f"1.{number}", body)
    for version, call in (("0.1", "run(1, b=2)"), ("0.2", "run(1)"), ("0.3", "run(1, b=3)")):
        publish(tmp_path / "index", "shop", version, {"shop/__init__.py": f"import acme\nacme.{call}\n"}, "acme==1.0")
    consumer = tmp_path / "app"
    consumer.mkdir()
    (consumer / "main.py").write_text("import acme\nimport acme.other\n\nacme.run(1, b=2)\n", encoding="utf-8")
    return Options(
        consumers=(str(consumer),),
        against=("acme",),
        from_=("acme==1.0",),
        index_url=str(tmp_path / "index"),
        cache_dir=tmp_path / "cache",
    )


def told(options: Options, **more: object) -> tuple[object, ...]:
    table = matrix(options, **more)
    findings = [[(f.id, f.message) for f in column.findings] for column in table.columns]
    return [c.release for c in table.columns], findings, [(row.id, row.first, row.states) for row in table.rows]


@pytest.fixture
def alone(options: Options, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    """The table as one process finds it."""
    with monkeypatch.context() as patched:
        patched.setattr(spreading, "spare_cores", lambda: 0)
        found = told(replace(options, cache_dir=options.cache_dir.with_name("alone")))
    assert [row[1] for row in found[2]] == ["1.9"]
    return found


def test_processes_share_a_table(options, alone, monkeypatch):
    started: list[object] = []
    start = pool._Helper.start
    monkeypatch.setattr(spreading, "spare_cores", lambda: 2)
    monkeypatch.setattr(pool._Helper, "start", lambda *given: started.append(1) or start(*given))
    assert told(options) == alone
    assert len(started) == 2
    assert told(options) == alone
    assert len(started) == 2  # nothing was left to share


def test_a_cluster_shares_a_table(options, alone, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        assert told(options, engine="ray") == alone
        best = fits(replace(options, consumers=("shop",), against=("acme==1.20",), from_=()), engine="ray")
        assert best.best == "0.2"
    finally:
        ray.shutdown()


def test_without_ray_it_is_said_what_to_install(options, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(AuditError, match="Ray is not installed") as caught:
        told(options, engine="ray")
    assert "api-audit[ray]" in str(caught.value.hint)


class FakeRay:
    """A cluster that cannot be reached, or loses what it is given."""

    class exceptions:
        class RayError(Exception):
            pass

    def __init__(self, connected: bool) -> None:
        self.connected = connected

    def is_initialized(self) -> bool:
        return self.connected

    def init(self, **_: object) -> None:
        raise ConnectionError("nobody is there")

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def put(self, value: object) -> object:
        return value

    def remote(self, function: object) -> FakeRay:
        self.remote = lambda *_: object()
        return self

    def wait(self, waiting: list[object]) -> tuple[list[object], list[object]]:
        return waiting[:1], waiting[1:]

    def get(self, done: list[object]) -> list[bytes]:
        raise self.exceptions.RayError("ray::_task() (pid=7)\n  a traceback\nModuleNotFoundError: no auditor")


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize(
    ("address", "connected", "said"),
    [
        ("auto", False, "auto: the Ray cluster does not answer: nobody is there"),
        (closed_port(), False, "the Ray cluster does not answer: [Errno"),
        (f"ray://{closed_port()}", False, "the Ray cluster does not answer: [Errno"),
        ("auto", True, "the Ray cluster lost an audit: ModuleNotFoundError: no auditor."),
    ],
    ids=["no cluster", "closed port", "closed client port", "lost"],
)
def test_what_a_cluster_fails_at_is_one_line(options, monkeypatch, address, connected, said):
    monkeypatch.setitem(sys.modules, "ray", FakeRay(connected))
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(AuditError) as caught:
        told(options, engine="ray")
    assert said in str(caught.value)


def test_versions_of_a_consumer_are_spread(options, monkeypatch):
    monkeypatch.setattr(spreading, "spare_cores", lambda: 1)
    found = fits(replace(options, consumers=("shop",), against=("acme==1.20",), from_=()))
    assert [(fit.version, fit.errors) for fit in found.versions] == [("0.1", 1), ("0.2", 0), ("0.3", 1)]
    assert found.best == "0.2"


def test_a_killed_run_goes_on_where_it_was(options, alone):
    store = options.cache_dir / "store" / "store.sqlite"
    command = [sys.executable, "-m", "auditor", "matrix", options.consumers[0], "--against", "acme", "--from"]
    command += ["acme==1.0", "--index-url", options.index_url, "--isolated", "-qq", "--output-format", "json"]
    environment = {**os.environ, "API_AUDIT_CACHE_DIR": str(options.cache_dir)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    while not (kept := _kept(store)) and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert 0 < kept <= _kept(store) < RELEASES
    kept = _kept(store)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    table = json.loads(done.stdout)
    assert kept <= table["stats"]["releases_kept"] < RELEASES
    assert told(options) == alone


def _kept(store: Path) -> int:
    if not store.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM record WHERE kind = 'matrix'").fetchone()[0]
    except sqlite3.OperationalError:  # not created yet
        return 0
