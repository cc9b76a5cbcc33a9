"""The machine contract: exactly the promised keys, every finding, always valid JSON."""

from __future__ import annotations

import json

import msgspec
from formats.sample import BROKEN, HOSTILE, REPORT

from auditor.formats import RenderOptions, renderer
from auditor.formats.json import contract
from auditor.model import CallSite, Report

PROMISED = {
    *("id", "rule", "severity", "confidence", "state", "provider", "symbol", "argument", "path"),
    *("line", "column", "end_line", "end_column", "message", "old_signature", "new_signature", "fix"),
}


def document(report: Report) -> dict:
    return json.loads(renderer("json")(report, RenderOptions()))


def test_the_contract_holds():
    found = document(REPORT)
    assert list(found) == ["schema", "consumer", "providers", "findings", "problems", "stats"]
    assert found["schema"] == 1
    by_rule = {finding["rule"]: finding for finding in found["findings"]}
    assert set(by_rule["unknown-argument"]) >= PROMISED
    assert by_rule["unknown-argument"]["fix"] == {
        "applicability": "safe",
        "reason": "the new name takes the same values",
        "patch": BROKEN.fix.patch,
    }
    assert by_rule["unknown-argument"]["old_signature"] == "SamplingParams(*, n=1, max_len=16)"
    assert by_rule["return-changed"]["fix"] is None
    assert by_rule["default-changed"]["argument"] == "prefix"


def test_every_state_is_told():
    report = msgspec.structs.replace(REPORT, findings=(msgspec.structs.replace(BROKEN, state="baselined"),))
    assert document(report)["findings"][0]["state"] == "baselined"


def test_undecodable_names_stay_valid():
    assert "\\udc80" in document(HOSTILE)["findings"][0]["path"]


def test_call_sites_for_the_runner():
    site = CallSite(BROKEN.span, "acme.f", 1, ("n",), False, False, "f(n)", "fits")
    found = contract(msgspec.structs.replace(REPORT, call_sites=(site,)), for_runner=True)
    assert found["call_sites"][0]["path"] == "app/serve.py"
    assert found["call_sites"][0]["symbol"] == "acme.f"
