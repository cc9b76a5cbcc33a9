"""The contract for machines, version 1: every finding whatever its state, with nothing of the tool's internals."""

from __future__ import annotations

from typing import Any

import msgspec

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.model import CallSite, Finding, Fix, ProviderInfo, Report, Signature

SCHEMA = 1


def render(report: Report, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """The report as an indented JSON document."""
    return encode(contract(report))


def encode(document: Any) -> str:
    """`document` as JSON text; what could harm a terminal is written as an escape, which readers undo."""
    text = msgspec.json.format(msgspec.json.encode(_clean(document)), indent=2).decode()
    return "\n".join(visible(line) for line in text.split("\n")) + "\n"


def contract(report: Report, *, for_runner: bool = False) -> dict[str, Any]:
    """The report as plain data; for the runner also every audited call, and what calls methods by name."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "consumer": msgspec.to_builtins(report.consumer),
        "providers": [_provider(provider) for provider in report.providers],
        "findings": [_finding(finding) for finding in report.findings],
        "problems": msgspec.to_builtins(report.problems),
        "stats": dict(report.stats),
    }
    if for_runner:
        document["call_sites"] = [_call_site(site) for site in report.call_sites]
        document["by_name"] = msgspec.to_builtins(report.by_name)
    return document


def _provider(provider: ProviderInfo) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(provider)
    whole = document.pop("range")
    return document if whole is None else {**document, "range": whole}


def _finding(finding: Finding) -> dict[str, Any]:
    span = finding.span
    return {
        "id": finding.id,
        "rule": finding.rule,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "state": finding.state,
        "state_reason": finding.state_reason,
        "provider": finding.provider,
        "symbol": finding.symbol,
        "argument": finding.argument,
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "message": finding.message,
        "notes": list(finding.notes),
        "old_signature": _text(finding.old_signature),
        "new_signature": _text(finding.new_signature),
        "fix": _fix(finding.fix),
        "unfixed": finding.unfixed,
        **({"releases": msgspec.to_builtins(finding.intervals)} if finding.intervals else {}),
    }


def _text(signature: Signature | None) -> str | None:
    return signature.text if signature else None


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {"applicability": fix.applicability, "reason": fix.reason, "patch": fix.patch}


def _call_site(site: CallSite) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(site)
    if not site.releases:
        del document["releases"]
    return {**document.pop("span"), **document}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
