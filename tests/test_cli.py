"""The command line over a pipeline that answers at once: exit codes, streams, settings and typos."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from formats.sample import CLEAN, REPORT

from auditor import __version__
from auditor.__main__ import main
from auditor.errors import PackageIndexError
from auditor.model import Report
from auditor.options import Options
from auditor.suppressions import applied


class Pipeline:
    """Stands in for `auditor.scan`: remembers its options, and fails as told or finds what it is told to find."""

    def __init__(self):
        self.options = None
        self.answer: Report | BaseException = REPORT

    def scan(self, options):
        self.options = options
        if isinstance(self.answer, BaseException):
            raise self.answer
        findings, unused = applied(self.answer.findings, self.answer.sources)
        problems = (*self.answer.problems, *(comment.unused for comment in unused))
        return options.triage(msgspec.structs.replace(self.answer, findings=findings, problems=problems))


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    pipeline = Pipeline()
    import_module("auditor.ranges")  # it builds on the real one
    module = ModuleType("auditor.scan")
    module.scan = pipeline.scan
    module.Options = Options
    monkeypatch.setitem(sys.modules, "auditor.scan", module)
    monkeypatch.delitem(sys.modules, "auditor.cli.audit", raising=False)
    yield pipeline
    sys.modules.pop("auditor.cli.audit", None)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def scan(*arguments: str) -> int:
    return main(["scan", "app", *arguments])


AGAINST = ("--against", "acme==0.16")


def test_findings_exit_1_report_on_stdout_summary_on_stderr(pipeline, capsys):
    assert scan(*AGAINST) == 1
    out, err = capsys.readouterr()
    assert out.startswith("app 1.2: acme 0.11.0 -> 0.16.0\n")
    assert "1 error, 1 warning, 1 note in 48 files (1 fixable); 1 not audited" in err
    assert "api-audit apply generated_patches/app-1.2--acme-0.16.0 --to PATH" in err


def test_clean_exits_0(pipeline, capsys):
    pipeline.answer = CLEAN
    assert scan(*AGAINST) == 0
    assert "No drift" in capsys.readouterr().err


def test_notes_alone_exit_0_unless_strict(pipeline):
    notes = tuple(finding for finding in REPORT.findings if finding.severity == "info")
    pipeline.answer = msgspec.structs.replace(CLEAN, findings=notes)
    assert scan(*AGAINST) == 0
    assert scan(*AGAINST, "--strict") == 1


def test_exit_zero_hides_findings_but_no_failure(pipeline):
    assert scan(*AGAINST, "-e") == 0
    pipeline.answer = PackageIndexError("the index cannot be reached")
    assert scan(*AGAINST, "-e") == 2


def test_json_owns_stdout(pipeline, capsys):
    assert scan(*AGAINST, "--output-format", "json") == 1
    out = capsys.readouterr().out
    assert len(json.loads(out)["findings"]) == 3
    pipeline.answer = PackageIndexError("down")
    assert scan(*AGAINST, "--output-format", "json") == 2
    assert capsys.readouterr().out == ""


def test_an_anticipated_failure_is_one_line(pipeline, capsys):
    pipeline.answer = PackageIndexError("no\nanswer", where="https://x", hint="Try --offline")
    assert scan(*AGAINST) == 2
    assert capsys.readouterr().err == "api-audit: error: https://x: no answer. Try --offline\n"


def test_a_bug_exits_2_and_keeps_its_traceback(pipeline, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pipeline.answer = KeyError("oops")
    assert scan(*AGAINST) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "internal error: KeyError: 'oops'" in err
    (crash,) = tmp_path.glob("api-audit-crash-*.txt")
    assert str(crash) in err
    assert "Traceback" in crash.read_text()


def test_ctrl_c_exits_130(pipeline):
    pipeline.answer = KeyboardInterrupt()
    assert scan(*AGAINST) == 130


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scna"], "Did you mean `scan`?"),
        (["scan", "app", "--agianst", "x"], "--against"),
        (["scan", "app", "--against", "x", "--output-format", "jsno"], "Did you mean `json`?"),
        (["scan", "app"], "--against"),
        (["scan", "app", "--against", "x", "--select", "mising-argument"], "Did you mean `missing-argument`"),
        (["scan", "app", "--against", "x", "--ignore", "zzz"], "api-audit rules"),
        (["--nonsense"], "--nonsense"),
        ([], "Usage"),
    ],
)
def test_bad_usage_exits_2_and_says_what_was_meant(arguments, said, capsys, pipeline):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


@pytest.mark.parametrize("flag", ["-h", "--help", "-V", "--version"])
def test_asking_about_the_program_exits_0(flag, capsys):
    assert main([flag]) == 0
    assert capsys.readouterr().out


def test_version(capsys):
    main(["-V"])
    assert __version__ in capsys.readouterr().out


def test_options_reach_the_pipeline(pipeline):
    scan(*AGAINST, "--from", "acme==0.11", "--offline", "--exclude", "vendor/*", "--patch-dir", "out")
    options = pipeline.options
    assert options.consumers == ("app",)
    assert options.against == ("acme==0.16",)
    assert options.from_ == ("acme==0.11",)
    assert options.offline is True
    assert options.exclude == ("vendor/*",)
    assert options.patch_dir == Path("out")


def test_no_patches(pipeline):
    scan(*AGAINST, "--no-patches")
    assert pipeline.options.patch_dir is None


def test_flag_beats_environment_beats_file_beats_default(pipeline, tmp_path, monkeypatch):
    scan(*AGAINST)
    assert pipeline.options.index_url is None
    (tmp_path / "pyproject.toml").write_text('[tool.api-audit]\nagainst = "acme==1"\nindex-url = "https://file"\n')
    scan()
    assert (pipeline.options.index_url, pipeline.options.against) == ("https://file", ("acme==1",))
    monkeypatch.setenv("API_AUDIT_INDEX_URL", "https://environment")
    monkeypatch.setenv("API_AUDIT_AGAINST", "acme==2 other==3")
    scan()
    assert (pipeline.options.index_url, pipeline.options.against) == ("https://environment", ("acme==2", "other==3"))
    scan(*AGAINST, "--index-url", "https://flag")
    assert (pipeline.options.index_url, pipeline.options.against) == ("https://flag", ("acme==0.16",))


def test_isolated_and_config(pipeline, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.api-audit]\noffline = true\n")
    other = tmp_path / "other.toml"
    other.write_text('[tool.api-audit]\npatch-dir = "elsewhere"\n')
    scan(*AGAINST)
    assert pipeline.options.offline is True
    scan(*AGAINST, "--isolated")
    assert pipeline.options.offline is False
    scan(*AGAINST, "--config", str(other))
    assert pipeline.options.patch_dir == tmp_path / "elsewhere"


def test_the_consumers_own_file_counts(pipeline, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text('[tool.api-audit]\nagainst = "acme==9"\n')
    main(["scan", "project"])
    assert pipeline.options.against == ("acme==9",)


def test_an_unknown_key_is_refused(pipeline, tmp_path, capsys):
    (tmp_path / "pyproject.toml").write_text('[tool.api-audit]\nagianst = "acme"\n')
    assert scan() == 2
    err = capsys.readouterr().err
    assert "unknown key `agianst`" in err
    assert "Did you mean `against`?" in err


def test_show_settings(pipeline, tmp_path, capsys):
    (tmp_path / "pyproject.toml").write_text('[tool.api-audit]\nagainst = "acme==1"\n')
    assert scan("--show-settings", "--offline") == 0
    out = capsys.readouterr().out
    assert "against = ['acme==1']  # default map" in out
    assert "offline = True  # commandline" in out


def test_show_files(pipeline, capsys):
    scan(*AGAINST, "--show-files")
    assert capsys.readouterr().out == "app/odd.py\napp/run.py\napp/serve.py\n"
    assert pipeline.options.patch_dir is None


def test_diff_prints_the_patches_and_writes_nothing(pipeline, capsys, tmp_path):
    assert scan(*AGAINST, "--diff") == 1
    assert capsys.readouterr().out == REPORT.patches[0].files[0].diff
    assert not pipeline.options.patch_dir.exists()
    assert list(tmp_path.iterdir()) == []


def test_output_file(pipeline, tmp_path, capsys):
    file = tmp_path / "report.json"
    scan(*AGAINST, "--output-format", "json", "-o", str(file))
    assert capsys.readouterr().out == ""
    assert json.loads(file.read_text())["schema"] == 1
    assert scan(*AGAINST, "-o", str(tmp_path)) == 2


@pytest.mark.parametrize("command", ["scan", "matrix"])
def test_a_report_into_a_folder_that_does_not_exist_is_refused_at_once(command, tmp_path, capsys):
    assert main([command, "./app", *AGAINST, "-o", str(tmp_path / "deep" / "report.txt")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert not (tmp_path / "deep").exists()


@pytest.mark.parametrize("consumer", ["./nosuch.py", "src/nosuch", "/no/such/place", "../nosuch/"])
def test_a_path_that_does_not_exist_is_no_bad_specification(consumer, tmp_path, capsys):
    assert main(["scan", consumer, *AGAINST, "--offline", "--cache-dir", str(tmp_path / "cache")]) == 2
    assert capsys.readouterr().err == f"api-audit: error: {consumer}: no such file or folder\n"


@pytest.mark.parametrize("command", ["scan", "matrix", "bisect"])
def test_usage_says_that_the_consumer_may_be_left_out(command, capsys):
    main([command, "-h"])
    out = " ".join(capsys.readouterr().out.split())
    assert "[CONSUMER]..." in out
    assert "the current folder" in out


def test_nothing_scanned_is_a_failure(pipeline, capsys):
    pipeline.answer = msgspec.structs.replace(CLEAN, consumer=msgspec.structs.replace(CLEAN.consumer, files=0))
    assert scan(*AGAINST) == 2
    assert "no Python files" in capsys.readouterr().err


def test_quiet(pipeline, capsys):
    scan(*AGAINST, "-q")
    assert capsys.readouterr().err == ""


def test_colour(pipeline, capsys, monkeypatch):
    scan(*AGAINST)
    assert "\x1b" not in capsys.readouterr().out
    scan(*AGAINST, "--color", "always")
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    scan(*AGAINST)
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    scan(*AGAINST)
    assert "\x1b" not in capsys.readouterr().out


def run(code: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60, **options
    )


@pytest.mark.parametrize("arguments", [["-V"], ["-h"], ["scan", "-h"], ["scna"]])
def test_light_commands_import_nothing_heavy(arguments):
    code = (
        "import sys; from auditor.__main__ import main; main(" + repr(arguments) + ");"
        "print(sorted({'libcst', 'urllib3', 'rich', 'jinja2', 'ruamel'} & set(sys.modules)), file=sys.stderr)"
    )
    assert run(code).stderr.splitlines()[-1] == "[]"


def test_a_warm_scan_imports_nothing_heavy(tmp_path):
    case = Path(__file__).parent / "cases" / "unknown-argument"
    arguments = ["scan", str(case / "consumer"), "--from", f"lib @ {case / 'provider_old'}", "--offline"]
    arguments += ["--against", f"lib @ {case / 'provider_new'}", "--no-patches", "--cache-dir", str(tmp_path)]
    code = (
        "import sys; from auditor.__main__ import main; code = main(" + repr(arguments) + ");"
        "print(code, sorted({'libcst', 'urllib3', 'rich', 'jinja2'} & set(sys.modules)), file=sys.stderr)"
    )
    run(code)
    assert run(code).stderr.splitlines()[-1] == "1 []"


def test_a_closed_pipe_is_quiet():
    code = (
        "import sys; from auditor import __main__ as m;"
        "m._run = lambda arguments: [sys.stdout.write('x' * 1000 + '\\n') for _ in range(10000)] and 0;"
        "sys.exit(m.main([]))"
    )
    piped = f'{sys.executable} -c "{code}" | head -n 1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", piped], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (141, "")


def test_unwritable_terminal_encoding(pipeline, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    pipeline.answer = msgspec.structs.replace(REPORT, sources={"app/serve.py": "\n\n\nx = '日本'" + " " * 30 + "p"})
    assert scan(*AGAINST) == 1
    assert b"\\u65e5" in stream.buffer.getvalue()


def test_the_baseline_round(pipeline, tmp_path, capsys):
    assert scan(*AGAINST, "--write-baseline") == 0
    assert "3 findings accepted in api-audit-baseline.jsonl" in capsys.readouterr().err
    file = tmp_path / "api-audit-baseline.jsonl"
    assert scan(*AGAINST) == 1
    assert scan(*AGAINST, "--baseline", str(file)) == 0
    assert "3 baselined" in capsys.readouterr().err
    assert scan(*AGAINST, "--baseline", str(file), "--no-baseline") == 1
    pipeline.answer = msgspec.structs.replace(REPORT, findings=REPORT.findings[1:], problems=())
    assert scan(*AGAINST, "--baseline", str(file)) == 0
    assert "stale in " in capsys.readouterr().err
    assert scan(*AGAINST, "--baseline", str(file), "--strict") == 1
    assert scan(*AGAINST, "--baseline", str(file), "--write-baseline") == 0
    assert len(file.read_text().splitlines()) == 3


def test_an_explanation_fits_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["explain", "unknown-argument"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "  Python raises TypeError at the call, or where `**kwargs` is passed on to." in lines


def test_rules_and_explain(capsys):
    assert main(["rules"]) == 0
    assert "missing-argument" in capsys.readouterr().out
    assert main(["explain", "missing-argument"]) == 0
    assert capsys.readouterr().out.startswith("missing-argument\n================\n")
    assert main(["explain", "mising-argument"]) == 2
    assert "Did you mean `missing-argument`" in capsys.readouterr().err
    assert main(["rules", "--json"]) == 0
    assert {"unknown-argument"} <= {rule["id"] for rule in json.loads(capsys.readouterr().out)}


def test_cache(tmp_path, capsys):
    folder = str(tmp_path / "cache")
    assert main(["cache", "dir", "--cache-dir", folder]) == 0
    assert capsys.readouterr().out == f"{folder}\n"
    assert main(["cache", "size", "--cache-dir", folder]) == 0
    assert main(["cache", "clean", "--cache-dir", folder]) == 0
    assert main(["cache", "celan"]) == 2
    assert "Did you mean `clean`?" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell, monkeypatch, capsys):
    monkeypatch.setenv("_API_AUDIT_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit) as done:
        main([])
    assert done.value.code == 0
    assert "_API_AUDIT_COMPLETE" in capsys.readouterr().out


def test_a_comment_accepts_a_finding_and_a_useless_one_is_reported(pipeline, capsys):
    lines = REPORT.sources["app/serve.py"].split("\n")
    lines[0] += "  # api-audit: ignore[unknown-argument] nothing here"
    lines[3] += "  # api-audit: ignore[unknown-argument] agreed"
    pipeline.answer = msgspec.structs.replace(
        REPORT, findings=REPORT.findings[2:], problems=(), sources={"app/serve.py": "\n".join(lines)}
    )
    assert scan(*AGAINST) == 0
    err = capsys.readouterr().err
    assert "1 suppressed" in err
    assert "app/serve.py:1: accepts nothing and can go" in err
    assert scan(*AGAINST, "--strict") == 1
