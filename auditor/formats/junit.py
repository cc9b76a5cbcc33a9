"""JUnit XML: each open finding a failed test case, so that any CI service can show them."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.formats._tally import headline
from auditor.model import Finding, Report


def render(report: Report, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """One suite; a clean audit is one test that passes. Notes pass too, their text in `system-out`."""
    opened = [finding for finding in report.findings if finding.state == "open"]
    failures = sum(finding.severity != "info" for finding in opened)
    name = _attribute(headline(report))
    cases = [_case(finding) for finding in opened] or [f'    <testcase classname="api-audit" name={name}/>']
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    return "\n".join(
        (
            '<?xml version="1.0" encoding="utf-8"?>',
            f'<testsuites name="api-audit" {counts}>',
            f"  <testsuite name={name} {counts}>",
            *cases,
            "  </testsuite>",
            "</testsuites>",
            "",
        )
    )


def _case(finding: Finding) -> str:
    span = finding.span
    place = f"{span.path}:{span.line}:{span.column}"
    head = (
        f"    <testcase classname={_attribute(span.path)} name={_attribute(f'{finding.rule} {place}')} "
        f'file={_attribute(span.path)} line="{span.line}">'
    )
    details = [finding.message, *finding.notes]
    details += [signature.text for signature in (finding.old_signature, finding.new_signature) if signature]
    text = escape("\n".join(_legal(line) for line in (place, *details)))
    if finding.severity == "info":
        body = f"      <system-out>{text}</system-out>"
    else:
        body = f"      <failure type={_attribute(finding.rule)} message={_attribute(finding.message)}>{text}</failure>"
    return f"{head}\n{body}\n    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """`text` without the characters that XML 1.0 forbids."""
    return visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
