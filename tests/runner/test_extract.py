"""Extraction with a fake engine: resuming, checking, failing, ending; the real one is in the lane `vllm`."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from runner.fakes import NAME, lay
from runner.making import make

from auditor.model import Patch, Proof
from auditor.patches import hunks
from auditor.patches.series import PatchSet
from auditor.patches.writer import write_set
from auditor.runner import jobs
from auditor.runner.progress import amount, clock


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command line of an extraction of 12 prompts, less --out."""
    make(tmp_path)
    site = tmp_path / "site"
    lay(site)
    before = (site / NAME).read_bytes()
    after = before + b"# patched\n"
    patch = Patch("010-a.patch", "a", "safe", "why", ("lib.f",), (hunks.make(NAME, before, after),), (Proof("p", "q"),))
    patches = write_set(tmp_path / "p", "speculators", PatchSet("speculators", "0.3.0", ("lib 1 -> 2",), (patch,)))
    audit = json.loads((tmp_path / "patches" / "app-1.0--lib-2.0" / "audit.json").read_text())
    audit |= {"findings": [], "call_sites": []}
    (patches / "audit.json").write_text(json.dumps(audit))
    data = tmp_path / "prompts.jsonl"
    lines = [{"id": f"p{n}", "input_ids": [n + 1] * (1 + n * 7 % 20)} for n in range(12)]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"vocab_size": 100}')
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    given = ["--python", sys.executable, "--patches", str(patches), "--model", str(model), "--data", str(data)]
    size = ["--max-length", "20", "--batch-tokens", "40", "--layers", "1,3", "--pipeline", "plain"]
    return ["extract", *given, *size, "--no-preflight"]


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("data_*.pt")}


def manifest(out: Path) -> dict:
    return json.loads((out / "manifest.json").read_text())


def test_every_prompt_becomes_a_sample(arguments, run, tmp_path):
    code, out, err = run(*arguments, "--out", str(tmp_path / "out"))
    assert code == 0, err
    found = contents(tmp_path / "out")
    assert set(found) == {f"data_{n}.pt" for n in range(12)}
    for n in range(12):
        sample = pickle.loads(found[f"data_{n}.pt"])
        assert sample["input_ids"] == [n + 1] * (1 + n * 7 % 20)
        assert sample["loss_mask"] == [1] * len(sample["input_ids"])
        assert [len(state) for state in sample["hidden_states"]] == [len(sample["input_ids"])] * 2
    assert "12 samples" in out
    assert "the model waited 50.0% of the time" in out
    book = manifest(tmp_path / "out")
    assert (book["state"], book["samples"], book["settings"]["layers"]) == ("complete", 12, [1, 3])
    assert book["patches"][0]["sha256"]
    assert book["form"] == {"dtype": "torch.bfloat16", "width": 2, "layers": 2}


def test_nothing_in_the_output_but_samples_ends_as_samples_do(arguments, run, tmp_path):
    run(*arguments, "--out", str(tmp_path / "out"))
    others = [p.name for p in (tmp_path / "out").rglob("*") if p.is_file() and not p.name.startswith("data_")]
    assert others
    assert not [name for name in others if name.endswith("pt")]  # the loader's own test, which is not about suffixes


def test_a_finished_run_starts_no_engine(arguments, run, tmp_path):
    run(*arguments, "--out", str(tmp_path / "out"))
    (tmp_path / "log").write_text("")
    code, _, err = run(*arguments, "--out", str(tmp_path / "out"))
    assert code == 0
    assert "12 of 12 samples are there already" in err
    assert manifest(tmp_path / "out")["form"]["width"] == 2
    assert manifest(tmp_path / "out")["state"] == "complete"
    assert (tmp_path / "log").read_text() == ""


def test_missing_samples_come_back_with_the_same_bytes(arguments, run, tmp_path):
    out = tmp_path / "out"
    run(*arguments, "--out", str(out))
    whole = contents(out)
    for name in ("data_0.pt", "data_5.pt", "data_11.pt"):
        (out / name).unlink()
    (out / ".data_5.pt.17.draft").write_bytes(b"half")
    code, _, err = run(*arguments, "--out", str(out))
    assert code == 0
    assert "goes on: 9 of 12" in err
    assert contents(out) == whole
    assert not list(out.glob(".data*"))


def test_replicas_share_the_prompts(arguments, run, tmp_path):
    run(*arguments, "--out", str(tmp_path / "one"))
    code, _, err = run(*arguments, "--out", str(tmp_path / "two"), "--replicas", "3")
    assert code == 0, err
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    assert manifest(tmp_path / "two")["runs"][-1]["replicas"] == 3


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("nan", "A sample is not right: sample 6 (id p6): layer 0 of those asked for is not finite"),
        ("short", "sample 6 (id p6): layer 0 has shape [2, 2] for 3 tokens"),
        ("fewer", "results came for a batch of"),
        ("swap", "its result holds other tokens than were asked for"),
        ("memory", "Out of memory: Worker failed with error 'CUDA out of memory. Tried'"),
        ("worker", "A worker ended: Executor failed."),
        ("kill", "The job was killed (SIGKILL)"),
    ],
)
def test_what_goes_wrong_is_told_in_a_line_and_can_be_resumed(arguments, run, tmp_path, monkeypatch, trouble, told):
    out = tmp_path / "out"
    monkeypatch.setenv("FAKE_TROUBLE", trouble)
    code, _, err = run(*arguments, "--out", str(out), "-q")
    assert code == 2
    last = err.strip().splitlines()[-1]
    assert told in last, err
    assert "data_6.pt" not in contents(out)
    assert manifest(out)["state"] == "partial"
    assert manifest(out)["runs"][-1]["state"] == "failed"
    monkeypatch.delenv("FAKE_TROUBLE")
    assert run(*arguments, "--out", str(out))[0] == 0
    assert len(contents(out)) == 12
    engines = (tmp_path / "log").read_text().split()
    assert engines.count("start") - engines.count("shutdown") == (trouble == "kill")


LOG = """
=== earlier command
(Worker pid=7) ERROR 11-30 01:51:33 [a.py:1] ValueError: of an earlier start
=== command
INFO 11-30 01:51:30 [b.py:2] starting
(Worker pid=8) ERROR 11-30 01:51:33 [c.py:3] Traceback (most recent call last):
(Worker pid=8) ERROR 11-30 01:51:33 [c.py:3] {raised}
RuntimeError: Executor failed.
"""


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("torch.OutOfMemoryError: CUDA out of memory", "Out of memory: torch.OutOfMemoryError: CUDA out of memory"),
        ("KeyError: 'x'", "A worker ended: Executor failed. Its log names KeyError: 'x'"),
        ("all is well", "A worker ended: Executor failed"),
    ],
)
def test_the_log_tells_why_a_worker_ended(tmp_path, raised, told):
    log = tmp_path / "log"
    log.write_text(LOG.replace("{raised}", raised))
    job = jobs.Listened(0, log, tmp_path / "events")
    job.failure = {"kind": "worker", "message": "Executor failed."}
    assert jobs.ended_early(job, 3).what == told


def test_another_run_is_refused(arguments, run, tmp_path):
    out = str(tmp_path / "out")
    run(*arguments, "--out", out)
    code, _, err = run(*arguments, "--out", out, "--layers", "1,2")
    assert code == 2
    assert "It holds another run" in err
    assert "Choose another --out" in err


def test_foreign_samples_are_not_taken_for_ours(arguments, run, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "data_0.pt").write_bytes(b"")
    code, _, err = run(*arguments, "--out", str(out))
    assert code == 2
    assert "no run of this program has begun" in err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"input_ids": []}', "prompt 0 (id 1) has no tokens"),
        ('{"id": "x", "input_ids": [5, 100]}', "prompt 0 (id x) holds a token outside the model's vocabulary of 100"),
        ('{"input_ids": [5], "loss_mask": [1, 0]}', "1 tokens and a loss mask of 2"),
        ('{"input": 3}', "line 1 has neither"),
        ("[1]", "line 1 is not a JSON object"),
        ("", "there are no prompts in it"),
    ],
)
def test_prompts_that_cannot_be_used_are_told_before_anything_starts(arguments, run, tmp_path, line, told):
    (tmp_path / "prompts.jsonl").write_text(line + "\n")
    code, _, err = run(*arguments, "--out", str(tmp_path / "out"))
    assert code == 2
    assert told in err
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--layers", "3,1"], "Layers must ascend"),
        (["--layers", "a"], "no list of layer numbers"),
        (["--max-length", "50"], "does not fit into --batch-tokens 40"),
        (["--data", "/none"], "There is no such file of prompts"),
        (["--job", "/none.py"], "There is no such job"),
    ],
)
def test_settings_that_cannot_work_are_refused(arguments, run, tmp_path, options, told):
    code, _, err = run(*arguments, "--out", str(tmp_path / "out"), *options)
    assert code == 2
    assert told in err
    assert not (tmp_path / "out").exists()


def test_long_prompts_are_cut_and_counted(arguments, run, tmp_path):
    code, _, _ = run(*arguments, "--out", str(tmp_path / "out"), "--max-length", "4")
    assert code == 0
    book = manifest(tmp_path / "out")
    assert (book["longest"], book["cut"]) == (4, 8)


def started(arguments: list[str], out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "auditor.runner", *arguments, "--out", str(out)]
    root = Path(__file__).parent.parent.parent
    environment = os.environ | {"FAKE_SLOW": "0.7", "PYTHONPATH": f"{os.environ['PYTHONPATH']}{os.pathsep}{root}"}
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def until(out: Path, count: int) -> None:
    deadline = time.monotonic() + 30
    while len(list(out.glob("data_*.pt"))) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def running(out: Path) -> list[int]:
    """Processes that work on this folder."""
    return [int(process.name) for process in Path("/proc").iterdir() if str(out).encode() in command_line(process)]


def command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def gone(out: Path) -> bool:
    deadline = time.monotonic() + 10
    while running(out) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(out)


def test_kills_lose_and_repeat_nothing(arguments, run, tmp_path):
    run(*arguments, "--out", str(tmp_path / "whole"))
    out = tmp_path / "out"
    for count in (1, 6, 9):
        process = started(arguments, out)
        until(out, count)
        process.kill()
        process.communicate()
        assert gone(out), "the job outlives a killed runner"
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("data_*.pt")}
    assert run(*arguments, "--out", str(out))[0] == 0
    assert contents(out) == contents(tmp_path / "whole")
    assert [r["state"] for r in manifest(out)["runs"]] == ["killed", "killed", "killed", "complete"]
    assert len(before) < 12


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C reaches what is started here; what a shell starts in the background is deaf to it, with its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_its_engine_and_says_so(arguments, tmp_path, number):
    out = tmp_path / "out"
    process = started(arguments, out)
    until(out, 2)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "the same command resumes" in err
    assert gone(out)
    assert manifest(out)["runs"][-1]["state"] == "interrupted"
    assert (tmp_path / "log").read_text().split() == ["start", "shutdown"]


def test_two_runs_do_not_share_a_folder(arguments, run, tmp_path):
    out = tmp_path / "out"
    process = started(arguments, out)
    until(out, 1)
    code, _, err = run(*arguments, "--out", str(out))
    process.terminate()
    process.communicate()
    assert code == 2
    assert "Another run is at work there" in err


JOB = """
import argparse, json, os, pathlib, sys
parser = argparse.ArgumentParser()
for name in ("model", "out", "events", "replica", "data", "layers", "word"): parser.add_argument("--" + name)
given = parser.parse_args()
import speculators.data_generation.vllm_hidden_states_generator as module
assert module.__file__.startswith(os.environ["API_AUDIT_OVERLAY"])
pathlib.Path(given.out, "answer.txt").write_text(given.word + pathlib.Path(module.__file__).read_text()[-10:])
"""


def test_a_job_of_ones_own_runs_in_the_same_overlay(arguments, run, tmp_path):
    job = tmp_path / "jobs" / "job.py"
    job.parent.mkdir()
    job.write_text(JOB)
    own = ["--job", str(job), "--job-argument=--word", "--job-argument", "hello"]
    code, _, err = run(*arguments, "--out", str(tmp_path / "out"), *own)
    assert code == 0, err
    assert (tmp_path / "out" / "answer.txt").read_text() == "hello# patched\n"
    job.write_text("import sys; sys.exit('no luck')")
    code, _, err = run(*arguments, "--out", str(tmp_path / "out2"), *own)
    assert code == 2
    assert "The job ended with 1: no luck" in err
    (job.parent / "speculators").mkdir()
    code, _, err = run(*arguments, "--out", str(tmp_path / "out3"), *own)
    assert code == 2
    assert "It would hide the patched package" in err


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (950, "950"), (5200, "5.2k"), (1.3e6, "1.3M")])
def test_amounts(value, text):
    assert amount(value) == text


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (41, "0:41"), (61.4, "1:01"), (3723, "1:02:03")])
def test_clock(seconds, text):
    assert clock(seconds) == text
