"""The documentation: generated pages are current, links and pictures are there, and what the texts name exists."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from formats.sample import CLEAN, HOSTILE, REPORT
from ruamel.yaml import YAML
from test_cli_examples import parsed

from auditor import config
from auditor.formats import RenderOptions, renderer

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WRITTEN = [page for page in PAGES if page.parent.name not in ("reference", "decisions")]


def reference(name="reference"):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_current(capsys):
    assert reference().main(["--check"]) == 0, capsys.readouterr().out


def test_every_rule_and_check_says_what_why_and_what_is_repaired():
    text = (DOCS / "reference" / "rules.md").read_text("utf-8")
    sections = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert len(sections) >= 30
    for section in sections:
        name = section.splitlines()[0]
        assert "**What.** " in section, name
        assert "**Fix.** " in section, name
        assert "```text\n" in section, name
    checks = text[: text.index("## Rules of providers")]
    assert checks.count("**Why.** ") == checks.count("### ")


def test_all_settings_are_listed():
    text = (DOCS / "reference" / "settings.md").read_text("utf-8")
    assert "| `rule-packs` |" in text
    assert text.count("| `") >= len(config.Config.__struct_fields__)


@pytest.mark.parametrize("report", [REPORT, CLEAN, HOSTILE], ids=["usual", "clean", "hostile"])
def test_the_json_schema_is_what_the_format_writes(report):
    schema = json.loads((ROOT / "auditor" / "schemas" / "report.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(renderer("json")(report, RenderOptions()))
    jsonschema.Draft202012Validator(schema).validate(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "findings": [{"rule": "x"}]}, schema)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).resolve().is_file(), target


def test_the_navigation_names_pages_that_exist():
    def leaves(node):
        if isinstance(node, str):
            yield node
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from leaves(child)

    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    named = set(leaves(YAML(typ="safe", pure=True).load(text)["nav"]))
    assert named <= {page.relative_to(DOCS).as_posix() for page in PAGES}
    assert {page.relative_to(DOCS).as_posix() for page in WRITTEN if page.parent != DOCS} <= named


def test_pictures_are_small():
    pictures = sorted((DOCS / "images").iterdir())
    assert {"scan.svg", "report.png"} <= {picture.name for picture in pictures}
    for picture in pictures:
        assert picture.stat().st_size < 300_000, picture.name
        if picture.suffix == ".svg":
            text = picture.read_text("utf-8")
            assert "url(http" not in text.replace(" ", ""), picture.name
            assert not re.search(r"/(tmp|root|home|work)/", text), picture.name


def calls(text: str) -> list[str]:
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    commands = "scan|apply|diff|snapshot|explain|rules|cache|matrix|bisect"
    return re.findall(rf"api-audit ((?:{commands}) (?:'[^'\n]*'|[^\n#&|>'])*)", blocks)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_commands_on_the_pages_are_understood(page):
    import shlex

    for call in calls(page.read_text("utf-8")):
        parsed(shlex.split(call))


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_settings_on_the_pages_are_accepted(page, tmp_path):
    for number, block in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)):
        file = tmp_path / str(number) / "pyproject.toml"
        file.parent.mkdir()
        file.write_text(block, encoding="utf-8")
        config.load(file)


def test_the_first_page_answers_in_five_lines():
    paragraph = (DOCS / "index.md").read_text("utf-8").split("\n\n")[1]
    assert len(paragraph.splitlines()) == 5
    for question in (
        "**What it is.**",
        "**What it is not.**",
        "**Why not just run a type checker on the new version?**",
    ):
        assert question in paragraph


def test_each_feature_of_ours_in_the_comparison_has_a_test():
    """Every row of which we say more than `no` names a file that holds tests, or a folder of such."""
    rows = [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in (DOCS / "comparison.md").read_text("utf-8").splitlines()
        if row.startswith("|") and not row.startswith(("|---", "| feature"))
    ]
    assert len(rows) > 20
    for feature, ours, *_, named in rows:
        paths = re.findall(r"`((?:tests|benchmarks)/[^`:]*)`", named)
        assert paths or ours in ("no", "Python"), f"{feature}: no test"
        for path in paths:
            files = [ROOT / path] if (ROOT / path).is_file() else sorted((ROOT / path).rglob("test_*.py"))
            assert files, f"{feature}: {path} does not exist"
            held = "".join(file.read_text("utf-8") for file in files)
            assert path.endswith(".sh") or "def test_" in held, f"{feature}: {path} holds no test"


def test_the_promises_name_tests_that_exist():
    security = reference("security")
    page = (DOCS / "security.md").read_text("utf-8")
    for promise, tests in security.PROMISES.items():
        assert f"| {promise} |" in page, "run `python docs/security.py`"
        for test in tests:
            path, _, name = test.partition("::")
            defined = {node.name for node in ast.walk(ast.parse((ROOT / path).read_bytes())) if hasattr(node, "name")}
            assert name in defined if name else any(each.startswith("test_") for each in defined), test
            assert f"`{test}`" in page
    assert "failed**" not in page


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_as_documented(shell):
    assert f"_API_AUDIT_COMPLETE={shell}_source api-audit > " in (DOCS / "howto" / "completion.md").read_text("utf-8")
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version")
    environment = {**os.environ, "_API_AUDIT_COMPLETE": f"{shell}_source"}
    code = "import sys; from auditor.__main__ import main; sys.exit(main([]))"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "api-audit" in done.stdout, done.stderr
    assert f"{shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("api-audit expl", "explain"),
        ("api-audit explain missing-a", "missing-argument"),
        ("api-audit scan --output-format sa", "sarif"),
    ],
)
def test_commands_rules_and_formats_complete(words, wanted):
    variables = {"_API_AUDIT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; from auditor.__main__ import main; sys.exit(main([]))"
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert f"plain,{wanted}" in done.stdout.splitlines()
