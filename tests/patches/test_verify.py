"""Fixes become patches only by passing their proofs; what fails is dropped alone, with the reason."""

from __future__ import annotations

import re

import pytest
from patches.sample import laid

from auditor.model import CallSite, Finding, Fix, Repair, Span
from auditor.patches import hunks, proofs
from auditor.patches.apply import apply
from auditor.patches.reader import read_set
from auditor.patches.series import PatchSet, patched
from auditor.patches.writer import write_set
from auditor.verify import Ground, build_patches

SOURCES = {
    "app/a.py": b"from lib import f, old\n\nx = f(1, gone=2)\ny = f(2, gone=3)\nz = old()\nw = g(3, bad=1)\n",
    "app/b.py": b"from lib import g\n\nx = g(g(0, gone=1), gone=2)\n",
    "app/c.py": b"x = 1\n",
}
RULES = {
    "gone": ("unknown-argument", "error", "safe", lambda s: Repair("remove-argument", s, {"name": "gone"})),
    "bad": (
        "renamed-argument",
        "error",
        "safe",
        lambda s: Repair("rename-argument", s, {"name": "bad", "new_name": "worse"}),
    ),
    "odd": ("odd-argument", "error", "safe", lambda s: Repair("add-argument", s, {"name": "n", "value": "1"})),
    "note": ("default-changed", "info", "safe", lambda s: Repair("add-argument", s, {"name": "kept", "value": "0"})),
    "risky": (
        "altered",
        "warning",
        "unsafe",
        lambda s: Repair("rename-argument", s, {"name": "risky", "new_name": "fine"}),
    ),
    "shown": ("shown", "error", "display-only", lambda s: Repair("remove-argument", s, {"name": "shown"})),
}


def scan(files):
    """A toy scan: a call's keyword names what is wrong with it; importing `old` is wrong too."""
    found = []
    for path, source in files.items():
        text = source.decode()
        for match in re.finditer(r"\b(?:f|g|h)\(((?:[^()]|\([^()]*\))*)\)|\bold\b(?=\n)", text):
            for start in [match.start()] + [match.start(1) + m.start() for m in re.finditer(r"g\(", match[1] or "")]:
                end = match.end() if start == match.start() else text.index(")", start) + 1
                line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
                span = Span(path, line, column, line, column + end - start)
                call = re.sub(r"\([^()]*\)", "", text[start + 2 : end - 1])
                for word, (rule, severity, applicability, repair) in RULES.items():
                    missing = word == "note" and "note=" in call and "kept=" in call
                    if f"{word}=" in call and not missing:
                        fix = Fix((repair(span),), applicability, f"`{word}` is why.")
                        found.append(finding(rule, severity, span, fix, argument=word))
                if text[start:end] == "old":
                    fix = Fix(
                        (Repair("rename-symbol", span, {"name": "old", "new_name": "fresh"}),), "safe", "Renamed."
                    )
                    found.append(finding("unresolved-import", "error", span, fix))
        for match in re.finditer("worse=", text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(finding("worse-argument", "error", Span(path, line, 1, line, 2), None))
    return found


def finding(rule, severity, span, fix, argument=None):
    return Finding(
        rule,
        severity,
        "high",
        "lib",
        "lib.f",
        span,
        f"{rule}!",
        argument,
        fix=fix,
        id=f"{rule}@{span.path}:{span.line}",
    )


def built(sources=SOURCES, findings=None, rescan=scan, call_sites=None):
    given = scan(sources) if findings is None else findings
    patches, after = build_patches("app-1--lib-2", sources, given, [Ground(given, rescan, call_sites)])
    assert [f.id for f in after] == [f.id for f in given]
    return patches, after


def test_one_patch_a_rule_the_safe_ones_and_the_errors_first():
    sources = {"app/a.py": b"f(risky=1)\ng(note=1)\nf(gone=1)\nfrom lib import old\n"}
    patches, after = built(sources)
    assert [(p.name, p.applicability) for p in patches] == [
        ("010-unknown-argument.patch", "safe"),
        ("020-unresolved-import.patch", "safe"),
        ("030-default-changed.patch", "safe"),
        ("040-altered.patch", "unsafe"),
    ]
    assert {f.fix.patch for f in after} == {f"app-1--lib-2/{p.name}" for p in patches}
    assert patched(patches, sources) == {"app/a.py": b"f(fine=1)\ng(note=1, kept=0)\nf()\nfrom lib import fresh\n"}


def test_patches_are_a_series_over_the_same_files(tmp_path):
    patches, after = built()
    result = patched(patches, SOURCES)
    assert result["app/b.py"] == b"from lib import g\n\nx = g(g(0))\n"
    assert result["app/a.py"] == SOURCES["app/a.py"].replace(b", gone=2", b"").replace(b", gone=3", b"").replace(
        b"old", b"fresh"
    )
    assert result["app/c.py"] is SOURCES["app/c.py"]
    folder = write_set(tmp_path, "app-1--lib-2", PatchSet("app", "1", ("lib 1 -> 2",), patches))
    root = laid(tmp_path / "tree", SOURCES)
    apply(read_set(folder), root)
    assert {path: (root / path).read_bytes() for path in SOURCES} == result
    unfixed = [f for f in after if f.unfixed]
    assert [f.rule for f in unfixed] == ["renamed-argument"]
    assert unfixed[0].fix is None
    assert "would bring a new finding, worse-argument" in unfixed[0].unfixed


def test_the_proofs_are_named_in_the_patch():
    (patch, *_), _ = built()
    assert [proof.name for proof in patch.proofs] == ["parses", "contained", "rescan", "idempotent", "binds", "applies"]
    assert patch.proofs[2].detail == "4 findings gone, none new"
    assert patch.findings == tuple(f.id for f in scan(SOURCES) if f.rule == "unknown-argument")
    assert (patch.symbols, patch.reason) == (("lib.f",), "`gone` is why.")


def test_a_failing_fix_is_dropped_alone():
    sources = {"app/a.py": b"f(gone=1)\nf(gone=2)\n", "app/b.py": b"f(gone=3)\n"}
    findings = scan(sources)
    wrong = Fix((Repair("rename-argument", findings[2].span, {"name": "gone", "new_name": "worse"}),), "safe", "No.")
    import msgspec

    findings[2] = msgspec.structs.replace(findings[2], fix=wrong)
    patches, after = built(sources, findings)
    assert [bool(f.unfixed) for f in after] == [False, False, True]
    assert patched(patches, sources) == {"app/a.py": b"f()\nf()\n", "app/b.py": b"f(gone=3)\n"}


def test_where_blame_is_unclear_fixes_are_tried_one_by_one():
    sources = {"app/a.py": b"f(gone=1)\nf(gone=2)\nf(gone=3)\n"}
    findings = scan(sources)

    def rescan(files):
        text = files["app/a.py"]
        extra = (
            [finding("worse-argument", "error", Span("app/a.py", 9, 1, 9, 2), None)] if b"gone=2" not in text else []
        )
        return scan(files) + extra

    patches, after = built(sources, findings, rescan)
    assert [bool(f.unfixed) for f in after] == [False, True, False]
    assert patched(patches, sources)["app/a.py"] == b"f()\nf(gone=2)\nf()\n"


def test_display_only_and_settled_findings_are_left_alone():
    import msgspec

    sources = {"app/a.py": b"f(shown=1)\nf(gone=2)\n"}
    shown, gone = scan(sources)
    given = [shown, msgspec.structs.replace(gone, state="suppressed")]
    patches, after = built(sources, given)
    assert patches == ()
    assert list(after) == given


def one(text: bytes, repair, **kwargs):
    """What becomes of a single finding whose fix is `repair`."""
    sources = {"app/a.py": text}
    span = Span("app/a.py", 1, 1, 1, 1 + len(text.split(b"\n")[0]))
    given = [finding("unknown-argument", "error", span, Fix((repair(span),), "safe", "why"), argument="gone")]
    patches, after = built(sources, given, **{"rescan": lambda files: [], **kwargs})
    return patches, after[0].unfixed


def test_what_cannot_be_repaired_says_why():
    _, reason = one(b"f(a)\n", lambda s: Repair("rename-argument", s, {"name": "x", "new_name": "y"}))
    assert reason == "It cannot be repaired: app/a.py:1:1: The call passes neither `x` nor `y` by name"
    _, reason = one(b"f(a)\n", lambda s: Repair("remove-argument", s, {"name": "gone"}))
    assert reason == "The repair changes nothing"
    _, reason = one(b"f(gone=1)\r", lambda s: Repair("remove-argument", s, {"name": "gone"}))
    assert "byte by byte" in reason


def test_a_finding_that_stays_is_no_success():
    _, reason = one(
        b"f(gone=1)\n",
        lambda s: Repair("add-argument", s, {"name": "n", "value": "1"}),
        rescan=scan,
    )
    assert reason == "The finding is still there after the repair"


def test_a_repair_that_does_not_parse_is_dropped():
    remove = {"text": "x", "where": "before"}
    _, reason = one(
        b"def f(): return (yield)\n", lambda s: Repair("insert-statement", s, {**remove, "text": "return = 1"})
    )
    assert "is not a statement" in reason
    _, reason = one(b"f(a)\n", lambda s: Repair("replace-expression", s, {"text": "await x"}))
    assert reason == "It cannot be repaired: app/a.py: The repaired file is not valid Python"
    _, reason = one(b"f(a)\n", lambda s: Repair("wrap-expression", s, {"before": "g(a=1, a=", "after": ")"}))
    assert reason == "It cannot be repaired: app/a.py: The repaired file is not valid Python"


def test_a_repaired_call_must_bind():
    site = CallSite(Span("app/a.py", 1, 1, 1, 8), "lib.f", 0, (), False, False, None, "broken")
    repair = {"name": "gone"}
    patches, reason = one(
        b"f(gone=1)\n", lambda s: Repair("remove-argument", s, repair), call_sites=lambda files: [site]
    )
    assert (patches, reason) == ((), "The repaired call of `lib.f` would not bind to its new signature")

    import msgspec

    fits = msgspec.structs.replace(site, verdict="fits")
    patches, reason = one(
        b"f(gone=1)\n", lambda s: Repair("remove-argument", s, repair), call_sites=lambda files: [fits]
    )
    assert reason is None
    assert patches[0].proofs[4].detail == "every audited call on the edited lines binds to its new signature (1)"


def test_a_call_with_another_open_finding_may_wait_for_its_patch():
    sources = {"app/a.py": b"f(gone=1, odd=2)\n"}

    def sites(files):
        return [CallSite(Span("app/a.py", 1, 1, 1, 8), "lib.f", 0, (), False, False, None, "broken")]

    patches, after = built(sources, call_sites=sites)
    assert [p.rule for p in patches] == ["unknown-argument"]
    assert [f.unfixed for f in after if f.rule == "odd-argument"] == ["The finding is still there after the repair"]


def test_names_that_other_files_import_stay():
    sources = {
        "app/a.py": b"from lib import old\n",
        "app/b.py": b"from app.a import old as it\n",
    }
    patches, (first, *_) = built(sources)
    assert patches == ()
    assert "Other files import `old` from app/a.py" in first.unfixed
    assert proofs.taken_names("app/a.py", b"old = 1\n", b"new = 1\n", {"app/b.py": b"from .a import old\n"}) == ["old"]
    assert proofs.taken_names("app/a.py", b"old = 1\n", b"new = 1\n", {"app/b.py": b"from .z import old\n"}) == []


def test_git_has_the_last_word(monkeypatch):
    monkeypatch.setattr(proofs, "git_objection", lambda *_: "corrupt patch at line 7")
    _, reason = one(b"f(gone=1)\n", lambda s: Repair("remove-argument", s, {"name": "gone"}))
    assert reason == "git does not take the patch: corrupt patch at line 7"


def test_git_really_objects():
    before, after = {"app/a.py": b"x = 1\ny = 2\n"}, {"app/a.py": b"x = 3\ny = 2\n"}
    file = hunks.make("app/a.py", before["app/a.py"], after["app/a.py"])
    if not proofs.has_git():
        pytest.skip("git is not installed")
    assert proofs.git_objection([file], before, after) is None
    assert "patch does not apply" in (proofs.git_objection([file], {"app/a.py": b"z\n"}, after) or "").replace(
        "failed", "does not apply"
    )
    assert proofs.git_objection([file], before, {"app/a.py": b"else\n"}) == "its result differs from ours"


def test_without_git_the_patch_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    (patch, *_), _ = built()
    assert patch.proofs[-1].detail == "applies and reverses byte by byte with our own reader (git is not installed)"


@pytest.mark.parametrize("path", ["../a.py", "/tmp/a.py", "app/a.txt"])
def test_paths_that_no_patch_may_name_are_not_repaired(path):
    sources = {path: b"f(gone=1)\n"}
    patches, (after,) = built(sources)
    assert patches == ()
    assert "something else than a Python file" in after.unfixed


def test_repairs_over_several_files_belong_together():
    sources = {"app/a.py": b"def f(old): return old\n", "app/b.py": b"f(old=1)\n"}
    rename = {"name": "old", "new_name": "new"}
    repairs = (
        Repair("rename-parameter", Span("app/a.py", 1, 5, 1, 6), rename),
        Repair("rename-argument", Span("app/b.py", 1, 1, 1, 9), rename),
    )
    given = [finding("invalid-method-override", "error", repairs[0].span, Fix(repairs, "safe", "why"))]
    patches, _ = built(sources, given, lambda files: [])
    assert patched(patches, sources) == {"app/a.py": b"def f(new): return new\n", "app/b.py": b"f(new=1)\n"}
    assert [file.path for file in patches[0].files] == ["app/a.py", "app/b.py"]
