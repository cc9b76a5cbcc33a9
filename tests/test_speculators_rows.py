"""The cascade of real-vllm.md on the real releases: every row found in its place, repaired, and caught again."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

from auditor import codemod
from auditor.scan import Options, scan

pytestmark = pytest.mark.index
G, W = "vllm_hidden_states_generator.py", "custom_worker.py"
ROWS = {
    1: ("missing-argument", G, 194),
    2: ("unknown-argument", G, 139),
    3: ("missing-argument", G, 148),
    4: ("vanished-member", W, 30),
    5: ("request-block-hasher", G, 234),
    6: ("rpc-single-reply", G, 271),
    7: ("execute-model-then-sample-tokens", G, 261),
    8: ("prefix-caching-on", G, 166),
    9: ("language-model-of-wrapper", W, 102),
    10: ("trust-remote-code-twice", G, 84),
    11: ("unknown-argument", G, 241),
    12: ("chunked-prefill-on", G, 194),
}
MINORS = (
    "0.12.0",
    "0.13.0",
    "0.14.1",
    "0.15.1",
    "0.16.0",
    "0.17.1",
    "0.18.1",
    "0.19.1",
    "0.20.2",
    "0.21.0",
    "0.22.1",
    "0.23.0",
)


def rows(release: str) -> set[tuple[str, str, int]]:
    wanted = {number: row for number, row in ROWS.items() if number != 11 or minor(release) >= 17}
    if minor(release) >= 20:
        wanted[3] = ("scheduler-block-size", G, 148)
    return set(wanted.values())


def minor(release: str) -> int:
    return int(release.split(".")[1])


@pytest.fixture(scope="session")
def patches(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("patches")


@cache
def audited(release: str, patches: Path, consumer: str = "speculators==0.3.0"):
    return scan(Options(consumers=(consumer,), against=(f"vllm=={release}",), patch_dir=patches / release))


def serious(report) -> list[tuple[str, str, int]]:
    """Rule, file and line of the errors and warnings, and of row 10, which is a hint."""
    hints = {ROWS[10][0]}
    return [
        (f.rule, Path(f.span.path).name, f.span.line)
        for f in report.findings
        if f.severity != "info" or f.rule in hints
    ]


def sources() -> tuple[dict[str, bytes], str]:
    """The files of speculators 0.3.0 by path."""
    from auditor.packages.index import PackageIndex
    from auditor.packages.release import open_release
    from auditor.packages.store import Store

    with Store.open(None) as store:
        release = open_release("speculators==0.3.0", store=store, index=PackageIndex(store))
        return release.read(release.modules().values()), str(release.version)


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def rescanned(folder: Path, release: str):
    return scan(Options(consumers=(str(folder),), against=(f"vllm=={release}",), from_=("vllm==0.11.0",)))


@pytest.mark.parametrize("release", MINORS)
def test_every_row_is_found_once_and_repaired(release, patches, tmp_path):
    report = audited(release, patches)
    found = serious(report)
    assert set(found) == rows(release)
    assert len(found) == len(set(found))
    assert all(finding.fix is not None for finding in report.findings if finding.severity != "info")
    assert all(patch.proofs for patch in report.patches)
    tree = written(tmp_path, sources()[0])
    for patch in report.patches:
        diff = "".join(file.diff for file in patch.files)
        subprocess.run(["git", "apply", "-"], input=diff, cwd=tree, text=True, check=True)
    assert serious(rescanned(tree, release)) == []


@pytest.mark.parametrize("release", ["0.16.0", "0.20.2"])
def test_each_fault_alone_is_caught_again(release, patches, tmp_path):
    report = audited(release, patches)
    files, _ = sources()
    shown = set(serious(report))
    fixable = [f for f in report.findings if (f.rule, Path(f.span.path).name, f.span.line) in shown]
    for index, left_out in enumerate(fixable):
        repairs = [r for f in fixable if f is not left_out and f.fix is not None for r in f.fix.repairs]
        changed = {
            path: codemod.rewrite(content, [r for r in repairs if r.span.path == path])
            for path, content in files.items()
        }
        again = serious(rescanned(written(tmp_path / str(index), changed), release))
        assert [rule for rule, *_ in again] == [left_out.rule]


def test_the_release_it_was_written_for_is_clean(patches):
    assert serious(audited("0.11.0", patches)) == []


@pytest.mark.parametrize("release", ["0.12.0", "0.13.0", "0.14.1", "0.15.1", "0.16.0"])
def test_the_maintainers_own_port_shows_none_of_what_they_fixed(release, patches):
    report = audited(release, patches, "speculators==0.4.0.1")
    fixed = {ROWS[number][0] for number in (1, 2, 3, 4, 5, 6, 7, 8, 9)}
    assert not {finding.rule for finding in report.findings if finding.severity != "info"} & fixed
    assert not [finding for finding in report.findings if finding.severity == "error"]
