"""The page: one file, no network, nothing from strangers as markup."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import msgspec
from formats.sample import BROKEN, HOSTILE, REPORT

from auditor.fingerprint import identified
from auditor.formats import RenderOptions, renderer
from auditor.model import Interval, Range, Report


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts.append(data)
        self.text += data


def page(report: Report) -> Page:
    return Page(renderer("html")(report, RenderOptions(version="1.0")))


def test_it_tells_the_findings():
    found = page(REPORT)
    assert "SamplingParams no longer takes max_len" in found.text
    assert "SamplingParams(*, n=1, max_tokens=16)" in found.text
    assert len([tag for tag, attributes in found.tags if attributes.get("class", "").startswith("finding")]) == 3


def test_it_loads_nothing():
    for tag, attributes in page(REPORT).tags:
        assert "src" not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"
        elif "href" in attributes:
            assert attributes["href"].startswith("#")


def test_only_its_own_script_may_run():
    for report in (REPORT, HOSTILE):
        found = page(report)
        (script,) = found.scripts
        policy = next(
            attributes["content"]
            for tag, attributes in found.tags
            if attributes.get("http-equiv") == "Content-Security-Policy"
        )
        digest = b64encode(sha256(script.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in policy
        assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)


def test_the_patch_is_shown_as_a_diff():
    identity = next(finding.id for finding in REPORT.findings if finding.rule == "unknown-argument")
    patches = tuple(msgspec.structs.replace(patch, findings=(identity,)) for patch in REPORT.patches)
    classes = [attributes.get("class") for _, attributes in page(msgspec.structs.replace(REPORT, patches=patches)).tags]
    assert "added" in classes
    assert "removed" in classes


def test_a_thousand_findings_stay_small():
    report = msgspec.structs.replace(REPORT, findings=identified([BROKEN] * 1000))
    text = renderer("html")(report, RenderOptions())
    assert len(re.findall('class="finding', text)) == 1000
    assert len(text) < 4_000_000


def test_the_strip_shows_in_which_releases_each_finding_is_met():
    whole = Range(asked="acme>=0.11", releases=("0.11.0", "0.12.0", "0.13.0", "0.14.0"))
    parts = (Interval("0.11.0", "0.12.0", "fine"), Interval("0.13.0", None, "broken"))
    report = msgspec.structs.replace(
        REPORT,
        providers=tuple(msgspec.structs.replace(provider, range=whole) for provider in REPORT.providers),
        findings=identified([msgspec.structs.replace(BROKEN, intervals=parts)]),
    )
    found = page(report)
    (finding,) = (a for tag, a in found.tags if tag == "details" and a.get("class", "").startswith("finding"))
    assert finding["data-releases"].split() == ["0.13.0", "0.14.0"]
    stretches = [(a["class"], a["style"], a["title"]) for tag, a in found.tags if tag == "b" and "title" in a]
    assert stretches == [
        ("fine", "flex: 2", "0.11.0-0.12.0 fine"),
        ("broken", "flex: 2", "0.13.0- broken"),
    ]
    (strip,) = (a for tag, a in found.tags if a.get("class") == "strip")
    assert strip["aria-label"] == "0.11.0-0.12.0 fine, 0.13.0- broken"


def test_without_a_range_there_is_no_strip():
    assert not [a for _, a in page(REPORT).tags if a.get("class") == "strip" or "release" in a.get("class", "").split()]
