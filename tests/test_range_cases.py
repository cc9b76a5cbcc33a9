"""Walks `tests/range_cases/`: a consumer, the releases of a small provider, and the one tree that fits them all.

Each folder holds `app.py`, written for the first release, `releases/VERSION.py` (the provider's only module, in each
release) and `expected.py`, the consumer after all patches. Where there is no `expected.py` nothing may be patched.

The laws: what the tool says of a release is so when the code really runs there, before the patches and after; what it
says is proven is all of the range where there is an `expected.py`; and a second run patches nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ranges.histories import really_fits, scan_history

HERE = Path(__file__).parent / "range_cases"
CASES = sorted(folder.name for folder in HERE.iterdir() if folder.is_dir())
UNREPAIRED = {"nothing-fits"}
"""Cases of which some release is broken and stays so."""


def history(case):
    files = sorted((HERE / case / "releases").glob("*.py"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


@pytest.mark.parametrize("case", CASES)
def test_one_tree_for_all_releases(case, tmp_path):
    app = (HERE / case / "app.py").read_text(encoding="utf-8")
    expected = HERE / case / "expected.py"
    outcome = scan_history(app, history(case), tmp_path)

    assert outcome.patched == (expected.read_text(encoding="utf-8") if expected.exists() else app)
    for version in history(case):
        assert really_fits(app, tmp_path, version) == (version in outcome.fitting), version
        assert version not in outcome.proven or really_fits(outcome.patched, tmp_path, version), version
    assert (set(outcome.proven) == set(history(case))) == (case not in UNREPAIRED)


@pytest.mark.parametrize("case", [case for case in CASES if (HERE / case / "expected.py").exists()])
def test_a_patched_tree_is_not_patched_again(case, tmp_path):
    outcome = scan_history((HERE / case / "expected.py").read_text(encoding="utf-8"), history(case), tmp_path)

    assert not outcome.patches
    assert set(outcome.fitting) == set(history(case))


@pytest.mark.parametrize("case", [case for case in CASES if (HERE / case / "expected.py").exists()])
def test_version_guards_fit_as_well(case, tmp_path):
    app = (HERE / case / "app.py").read_text(encoding="utf-8")
    outcome = scan_history(app, history(case), tmp_path, style="version")

    for version in outcome.proven:
        assert really_fits(outcome.patched, tmp_path, version), version
    assert set(outcome.proven) == set(history(case))
