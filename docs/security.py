"""Runs the tests behind each promise of security.md and writes the table there: promise, tests, inputs, result.

    python docs/security.py            runs them (ten minutes) and rewrites the table
    python docs/security.py store git  those promises alone that hold one of the words
    python docs/security.py --fuzz     with the slow lane's many examples, too

An input is one case of a test; a test that tries many says how many, and hypothesis is counted by its examples.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "security.md"
START, END = "<!-- table -->\n", "<!-- end of table -->\n"
PROMISES: dict[str, tuple[str, ...]] = {
    "Nothing audited is imported, run or compiled and run; no process but git and own helpers; no address but the "
    "index, none with `--offline`; nothing is written beside cache and output": (
        "tests/trust/test_nothing_runs.py",
        "tests/packages/test_trees.py::test_opening_imports_and_runs_nothing",
    ),
    "Git runs nothing that a repository configures, and fetches nothing": (
        "tests/trust/test_git.py",
        "tests/packages/test_trees.py::test_git_runs_nothing_of_the_repository",
    ),
    "Archives: names, links, devices, duplicates, bombs, lying sizes, truncation, zip64": (
        "tests/packages/test_hostile_archives.py",
    ),
    "Trees: links out of them, special files": (
        "tests/packages/test_trees.py::test_links_out_of_a_folder_are_not_followed",
        "tests/packages/test_trees.py::test_special_files_are_not_opened",
    ),
    "Indexes and servers that lie, redirect, stall, drip, flood or break off: one line, exit code 2, nothing stored": (
        "tests/trust/test_hostile_servers.py",
        "tests/packages/test_remote.py",
        "tests/packages/test_index.py",
    ),
    "Sources that are hard to read are a problem of their own file; the rest is audited": (
        "tests/trust/test_hostile_sources.py",
        "tests/test_signatures.py::test_unreadable_sources_are_problems",
        "tests/test_signatures.py::test_odd_sources_are_read",
        "tests/test_constructors.py::test_hostile_texts_end_in_an_answer",
    ),
    "Any bytes: signatures, constructors, walker with all checks, rule files, patch files, index pages": (
        "tests/trust/test_fuzz.py",
        "tests/test_signatures.py::test_arbitrary_bytes_never_raise",
        "tests/test_signatures.py::test_arbitrary_snippets_never_raise",
    ),
    "`bind` says what a real call does": (
        "tests/test_binding.py::test_agrees_with_a_real_call",
        "tests/test_binding.py::test_unpacking_is_refused_exactly_when_no_content_would_do",
    ),
    "`apply` and `--revert` killed at every step: all old, all new, or a journal that the next call settles": (
        "tests/trust/test_kills.py::test_killed_at_every_step",
        "tests/trust/test_kills.py::test_the_recovery_is_killed_as_well",
        "tests/trust/test_kills.py::test_killed_and_then_the_other_way",
        "tests/patches/test_apply.py::test_killed_at_every_step_the_next_call_finishes_or_rolls_back",
        "tests/patches/test_apply.py::test_a_real_sigkill",
    ),
    "No room, no permission, an error of the disk: all old": (
        "tests/trust/test_kills.py::test_no_room_for_the_files",
        "tests/trust/test_kills.py::test_a_disk_that_is_really_full",
        "tests/trust/test_kills.py::test_permission_denied",
        "tests/patches/test_apply.py::test_a_failing_step_leaves_all_old",
        "tests/patches/test_apply.py::test_read_only_targets_are_refused",
    ),
    "What somebody else saves meanwhile is kept; two `apply` at once: one is refused": (
        "tests/trust/test_kills.py::test_a_file_changed_by_somebody_else_at_any_step_is_kept",
        "tests/trust/test_kills.py::test_eight_at_once",
        "tests/patches/test_apply.py::test_two_at_once_one_is_refused",
    ),
    "Modes, owners, attributes, line endings, marks and encodings are kept": (
        "tests/patches/test_apply.py::test_modes_links_and_attributes_are_kept",
        "tests/patches/test_files.py::test_any_edit_can_be_written_and_taken_back",
        "tests/fixes/test_codemod.py::test_nothing_outside_the_footprint_changes",
        "tests/fixes/test_codemod.py::test_encodings_are_kept",
    ),
    "The store survives kills, eight writers, damage, other layouts, closed and full disks; no answer of other bytes": (
        "tests/trust/test_cached_answers.py",
        "tests/packages/test_store.py",
    ),
    "Patches touch only Python files of the named package under the target; tampered ones are refused": (
        "tests/trust/test_hostile_patches.py",
        "tests/patches/test_files.py::test_a_tampered_patch_is_refused",
        "tests/patches/test_files.py::test_what_no_patch_of_ours_holds_is_refused_even_when_sealed",
        "tests/patches/test_files.py::test_arbitrary_bytes_never_do_worse_than_a_refusal",
        "tests/patches/test_files.py::test_other_paths_are_refused",
    ),
    "Names and source lines of strangers are text in every format": (
        "tests/trust/test_hostile_names.py",
        "tests/formats/test_text_formats.py::test_hostile_text_cannot_move_the_cursor_or_forge_lines",
        "tests/formats/test_html.py",
        "tests/formats/test_machine_formats.py",
        "tests/formats/test_json.py",
        "tests/runner/test_preflight.py::test_what_a_stranger_wrote_does_not_reach_the_terminal",
    ),
    "However a run fails: exit code 2, one line, the traceback of a bug kept; reports are whole or not there": (
        "tests/trust/test_errors.py",
        "tests/test_cli.py::test_an_anticipated_failure_is_one_line",
        "tests/test_cli.py::test_a_bug_exits_2_and_keeps_its_traceback",
    ),
}
"""What is promised, and the tests (a file or one test) that try it."""


class Counter:
    """Counts, as a pytest plugin, what each test tried and how it ended."""

    def __init__(self) -> None:
        self.inputs: dict[str, int] = {}
        self.bad: dict[str, str] = {}
        self.skipped: set[str] = set()
        self._examples: dict[str, int] = {}

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Take what hypothesis counted."""
        said = str(getattr(item, "hypothesis_statistics", ""))
        self._examples[item.nodeid] = sum(map(int, re.findall(r"(\d+) passing", said)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome."""
        if report.outcome == "failed":
            self.bad[report.nodeid] = "failed"
        elif report.outcome == "skipped":
            self.skipped.add(report.nodeid)
        elif report.when == "call":
            told = dict(report.user_properties).get("inputs")
            self.inputs[report.nodeid] = int(told) if isinstance(told, int | str) else 1
        elif report.when == "teardown" and report.nodeid in self.inputs:
            self.inputs[report.nodeid] = max(self.inputs[report.nodeid], self._examples.get(report.nodeid, 0))

    def row(self, promise: str, tests: tuple[str, ...]) -> str:
        """One line of the table."""
        mine = [node for node in (*self.inputs, *self.bad) if any(_belongs(node, test) for test in tests)]
        bad = sorted({node for node in mine if node in self.bad})
        left_out = [node for node in self.skipped if any(_belongs(node, test) for test in tests)]
        result = f"**{len(bad)} failed**" if bad else "holds" if mine else "not run yet"
        if left_out:
            result += f" ({len(left_out)} skipped)"
        names = "<br>".join(f"`{test}`" for test in tests)
        return f"| {promise} | {names} | {sum(self.inputs.get(node, 0) for node in mine):,} | {result} |\n"


def _belongs(node: str, test: str) -> bool:
    return node == test or node.startswith((f"{test}::", f"{test}["))


def main(arguments: list[str]) -> int:
    """Run all, or the promises that hold one of the words, and rewrite their rows; the exit code is that of pytest."""
    words = [word for word in arguments if not word.startswith("-")]
    chosen = {p: t for p, t in PROMISES.items() if not words or any(word in p for word in words)}
    tests = list(dict.fromkeys(test for each in chosen.values() for test in each))
    lane = ["-m", "not vllm"] if "--fuzz" in arguments else []
    counter = Counter()
    options: list[Any] = ["-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), *lane]
    code = pytest.main([*options, *(str(ROOT / test) for test in tests)], plugins=[counter])
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    table, _, after = rest.partition(END)
    known = {line.split(" | ")[0].removeprefix("| "): f"{line}\n" for line in table.splitlines()}
    new = {promise: counter.row(promise, each) for promise, each in chosen.items()}
    rows = [new.get(p) or known.get(p) or f"| {p} | | | not run yet |\n" for p in PROMISES]
    total = sum(int(row.split(" | ")[2].replace(",", "") or 0) for row in rows)
    head = "| promise | tests | inputs | result |\n|---|---|---|---|\n"
    PAGE.write_text(f"{before}{START}{head}{''.join(rows)}\n{total:,} inputs in all.\n{END}{after}", encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
