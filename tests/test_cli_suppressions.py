"""`# api-audit: ignore[rule] reason`: what it accepts, and when it is told to be useless."""

from __future__ import annotations

import msgspec
import pytest
from formats.sample import BROKEN

from auditor.model import Span
from auditor.suppressions import applied, read


def finding(line: int, end: int | None = None, rule: str = "a-b"):
    return msgspec.structs.replace(BROKEN, rule=rule, span=Span("a.py", line, 1, end or line, 5))


@pytest.mark.parametrize(
    ("text", "line", "end"),
    [
        ("f(1)  # api-audit: ignore[a-b] we know", 1, 1),
        ("f(1)  #api-audit:ignore[c, a-b]   we know", 1, 1),
        ("# api-audit: ignore[a-b] we know\nf(1)", 2, 2),
        ("# api-audit: ignore[a-b] we know\n# more words\n\nf(1)", 4, 4),
        ("f(\n    1,  # api-audit: ignore[a-b] we know\n)", 1, 3),
        ("f(1)  # noqa # api-audit: ignore[a-b] we know", 1, 1),
    ],
)
def test_accepted(text, line, end):
    (judged,), unused = applied([finding(line, end)], {"a.py": text})
    assert (judged.state, judged.state_reason) == ("suppressed", "we know")
    assert unused == ()


@pytest.mark.parametrize(
    "text",
    [
        "f(1)  # api-audit: ignore[other] we know",
        "f(1)  # api-audit: ignore[a-b]",
        "f(1)  # api-audit: ignore we know",
        "f(1)\ng(2)  # api-audit: ignore[a-b] we know",
    ],
)
def test_not_accepted_and_reported(text):
    (judged,), unused = applied([finding(1)], {"a.py": text})
    assert judged.state == "open"
    assert len(unused) == 1


def test_faults_are_named():
    (no_rule, no_reason) = read("a.py", "f()  # api-audit: ignore because\ng()  # api-audit: ignore[a-b]\n")
    assert "names no rule" in no_rule.fault
    assert "gives no reason" in no_reason.fault


def test_strings_are_no_comments():
    assert read("a.py", "x = '# api-audit: ignore[a-b] reason'\n") == ()


def test_damaged_files_are_read_as_far_as_they_go():
    assert len(read("a.py", "f()  # api-audit: ignore[a-b] reason\nx = (\n")) == 1
