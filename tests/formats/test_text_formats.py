"""`full` and `concise`: what a person reads in a terminal."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
from formats.sample import BROKEN, CLEAN, HOSTILE, REPORT

from auditor.formats import RenderOptions, renderer
from auditor.formats._deed import deed
from auditor.formats._tally import headline, summary
from auditor.model import Fix, ProviderInfo, Repair, Report, Span

PLAIN = RenderOptions()


def full(report: Report, **options) -> str:
    return renderer("full")(report, RenderOptions(**options))


def test_full_shows_source_signatures_and_fix():
    assert full(REPORT).startswith("app 1.2: acme 0.11.0 -> 0.16.0\n\n")
    assert """\
error[unknown-argument]: `SamplingParams` no longer takes `max_len`
 --> app/serve.py:4:29
  |
4 |     p = SamplingParams(n=1, max_len=64)
  |                             ^^^^^^^ unknown argument
  = acme 0.11.0: SamplingParams(*, n=1, max_len=16)  (acme/params.py:33)
  = acme 0.16.0: SamplingParams(*, n=1, max_tokens=16)  (acme/params.py:41)
  = help: rename argument `max_len` to `max_tokens`: the new name takes the same values (safe;
      generated_patches/app-1.2--acme-0.16.0/010-unknown-argument.patch)
""" in full(REPORT, width=120)


def test_notes_come_last():
    text = full(REPORT)
    assert text.index("warning[") < text.index("error[") < text.index("info[")


def test_full_lists_patches_last():
    last = full(REPORT).rstrip().split("\n\n")[-1]
    assert last == f"1 patch written:\n  {BROKEN.fix.patch}  safe"


def test_full_says_why_there_is_no_fix():
    assert "= no fix: the use of the value cannot be followed" in full(REPORT)
    assert "= confidence: medium" in full(REPORT)


def test_a_span_over_lines_is_marked_to_the_end_of_its_first():
    assert "2 | run(\n  | ^^^^\n" in full(REPORT)


def test_colour_only_when_asked():
    assert "\x1b" not in full(REPORT)
    painted = full(REPORT, color=True)
    assert "\x1b[1;31m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == full(REPORT)


def test_long_lines_keep_the_marked_part():
    line = "x = " + "a" * 300 + "BAD" + "b" * 300
    report = msgspec.structs.replace(
        REPORT,
        findings=(msgspec.structs.replace(BROKEN, span=Span("app/serve.py", 1, 305, 1, 308)),),
        sources={"app/serve.py": line},
    )
    shown = full(report, width=80).split("\n")
    source, carets = next((one, two) for one, two in pairwise(shown) if "^" in two)
    assert len(source) <= 80
    start = carets.index("^")
    assert source[start : start + 3] == "BAD"


def test_tabs_and_wide_characters_keep_the_carets_in_place():
    report = msgspec.structs.replace(
        REPORT,
        findings=(msgspec.structs.replace(BROKEN, span=Span("app/serve.py", 1, 5, 1, 8)),),
        sources={"app/serve.py": "\t日本(BAD)"},
    )
    assert "1 |     日本(BAD)\n  |          ^^^ unknown argument" in full(report)


def test_suppressed_findings_are_shown_on_request():
    report = msgspec.structs.replace(
        REPORT, findings=(msgspec.structs.replace(BROKEN, state="suppressed", state_reason="we know"),)
    )
    assert "unknown-argument" not in full(report)
    assert "= suppressed: we know" in full(report, verbose=True)


def test_concise():
    assert renderer("concise")(REPORT, PLAIN).splitlines() == [
        "app/run.py:1:1: default-changed `prefix` is now `True`",
        "app/run.py:2:1: return-changed `run` returns one reply instead of a list",
        "app/serve.py:4:29: unknown-argument [*] `SamplingParams` no longer takes `max_len`",
    ]


def test_statistics():
    assert "1  unknown-argument  [1 fixable]" in full(REPORT, statistics=True)
    shown = msgspec.structs.replace(BROKEN, fix=msgspec.structs.replace(BROKEN.fix, applicability="display-only"))
    only_shown = msgspec.structs.replace(REPORT, findings=(shown,))
    assert "1  unknown-argument\n" in full(only_shown, statistics=True), "what is only shown can nobody apply"
    assert "1\tunknown-argument\t1" in renderer("concise")(REPORT, RenderOptions(statistics=True))


def test_hostile_text_cannot_move_the_cursor_or_forge_lines():
    for text in (full(HOSTILE, verbose=True), renderer("concise")(HOSTILE, PLAIN)):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\udc80]", text)
        assert not re.search("^::error", text, re.MULTILINE)


def test_sentences():
    assert headline(REPORT) == "app 1.2: acme 0.11.0 -> 0.16.0"
    counts = "1 error, 1 warning, 1 note in 48 files (1 fixable); 1 not audited"
    assert summary(REPORT) == f"{counts}; 312 call sites, acme 0.11.0 -> 0.16.0"
    assert summary(CLEAN) == "No drift: 48 files, 312 call sites against acme 0.16.0"
    beside = msgspec.structs.replace(CLEAN, stats={"call_sites": 0, "files_touching": 0})
    assert summary(beside) == "No drift: 48 files, no import of acme 0.16.0"
    folders = ProviderInfo("acme", (), None, "", "/x/old", "/x/new", "--from")
    assert headline(msgspec.structs.replace(REPORT, providers=(folders,))) == "app 1.2: acme old -> new"
    unknown = ProviderInfo("acme", (), None, "2", None, "index", "")
    hint = "(no old side known: name it with --from)"
    assert headline(msgspec.structs.replace(REPORT, providers=(unknown,))) == f"app 1.2: acme ? -> 2 {hint}"
    assert summary(msgspec.structs.replace(REPORT, providers=(unknown,))).endswith("acme ? -> 2")


def test_a_deed_of_several_lines_is_told_by_its_first():
    span = BROKEN.span
    repairs = (
        Repair("insert-statement", span, {"text": "if x:\n    y()\n", "where": "before"}),
        Repair("set-argument", span, {"name": "key", "value": "[\n    1,\n]"}),
    )
    told = deed(Fix(repairs, "unsafe", "because"))
    assert told == "insert statement `if x: ...`, set argument `key=[ ...`: because"
