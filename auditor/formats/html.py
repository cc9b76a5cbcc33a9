"""The report to send to a team: one self-contained page that needs no network, with filter, search and diffs."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

import msgspec
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from auditor.formats import RenderOptions
from auditor.formats._deed import deed
from auditor.formats._escape import visible
from auditor.formats._tally import claims, headline, history, per_rule, reach, releases, releases_of, summary, tally
from auditor.model import Fate, Finding, Patch, Report

_SPAN = re.compile("`([^`]+)`")
_AROUND = 2
"""Source lines shown before and after a finding."""


class Line(msgspec.Struct, frozen=True):
    """A line of source or diff: its number or sign, its text in three parts of which the middle one is marked."""

    mark: str
    before: str
    middle: str = ""
    after: str = ""


class Stretch(msgspec.Struct, frozen=True):
    """Neighbouring releases in which a use fares alike: how, how many, said in words, and which."""

    state: Fate
    width: int
    said: str
    span: str
    releases: tuple[str, ...]


def render(report: Report, options: RenderOptions) -> str:
    """The page; its only script is pinned by digest, and nothing else may run or load."""
    folder = files("auditor.formats").joinpath("_html")
    script = folder.joinpath("report.js").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["visible"] = visible
    environment.filters["coded"] = _coded
    template = environment.from_string(folder.joinpath("report.html.j2").read_text(encoding="utf-8"))
    patches = {identity: patch for patch in report.patches for identity in patch.findings}
    return (
        template.render(
            report=report,
            headline=headline(report),
            summary=summary(report),
            tally=tally(report),
            groups=_groups(report),
            source=lambda finding: _source(finding, report),
            patch=lambda finding: patches.get(finding.id),
            diff=_diff,
            deed=deed,
            claims=claims(report),
            history=history,
            strip=lambda finding: _strip(finding, report),
            reach=reach,
            rules=per_rule([finding for finding in report.findings if finding.state == "open"]),
            both=releases,
            releases={provider.name: releases_of(report, provider.name) for provider in report.providers},
            version=options.version,
            style=folder.joinpath("report.css").read_text(encoding="utf-8"),
            script=script,
            digest=b64encode(sha256(script.encode()).digest()).decode(),
        )
        + "\n"
    )


def _strip(finding: Finding, report: Report) -> list[Stretch]:
    """The releases of the range from left to right, neighbours alike as one stretch; none where there is no range."""
    ranges = (provider.range for provider in report.providers if provider.name == finding.provider)
    audited = next((each.releases for each in ranges if each is not None), ())
    stretches = []
    for part in finding.intervals:
        if part.first in audited and (part.last is None or part.last in audited):
            start = audited.index(part.first)
            end = len(audited) - 1 if part.last is None else audited.index(part.last)
            stretches.append(Stretch(part.state, end - start + 1, str(part), part.span, audited[start : end + 1]))
    return stretches


def _groups(report: Report) -> dict[str, list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(finding.span.path, []).append(finding)
    return dict(sorted(groups.items()))


def _source(finding: Finding, report: Report) -> list[Line]:
    """The lines around a finding, the found part of its first line marked."""
    span = finding.span
    lines = report.sources.get(span.path, "").split("\n")
    if not 1 <= span.line <= len(lines) or not any(lines):
        return []
    shown = []
    for number in range(max(span.line - _AROUND, 1), min(span.line + _AROUND, len(lines)) + 1):
        text = lines[number - 1].rstrip("\r")
        if number != span.line:
            shown.append(Line(str(number), _plain(text)))
            continue
        start = span.column - 1
        end = span.end_column - 1 if span.end_line == span.line else len(text)
        shown.append(Line(str(number), _plain(text[:start]), _plain(text[start:end]), _plain(text[end:])))
    return shown


def _diff(patch: Patch) -> list[Line]:
    lines = [line for file in patch.files for line in file.diff.splitlines()]
    return [Line(line[:1], _plain(line)) for line in lines]


def _coded(text: str) -> Markup:
    """A sentence whose `backticked` parts become code."""
    parts = _SPAN.split(visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(parts)
    )


def _plain(text: str) -> str:
    return visible(text.replace("\t", "    "))
