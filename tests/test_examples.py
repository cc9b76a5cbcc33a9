"""The examples run: the API script, the rule pack, and the scripts inside the Action and the GitLab job."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from auditor.__main__ import main

ROOT = Path(__file__).parent.parent
PACK = ROOT / "examples" / "rule-pack"
SIDES = ["--from", str(PACK / "provider-old"), "--against", str(PACK / "provider-new"), "--offline", "--isolated"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("API_AUDIT_CACHE_DIR", str(tmp_path / "store"))
    return tmp_path


def yaml(path: Path):
    return YAML(typ="safe", pure=True).load(path)


def test_the_rule_pack_finds_what_it_says(capsys):
    words = ["scan", str(PACK / "consumer"), *SIDES, "--rules", str(PACK / "acme"), "--output-format", "json"]
    assert main([*words, "--no-patches"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    lines = (PACK / "consumer" / "app.py").read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# expect[flush-before-close]" in line]
    assert [finding["line"]] == marked
    assert finding["rule"] == "flush-before-close"


def test_the_rule_packs_patch_repairs_it(tmp_path, capsys):
    shutil.copytree(PACK / "consumer", tmp_path / "app")
    rules = ["--rules", str(PACK / "acme")]
    assert main(["scan", "app", *SIDES, *rules, "--patch-dir", "patches"]) == 1
    (patches,) = (tmp_path / "patches").iterdir()
    assert main(["apply", str(patches), "--to", "app"]) == 0
    assert "    writer.flush()\n    writer.close()  # expect" in (tmp_path / "app" / "app.py").read_text("utf-8")
    assert main(["scan", "app", *SIDES, *rules, "--no-patches"]) == 0


def test_without_the_pack_nothing_is_found():
    assert main(["scan", str(PACK / "consumer"), *SIDES, "--no-patches"]) == 0


def test_the_api_script_runs(tmp_path):
    (tmp_path / "app.py").write_text("from lib import gone\n", encoding="utf-8")
    for name, source in (("old", "gone = 1\n"), ("new", "")):
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "lib" / "__init__.py").write_text(source, encoding="utf-8")
    script = [sys.executable, str(ROOT / "examples" / "python_api.py")]
    done = subprocess.run([*script, "app.py", "./new", "./old"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("app.py\n  line 1: ")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a finding, whose `api-audit` and `pip` are a wrapper around this one and nothing at all."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.py").write_text("from lib import gone\n", encoding="utf-8")
    for name, source in (("old", "gone = 1\n"), ("new", "")):
        (folder / name / "lib").mkdir(parents=True)
        (folder / name / "lib" / "__init__.py").write_text(source, encoding="utf-8")
    programs = tmp_path / "api-audit" / "bin"
    programs.mkdir(parents=True)
    for name, script in (("api-audit", f'exec {sys.executable} -m auditor "$@"'), ("pip", "exit 0")):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    return folder


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    programs = folder.parent / "api-audit" / "bin"
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **variables}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]  # as GitHub's runner does
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def step(name: str) -> dict:
    return next(step for step in yaml(ROOT / "action.yml")["runs"]["steps"] if step.get("name") == name)


def audited(project: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Path]]:
    files = {name: project.parent / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    given = {"CONSUMER": "app.py", "AGAINST": "./new", "FROM": "./old", "ARGUMENTS": "--offline", **inputs}
    assert set(given) < set(step("audit")["env"])
    variables = {name: str(path) for name, path in files.items()}
    return shell(step("audit")["run"], project, RUNNER_TEMP=str(project.parent), **given, **variables), files


def test_the_actions_audit_uploads_annotates_and_sums_up(project):
    done, files = audited(project)
    assert done.returncode == 0, done.stderr
    assert files["GITHUB_OUTPUT"].read_text("utf-8") == "exit-code=1\n"
    assert files["GITHUB_STEP_SUMMARY"].read_text("utf-8").startswith("### api-audit: ")
    assert "::error " in done.stdout
    (run,) = json.loads((project.parent / "api-audit.sarif").read_text("utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["unresolved-import"]
    assert shell(step("verdict")["run"], project, CODE="1").returncode == 1
    assert shell(step("verdict")["run"], project, CODE="0").returncode == 0


def test_the_action_fails_where_the_audit_does(project):
    done, files = audited(project, AGAINST="./nowhere")
    assert done.returncode == 2
    assert files["GITHUB_OUTPUT"].read_text("utf-8") == "exit-code=2\n"


def test_what_is_given_to_the_action_is_never_run(project):
    done, _ = audited(project, CONSUMER="$(touch pwned)`touch pwned`; touch pwned", ARGUMENTS="--offline\n--strict")
    assert done.returncode == 2
    assert not (project / "pwned").exists()
    for one in yaml(ROOT / "action.yml")["runs"]["steps"]:
        assert "${{" not in one.get("run", "")


def test_the_gitlab_job_writes_both_reports(project):
    settings = '[tool.api-audit]\nagainst = ["./new"]\nfrom = ["./old"]\nexclude = ["old/*", "new/*"]\noffline = true\n'
    (project / "pyproject.toml").write_text(settings, encoding="utf-8")
    job = yaml(ROOT / "examples" / "gitlab-ci.yml")["api-audit"]
    done = shell("\n".join(job["script"]), project, API_AUDIT_SOURCE="x")
    assert done.returncode == 0, done.stderr
    reports = job["artifacts"]["reports"]
    (issue,) = json.loads((project / reports["codequality"]).read_text("utf-8"))
    assert issue["check_name"] == "unresolved-import"
    assert "<testsuite" in (project / reports["junit"]).read_text("utf-8")


def test_the_action_comments_on_the_pull_request(project):
    """`gh` stands for GitHub's own program here: what it is asked for is what counts."""
    gh = project.parent / "api-audit" / "bin" / "gh"
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$RUNNER_TEMP/asked"\n', encoding="utf-8")
    gh.chmod(0o755)
    assert audited(project)[0].returncode == 0
    given = {"NUMBER": "7", "GITHUB_REPOSITORY": "o/r", "GH_TOKEN": "x", "RUNNER_TEMP": str(project.parent)}
    assert shell(step("comment")["run"], project, **given).returncode == 0
    asked = (project.parent / "asked").read_text("utf-8").split("\n")
    assert asked[:5] == ["pr", "comment", "7", "--repo", "o/r"]
    body = Path(asked[asked.index("--body-file") + 1])
    assert body.read_text("utf-8").startswith("### api-audit: ")


FAKES = {
    "torch/__init__.py": "class cuda:\n    @staticmethod\n    def is_available():\n        return True\n",
    "speculators/__init__.py": "",
    "speculators/data_generation/__init__.py": "",
    "speculators/data_generation/vllm_hidden_states_generator.py": """
class State:
    def __init__(self, value):
        self.value = value

    def float(self):
        return self

    def norm(self, dim):
        return self

    def mean(self):
        return self.value


class VllmHiddenStatesGenerator:
    def __init__(self, model, layer_ids, max_model_len):
        self.model, self.layers, self.executor = model, layer_ids, self

    def generate(self, prompts):
        return [{"hidden_states": [State(layer * len(prompt)) for layer in self.layers]} for prompt in prompts]

    def shutdown(self):
        print("shut down")
""",
}


def test_the_runner_job_runs_its_share(tmp_path):
    """The job as the runner starts it, over stand-ins for the target environment's packages."""
    for path, text in FAKES.items():
        (tmp_path / "env" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "env" / path).write_text(text, encoding="utf-8")
    prompts = [{"id": f"p{number}", "input_ids": list(range(number + 1))} for number in range(5)]
    (tmp_path / "prompts.jsonl").write_text("\n".join(map(json.dumps, prompts)), encoding="utf-8")
    (tmp_path / "out").mkdir()
    words = [sys.executable, str(ROOT / "examples" / "runner-job" / "norms.py"), "--model", "m", "--layers", "2,30"]
    words += ["--data", "prompts.jsonl", "--out", "out", "--events", "events", "--replica", "1/2"]
    path = os.pathsep.join([str(tmp_path / "env"), str(ROOT)])
    done = subprocess.run(
        words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "shut down\n"), done.stderr
    written = (tmp_path / "out" / "norms-1.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in written] == [
        {"id": "p1", "norms": [4, 60]},
        {"id": "p3", "norms": [8, 120]},
    ]
    assert not list((tmp_path / "out").glob("*.draft"))
    told = [json.loads(line) for line in (tmp_path / "events").read_text("utf-8").splitlines()]
    assert [event["event"] for event in told] == ["ready", "sample", "sample", "done"]
