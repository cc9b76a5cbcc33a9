"""The replicas on a local Ray cluster; skipped, loudly, where the extra `ray` is not installed."""

from __future__ import annotations

import importlib.util

import pytest
from runner.test_extract import arguments, contents, gone, manifest

__all__ = ["arguments"]
without = importlib.util.find_spec("ray") is None


@pytest.mark.skipif(not without, reason="Ray is installed")
def test_without_ray_the_extra_is_named(arguments, run, tmp_path):
    code, _, err = run(*arguments, "--out", str(tmp_path / "out"), "--engine", "ray")
    assert code == 2
    assert "pip install 'api-audit[ray]'" in err


@pytest.mark.skipif(without, reason="the extra `ray` is not installed")
@pytest.mark.filterwarnings("ignore")
class TestRay:
    def test_a_cluster_writes_the_same_bytes(self, arguments, run, tmp_path):
        assert run(*arguments, "--out", str(tmp_path / "one"))[0] == 0
        code, _, err = run(*arguments, "--out", str(tmp_path / "ray"), "--engine", "ray", "--replicas", "2")
        assert code == 0, err
        assert contents(tmp_path / "ray") == contents(tmp_path / "one")
        assert manifest(tmp_path / "ray")["runs"][-1]["replicas"] == 2

    def test_a_failing_replica_ends_all(self, arguments, run, tmp_path, monkeypatch):
        monkeypatch.setenv("FAKE_TROUBLE", "nan")
        out = tmp_path / "out"
        code, _, err = run(*arguments, "--out", str(out), "--engine", "ray", "--replicas", "2", "-q")
        assert code == 2
        assert "A sample is not right: sample 6 (id p6)" in err.strip().splitlines()[-1]
        assert gone(out)
        monkeypatch.delenv("FAKE_TROUBLE")
        assert run(*arguments, "--out", str(out), "--engine", "ray", "--replicas", "2")[0] == 0
        assert len(contents(out)) == 12
