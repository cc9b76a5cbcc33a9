"""The one walker over `tests/cases/`: what each case must show, and the laws that hold over all of them.

A case is a folder, named after the rule or hazard it is about:
  consumer/        the code under audit; `# expect[rule, ...]` marks each line with a finding, `# ok: reason` one that
                   looks alike and must stay silent
  provider_old/    the provider as the consumer knew it; `provider_new/` as it is now; each holds import packages
  expected.json    {"provider": "lib", "findings": [{"rule", "path", "line", "severity", "symbol", ...}],
                   "leftovers": [{"rule", "path", "line"}]}: what each finding must say (any field of the JSON
                   contract may be given, only what is given is compared; null means absent), and what the patched tree
                   still shows
  expected.patch   optional: all patches one after the other
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "auditor"
RULES = HERE.parent / "rules"
CASES = sorted(folder.parent for folder in (HERE / "cases").glob("*/expected.json"))
_EXPECT = re.compile(r"#\s*expect\[([^\]]+)\]")
_LOOK_ALIKE = re.compile(r"#\s*ok:\s*\S")

pytestmark = pytest.mark.skipif(find_spec("auditor.scan") is None, reason="the pipeline is not there yet")
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `expected.json` holds."""

    findings: list[dict[str, Any]]
    leftovers: list[dict[str, Any]] = []
    provider: str = "lib"


def expected(case: Path) -> Expected:
    return msgspec.json.decode((case / "expected.json").read_bytes(), type=Expected)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def audit(case: Path, consumer: Path, old: str, new: str, store: Path, patches: Path | None = None):
    from auditor.scan import Options, scan

    provider = expected(case).provider
    return scan(
        Options(
            consumers=(str(consumer),),
            from_=(f"{provider} @ {case / old}",),
            against=(f"{provider} @ {case / new}",),
            offline=True,
            cache_dir=store,
            patch_dir=patches,
        )
    )


_reports: dict[Path, Any] = {}


def report_of(case: Path, store: Path, tmp_path_factory: pytest.TempPathFactory):
    """The audit of a case, run once a session."""
    if case not in _reports:
        patches = tmp_path_factory.mktemp("patches")
        _reports[case] = audit(case, case / "consumer", "provider_old", "provider_new", store, patches)
    return _reports[case]


def told(report) -> list[dict[str, Any]]:
    """The findings as the JSON contract tells them."""
    from auditor.formats.json import contract

    return contract(report)["findings"]


def place(finding: dict[str, Any]) -> tuple[str, int, str]:
    return finding["path"], finding["line"], finding["rule"]


def markers(case: Path) -> list[tuple[str, int, str]]:
    """Path, line and rule of every `# expect[...]`."""
    found = []
    for file in sorted((case / "consumer").rglob("*.py")):
        path = file.relative_to(case / "consumer").as_posix()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            for match in _EXPECT.finditer(line):
                found += [(path, number, rule.strip()) for rule in match[1].split(",")]
    return sorted(found)


def consumer_text(case: Path) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted((case / "consumer").rglob("*.py")))


@each_case
def test_findings(case, store, tmp_path_factory):
    wanted = sorted(expected(case).findings, key=place)
    found = sorted(told(report_of(case, store, tmp_path_factory)), key=place)
    assert [place(finding) for finding in found] == [place(finding) for finding in wanted]
    compared = [{key: one.get(key) for key in two} for one, two in zip(found, wanted, strict=True)]
    assert compared == wanted


@each_case
def test_markers_equal_findings(case, store, tmp_path_factory):
    found = sorted(place(finding) for finding in told(report_of(case, store, tmp_path_factory)))
    assert found == markers(case)


@each_case
def test_old_against_old_is_silent(case, store):
    report = audit(case, case / "consumer", "provider_old", "provider_old", store)
    assert [place(finding) for finding in told(report)] == []


@each_case
def test_nothing_is_left_unread(case, store, tmp_path_factory):
    report = report_of(case, store, tmp_path_factory)
    assert [problem for problem in report.problems if problem.kind == "unread"] == []


@each_case
def test_patches(case, store, tmp_path_factory, tmp_path):
    report = report_of(case, store, tmp_path_factory)
    diff = "".join(file.diff for patch in report.patches for file in patch.files)
    wanted = case / "expected.patch"
    if wanted.exists():
        assert diff == wanted.read_text(encoding="utf-8")
    tree = tmp_path / "consumer"
    shutil.copytree(case / "consumer", tree)
    for patch in report.patches:
        text = "".join(file.diff for file in patch.files)
        git_apply(text, tree)
    left = sorted(place(finding) for finding in told(audit(case, tree, "provider_old", "provider_new", store)))
    # A finding that no patch touches stays, in a line that may have moved.
    assert sorted((path, rule) for path, _, rule in left) == sorted(
        (finding["path"], finding["rule"]) for finding in expected(case).leftovers
    )


def git_apply(diff: str, tree: Path) -> None:
    for arguments in (["--check"], []):
        done = subprocess.run(
            ["git", "apply", "--unsafe-paths", f"--directory={tree}", *arguments, "-"],
            input=diff,
            cwd=tree,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@each_case
def test_every_case_has_a_hit_and_a_look_alike(case):
    assert markers(case), "no line is marked with `# expect[rule]`"
    assert _LOOK_ALIKE.search(consumer_text(case)), "no line is marked with `# ok: reason`"


@each_case
def test_expected_json_is_tidy(case):
    text = (case / "expected.json").read_text(encoding="utf-8")
    assert json.loads(text)["findings"], "a case without findings proves nothing"
    assert text.endswith("\n")


@cache
def checks() -> frozenset[str]:
    return frozenset(file.stem.replace("_", "-") for file in (PACKAGE / "checks").glob("[!_]*.py"))


@cache
def asked_for() -> frozenset[str]:
    """The repairs that some check, rule or part of the engine can ask for, by their names in its source.

    What guards are written with is shown in `tests/range_cases/`.
    """
    elsewhere = {"fixes", "guarding"}
    asking = [file for file in PACKAGE.rglob("*.py") if file.parent.name not in elsewhere] + list(RULES.rglob("*.yaml"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in asking)
    return frozenset(re.findall(r"\b[a-z]+-[a-z-]+\b", text))


def expected_rules() -> set[str]:
    return {finding["rule"] for case in CASES for finding in expected(case).findings}


@pytest.mark.skipif(not CASES, reason="there are no cases yet")
def test_every_check_has_a_case():
    assert checks() <= expected_rules()


@pytest.mark.skipif(not CASES, reason="there are no cases yet")
def test_every_rule_has_a_case():
    pruning = {"unneeded-guard"} if list((HERE / "prune").glob("*.py")) else set()  # its cases are guards, not releases
    assert {file.stem for file in RULES.rglob("*.yaml")} <= expected_rules() | pruning


@pytest.mark.skipif(not CASES, reason="there are no cases yet")
def test_every_fix_has_a_case(store, tmp_path_factory):
    from auditor import fixes

    used = {
        repair.repair
        for case in CASES
        for finding in report_of(case, store, tmp_path_factory).findings
        if finding.fix
        for repair in finding.fix.repairs
    }
    assert {name for name in fixes.names() if name in asked_for()} <= used


@pytest.mark.skipif(not CASES, reason="there are no cases yet")
def test_fingerprints_do_not_depend_on_lines(store, tmp_path_factory, tmp_path):
    case = CASES[0]
    tree = tmp_path / "consumer"
    shutil.copytree(case / "consumer", tree)
    for file in tree.rglob("*.py"):
        file.write_text("\n\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    moved = audit(case, tree, "provider_old", "provider_new", store)
    before = {finding.id for finding in report_of(case, store, tmp_path_factory).findings}
    assert {finding.id for finding in moved.findings} == before
