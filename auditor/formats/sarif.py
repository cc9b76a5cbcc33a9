"""SARIF 2.1.0, for code-scanning services: stable rule ids and fingerprints, suppressions, fixes as replacements."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from auditor.formats import RenderOptions
from auditor.formats._changes import Change, changes
from auditor.formats._deed import deed
from auditor.formats._escape import visible
from auditor.formats.json import encode
from auditor.model import Finding, Problem, Report, Severity

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report, options: RenderOptions) -> str:
    """A log with one run: every finding whatever its state, and what could not be audited as notifications."""
    rules = sorted({finding.rule for finding in report.findings})
    fixes = {identity: patch for patch in report.patches for identity in patch.findings}
    run = {
        "tool": {
            "driver": {
                "name": "api-audit",
                "version": options.version or "0",
                "rules": [{"id": rule, "name": _camel(rule), "shortDescription": {"text": rule}} for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of what was scanned."}}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [_notification(problem) for problem in report.problems],
            }
        ],
        "results": [
            _result(finding, rules, changes(fixes[finding.id]) if finding.id in fixes else {})
            for finding in report.findings
        ],
    }
    return encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(finding: Finding, rules: list[str], edits: dict[str, list[Change]]) -> dict[str, Any]:
    span = finding.span
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(span.path), "region": region}}],
        "partialFingerprints": {"apiAuditFingerprint/v1": finding.id},
        "properties": {
            "confidence": finding.confidence,
            "provider": visible(finding.provider),
            "symbol": visible(finding.symbol),
        },
    }
    if finding.state != "open":
        kind = "inSource" if finding.state == "suppressed" else "external"
        result["suppressions"] = [
            {"kind": kind, "justification": visible(finding.state_reason or f"{finding.state} finding")}
        ]
    if finding.fix and span.path in edits:
        description = f"{deed(finding.fix)} ({finding.fix.applicability})"
        result["fixes"] = [
            {
                "description": {"text": visible(description)},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact(span.path),
                        "replacements": [_replacement(change) for change in edits[span.path]],
                    }
                ],
            }
        ]
    return result


def _message(finding: Finding) -> str:
    lines = [finding.message, *finding.notes]
    if finding.fix:
        lines.append(f"Fix ({finding.fix.applicability}): {deed(finding.fix)}")
    elif finding.unfixed:
        lines.append(f"No fix: {finding.unfixed}")
    # SARIF reads "[text](target)" as a link and "{0}" as a placeholder.
    text = "\n".join(visible(line) for line in lines)
    return text.replace("[", "\\[").replace("]", "\\]").replace("{", "{{").replace("}", "}}")


def _replacement(change: Change) -> dict[str, Any]:
    """Whole lines: from the start of the first to the start of the one behind the last."""
    region = {
        "startLine": change.line,
        "startColumn": 1,
        "endLine": change.line + change.removed,
        "endColumn": 1,
    }
    return {"deletedRegion": region, "insertedContent": {"text": change.inserted}}


def _notification(problem: Problem) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": _artifact(problem.path)}
    if problem.line:
        location["region"] = {"startLine": problem.line}
    return {
        "level": "warning",
        "message": {"text": visible(problem.message)},
        "descriptor": {"id": visible(problem.kind)},
        "locations": [{"physicalLocation": location}],
    }


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path.encode("utf-8", "surrogateescape")), "uriBaseId": "SRCROOT"}


def _camel(rule: str) -> str:
    return "".join(word.capitalize() for word in rule.split("-"))
