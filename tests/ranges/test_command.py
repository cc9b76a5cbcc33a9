"""`scan` with ranges on the command line: what counts as one, what the report says, and that the table is matrix's."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from packages.making import publish
from repositories import git

from auditor import formats
from auditor.__main__ import main
from auditor.errors import SpecError
from auditor.formats import RenderOptions
from auditor.matrix import matrix
from auditor.options import Options
from auditor.packages.gittree import tags_between
from auditor.packages.spec import is_range
from auditor.ranges import scan_declared_ranges, scan_ranges
from auditor.ranges.whole import Range, widest
from auditor.runner import audit

HISTORY = {
    "1.0": "class Request:\n    def __init__(self, name, eos): ...\n",
    "1.1": "class Request:\n    def __init__(self, name, eos): ...\n",
    "1.2rc1": "class Request:\n    def __init__(self): ...\n",
    "1.2": "class Request:\n    def __init__(self, name): ...\n",
    "2.0": "class Request:\n    def __init__(self, name): ...\n",
}
APP = 'from acme import Request\n\nRequest("a", eos=1)\n'


@pytest.fixture
def index(tmp_path: Path) -> str:
    for version, source in HISTORY.items():
        publish(tmp_path / "index", "acme", version, {"acme/__init__.py": source})
    return str(tmp_path / "index")


@pytest.fixture
def options(tmp_path: Path, index: str) -> Options:
    app = tmp_path / "app"
    app.mkdir()
    (app / "main.py").write_text(APP, encoding="utf-8")
    project = '[project]\nname = "app"\nversion = "1"\ndependencies = ["acme>=1.0,<2"]\n'
    (app / "pyproject.toml").write_text(project, encoding="utf-8")
    return Options(
        consumers=(str(app),),
        against=("acme>=1.0,<2.1",),
        index_url=index,
        cache_dir=tmp_path / "cache",
        patch_dir=tmp_path / "patches",
    )


def test_a_report_of_a_range_is_the_table_of_matrix(options):
    report = scan_ranges(options, Range())
    table = matrix(options)

    (finding,) = (f for f in report.findings if f.severity == "error")
    assert ", ".join(map(str, finding.intervals)) == "1.0-1.1 fine, 1.2- broken"
    assert [finding.intervals] == [row.intervals for row in table.rows if row.severity == "error"]
    assert report.providers[0].range.clean == table.clean
    assert report.providers[0].range.widest == "acme>=1.0,<=1.1"


def test_the_patch_names_the_releases_and_what_is_true_afterwards(options, tmp_path):
    report = scan_ranges(options, Range())

    assert report.providers[0].range.proven == ("1.0", "1.1", "1.2", "2.0")
    assert report.providers[0].range.widest_patched == "acme>=1.0,<=2.0"
    (patch,) = report.patches
    proof = next(p for p in patch.proofs if p.name == "releases")
    assert proof.detail.endswith("in each of 4 releases: 1.0, 1.1, 1.2, 2.0")
    (folder,) = (tmp_path / "patches").iterdir()
    assert folder.name == "app-1--acme-1.0-2.0"
    assert "# Provider: acme 1.0 and 1.1 -> 1.0 to 2.0 (4 releases)\n" in (folder / patch.name).read_text("utf-8") or (
        "(4 releases)" in (folder / patch.name).read_text("utf-8")
    )


def test_the_audit_beside_the_patches_tells_what_a_run_needs_of_each_release(options, tmp_path):
    scan_ranges(options, Range())
    (file,) = (tmp_path / "patches").glob("*/audit.json")
    told = json.loads(file.read_text("utf-8"))

    assert told["providers"][0]["range"]["proven"] == ["1.0", "1.1", "1.2", "2.0"]
    assert [(site["new_signature"], site["verdict"], site["releases"]) for site in told["call_sites"]] == [
        ("Request(name, eos)", "fits", ["1.0", "1.1"]),
        ("Request(name)", "broken", ["1.2", "2.0"]),
    ]
    seen = audit.read(file.parent)
    old, new = seen.of_installed({"acme": "1.1+local"}), seen.of_installed({"acme": "2.0"})
    assert [site.verdict for site in old.call_sites] == ["fits"]
    assert [site.verdict for site in new.call_sites] == ["broken"]
    assert not any(finding.severity == "error" for finding in old.findings)
    assert [finding.rule for finding in new.findings if finding.severity == "error"] == ["unknown-argument"]
    assert seen.of_installed({"acme": "7.0"}) == new, "of what was not audited the newest release is the best guess"


def test_prereleases_join_when_asked_for(options):
    assert "1.2rc1" in scan_ranges(options, Range(prereleases=True)).providers[0].range.releases


def test_declared_is_every_declared_release(options):
    report = scan_declared_ranges(options)

    assert report.providers[0].range.releases == ("1.0", "1.1", "1.2")


def test_what_the_extras_declare_is_audited_together(options):
    project = Path(options.consumers[0]) / "pyproject.toml"
    extras = (
        '[project]\nname = "app"\nversion = "1"\n[project.optional-dependencies]\na = ["acme==1.0"]\nb = ["acme>1.1"]\n'
    )
    project.write_text(extras, encoding="utf-8")
    (provider,) = scan_declared_ranges(options, ["acme"]).providers

    assert provider.range.asked == "acme==1.0 or acme>1.1"
    assert provider.range.releases == ("1.0", "1.2", "2.0")
    assert provider.range.widest == "acme==1.0"


def test_a_single_declared_release_is_no_range(options):
    project = Path(options.consumers[0]) / "pyproject.toml"
    project.write_text(project.read_text("utf-8").replace(">=1.0,<2", "==1.0"), encoding="utf-8")
    with pytest.raises(SpecError, match="declares single releases, no ranges: acme"):
        scan_declared_ranges(options, ["acme"])


@pytest.mark.parametrize("name", ["full", "concise", "markdown", "html"])
def test_every_format_tells_the_releases(options, name):
    told = formats.renderer(name)(scan_ranges(options, Range()), RenderOptions(width=100)).replace("\\", "")

    assert "1.2-" in told
    if name != "concise":
        assert "1.0-1.1 fine, 1.2- broken" in told
        assert "acme&gt;=1.0,&lt;=1.1" in told or "acme>=1.0,<=1.1" in told


def test_the_json_report_fits_its_schema(options):
    report = scan_ranges(options, Range())
    told = json.loads(formats.renderer("json")(report, RenderOptions()))
    schema = json.loads((Path(formats.__file__).parents[1] / "schemas" / "report.schema.json").read_text("utf-8"))

    jsonschema.validate(told, schema)
    error = next(finding for finding in told["findings"] if finding["severity"] == "error")
    assert error["releases"] == [
        {"first": "1.0", "last": "1.1", "state": "fine"},
        {"first": "1.2", "last": None, "state": "broken"},
    ]
    assert told["providers"][0]["range"]["proven"] == ["1.0", "1.1", "1.2", "2.0"]


def test_the_command_and_the_check_that_it_advises(options, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = options.consumers[0]
    common = ["--index-url", str(options.index_url), "--cache-dir", str(options.cache_dir), "--isolated"]
    assert main(["scan", app, "--against", "acme>=1.0,<2.1", *common]) == 1
    err = capsys.readouterr().err
    assert "acme 1.0-2.0 (4 releases)" in err
    assert " 1 call site, " in err, "however many releases see it in their own way"
    (folder,) = Path("generated_patches").iterdir()
    assert main(["apply", str(folder), "--to", app, "--unsafe-fixes"]) == 0
    out = "".join(capsys.readouterr())
    assert "'acme>=1.0,<=2.0'" in out
    assert main(["scan", app, "--against", "acme>=1.0,<=2.0", "--no-patches", *common]) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [("acme", False), ("acme==1.0", False), ("acme>=1.0", True), ("acme~=1.0", True), ("acme<2", True)],
)
def test_what_is_a_range(text, told):
    assert is_range(text) is told


@pytest.mark.parametrize(
    ("true", "said"),
    [
        ([True, True, False, True, True], "acme>=4,<=5"),
        ([True, True, True, False, True], "acme>=1,<=3"),
        ([False, False, True, False, False], "acme==3"),
        ([False] * 5, None),
    ],
)
def test_the_widest_part(true, said):
    assert widest("acme", ["1", "2", "3", "4", "5"], true) == said


def test_tags_of_a_checkout(tmp_path):
    folder = tmp_path / "repository"
    package = folder / "acme"
    package.mkdir(parents=True)
    git(folder, "init", "-q")
    for version, source in HISTORY.items():
        (package / "__init__.py").write_text(source, encoding="utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "--allow-empty", "-m", version)
        git(folder, "tag", f"v{version}")
    git(folder, "tag", "nightly")

    assert tags_between(folder, "v1.0", "v1.2") == ["v1.0", "v1.1", "v1.2"]
    assert tags_between(folder, "v1.1", "v2.0", prereleases=True) == ["v1.1", "v1.2rc1", "v1.2", "v2.0"]
    with pytest.raises(SpecError, match="no tag of a release called 'v9'"):
        tags_between(folder, "v1.0", "v9")
    app = tmp_path / "main.py"
    app.write_text(APP, encoding="utf-8")
    options = Options(
        consumers=(str(app),),
        against=(f"{folder}@v1.0..v2.0",),
        from_=(f"{folder}@v1.0",),
        cache_dir=tmp_path / "cache",
        offline=True,
    )
    assert is_range(options.against[0])
    assert scan_ranges(options, Range()).providers[0].range.widest == "repository>=v1.0,<=v1.1"
