"""What is asked for, left out and accepted: configuration, rule selection, ignores and the baseline."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from formats.sample import BROKEN, REPORT

from auditor import baseline as baselines
from auditor import config
from auditor.baseline import Baseline, accept
from auditor.cli.triage import Triage
from auditor.config import Config, Ignore
from auditor.errors import ConfigError
from auditor.fingerprint import identified
from auditor.model import Span


def states(triage: Triage) -> dict[str, str]:
    return {finding.rule: finding.state for finding in triage(REPORT).findings}


# --- configuration


def written(folder: Path, text: str) -> Path:
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_nearest_file_with_a_table_counts(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(tmp_path, '[tool.api-audit]\nagainst = "outer"\n')
    written(tmp_path / "a", "[tool.other]\nx = 1\n")
    assert config.find(inner).config.against == "outer"
    assert config.find(inner).file == tmp_path / "pyproject.toml"


def test_everything_a_file_may_say(tmp_path):
    file = written(
        tmp_path,
        """
        [tool.api-audit]
        against = ["vllm==0.16"]
        from = "vllm==0.11.0"
        exclude = ["vendor/**"]
        rule-packs = ["rules/"]
        select = ["*"]
        ignore = ["deprecated-use"]
        baseline = "known.jsonl"
        patch-dir = "out"
        patches = false
        output-format = "concise"
        color = "never"
        index-url = "https://x"
        cache-dir = "cache"
        offline = true
        strict = true
        exit-zero = true
        error-on-warning = true
        per-file-ignores = { "tests/*" = ["default-changed"] }
        """,
    )
    located = config.load(file)
    assert located.config.from_ == "vllm==0.11.0"
    assert located.config.ignored_rules() == ["deprecated-use"]
    assert located.resolve("known.jsonl") == str(tmp_path / "known.jsonl")


def test_reasoned_ignores(tmp_path):
    file = written(tmp_path, '[[tool.api-audit.ignore]]\nrule = "a"\nreason = "because"\nuntil = "vllm>=0.17"\n')
    (entry,) = config.load(file).config.ignores()
    assert (entry.rule, entry.reason, entry.until) == ("a", "because", "vllm>=0.17")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.api-audit]\nagianst = 'x'", "Did you mean `against`?"),
        ("[tool.api-audit]\nzzz = 'x'", "Known keys: against"),
        ("[tool.api-audit]\noffline = 'yes'", "$.offline"),
        ("[[tool.api-audit.ignore]]\nrule = 'a'\nresaon = 'b'", "Did you mean `reason`?"),
        ("[[tool.api-audit.ignore]]\nrule = 'a'\nreason = ' '", "an ignore needs a `reason`"),
        ("[[tool.api-audit.ignore]]\nreason = 'a'", "needs a `rule`, a `symbol` or a `path`"),
        ("[tool]\napi-audit = 3", "must be a table"),
        ("[tool.api-audit", "not valid TOML"),
        ("", "no [tool.api-audit] table"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError) as caught:
        config.load(written(tmp_path, text))
    assert said in str(caught.value)
    assert "pyproject.toml" in str(caught.value)


# --- triage


def test_select_and_ignore():
    assert set(states(Triage(select=("unknown-*",)))) == {"unknown-argument"}
    assert set(states(Triage(ignore=("unknown-argument",)))) == {"return-changed", "default-changed"}
    assert set(states(Triage(per_file_ignores={"app/run*": ["*"]}))) == {"unknown-argument"}


def test_warnings_become_errors():
    report = Triage(error_on_warning=True)(REPORT)
    assert [finding.severity for finding in report.findings] == ["info", "error", "error"]


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (Ignore(rule="unknown-argument", reason="r"), "suppressed"),
        (Ignore(rule="unknown-*", symbol="acme.params", reason="r"), "suppressed"),
        (Ignore(symbol="acme.params.SamplingParams", reason="r"), "suppressed"),
        (Ignore(symbol="acme.param", reason="r"), "open"),
        (Ignore(rule="return-changed", symbol="acme.params", reason="r"), "open"),
        (Ignore(path="app/serve.py", reason="r"), "suppressed"),
        (Ignore(rule="*", reason="r", until="acme>=0.17"), "suppressed"),
        (Ignore(rule="*", reason="r", until="acme>=0.16"), "open"),
        (Ignore(rule="*", reason="r", until="other>=0.1"), "suppressed"),
    ],
)
def test_reasoned_ignores_suppress(entry, state):
    found = next(one for one in Triage(ignores=(entry,))(REPORT).findings if one.rule == "unknown-argument")
    assert found.state == state
    assert (found.state_reason == "r") == (state == "suppressed")


def test_an_unreadable_until_is_refused():
    with pytest.raises(ConfigError, match="until"):
        Triage(ignores=(Ignore(rule="*", reason="r", until="?"),))(REPORT)


def test_triage_twice_is_triage_once():
    triage = Triage(
        ignores=(Ignore(rule="return-changed", reason="r"),), baseline=accept(REPORT.findings, Baseline(), ())
    )
    assert triage(triage(REPORT)) == triage(REPORT)
    assert states(triage) == {
        "return-changed": "suppressed",
        "unknown-argument": "baselined",
        "default-changed": "baselined",
    }


# --- fingerprints and the baseline


def test_fingerprints_survive_moves_and_tell_twins_apart():
    twin = msgspec.structs.replace(BROKEN, span=Span("app/serve.py", 9, 29, 9, 36))
    first, second = identified([twin, BROKEN])
    assert first.span.line == 4
    assert first.id != second.id
    moved = [
        msgspec.structs.replace(one, span=Span(one.span.path, one.span.line + 50, 1, one.span.line + 50, 9))
        for one in (BROKEN, twin)
    ]
    assert [one.id for one in identified(moved)] == [first.id, second.id]
    other = msgspec.structs.replace(BROKEN, scope="elsewhere")
    assert identified([other])[0].id != first.id


def test_a_baseline_survives_the_disk(tmp_path):
    file = tmp_path / "known.jsonl"
    known = accept(REPORT.findings, Baseline(), ())
    baselines.write(file, known)
    assert baselines.read(file) == known
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(REPORT.findings)
    assert lines[1:] == sorted(lines[1:])
    assert '"line"' not in file.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [file]


def test_stale_entries_and_partial_runs():
    known = accept(REPORT.findings, Baseline(), ())
    left = [finding for finding in REPORT.findings if finding.rule != "unknown-argument"]
    files = {"app/serve.py", "app/run.py"}
    assert [entry.rule for entry in known.stale(left, files, ())] == ["unknown-argument"]
    assert known.stale(left, {"app/run.py"}, ()) == (), "its file was not read"
    assert known.stale(left, files, {"return-changed"}) == (), "its rule was not asked for"
    renewed = accept(left, known, known.stale(left, files, ()))
    assert {entry.rule for entry in renewed.entries} == {"return-changed", "default-changed"}
    assert accept(left, known, ()) == known, "a partial run erases nothing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1"),
        ('{"api-audit-baseline": 2}\n', ":1"),
        ("[]\n", ":1"),
        ('{"api-audit-baseline": 1}\n<<<<<<< ours\n', "unresolved merge conflict"),
        ('{"api-audit-baseline": 1}\n{"path": 1}\n', ":2"),
    ],
)
def test_a_damaged_baseline_is_refused(tmp_path, text, said):
    file = tmp_path / "known.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        baselines.read(file)
    assert said in str(caught.value)


def test_a_missing_baseline_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        baselines.read(tmp_path / "none")
    with pytest.raises(ConfigError, match="cannot be written"):
        baselines.write(tmp_path / "none" / "none", Baseline())


def test_defaults_say_nothing():
    assert Config().ignores() == []
