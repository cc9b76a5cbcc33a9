"""A small report with one finding of each kind, and one full of hostile text."""

from __future__ import annotations

from auditor.fingerprint import identified
from auditor.model import (
    ConsumerInfo,
    Finding,
    Fix,
    Patch,
    PatchedFile,
    Problem,
    ProviderInfo,
    Repair,
    Report,
    Signature,
    Span,
)

SOURCE = """\
from acme import SamplingParams

def serve():
    p = SamplingParams(n=1, max_len=64)
    return p
"""
DIFF = """\
--- a/app/serve.py
+++ b/app/serve.py
@@ -4,1 +4,1 @@
-    p = SamplingParams(n=1, max_len=64)
+    p = SamplingParams(n=1, max_tokens=64)
"""
OLD = Signature("SamplingParams(*, n=1, max_len=16)", "acme/params.py", 33)
NEW = Signature("SamplingParams(*, n=1, max_tokens=16)", "acme/params.py", 41)
PATCH = "generated_patches/app-1.2--acme-0.16.0/010-unknown-argument.patch"

BROKEN = Finding(
    rule="unknown-argument",
    severity="error",
    confidence="high",
    provider="acme",
    symbol="acme.params.SamplingParams",
    argument="max_len",
    span=Span("app/serve.py", 4, 29, 4, 36),
    message="`SamplingParams` no longer takes `max_len`",
    label="unknown argument",
    scope="serve",
    text="SamplingParams(n=1, max_len=64)",
    old_signature=OLD,
    new_signature=NEW,
    fix=Fix(
        (Repair("rename-argument", Span("app/serve.py", 4, 9, 4, 40), {"old": "max_len", "new": "max_tokens"}),),
        "safe",
        "the new name takes the same values",
        PATCH,
    ),
)
MOVED = Finding(
    rule="return-changed",
    severity="warning",
    confidence="medium",
    provider="acme",
    symbol="acme.run",
    span=Span("app/run.py", 2, 1, 3, 2),
    message="`run` returns one reply instead of a list",
    notes=("0.11.0 returned `list[Reply]`",),
    unfixed="the use of the value cannot be followed",
    text="run()[0]",
)
NOTED = Finding(
    rule="default-changed",
    severity="info",
    confidence="high",
    provider="acme",
    symbol="acme.Cache",
    argument="prefix",
    span=Span("app/run.py", 1, 1, 1, 6),
    message="`prefix` is now `True`",
    text="Cache()",
)

REPORT = Report(
    consumer=ConsumerInfo("app", "1.2", "app==1.2", 48),
    providers=(ProviderInfo("acme", ("acme",), "0.11.0", "0.16.0", "index", "index", "--from"),),
    findings=identified((BROKEN, MOVED, NOTED)),
    problems=(Problem("app/odd.py", "invalid syntax", 3, "syntax-error"),),
    stats={"call_sites": 312},
    patches=(
        Patch(
            name="010-unknown-argument.patch",
            rule="unknown-argument",
            applicability="safe",
            reason="rename to `max_tokens`",
            symbols=("acme.params.SamplingParams",),
            files=(PatchedFile("app/serve.py", "0" * 64, "1" * 64, DIFF),),
        ),
    ),
    files=("app/odd.py", "app/run.py", "app/serve.py"),
    sources={"app/serve.py": SOURCE, "app/run.py": "c = Cache()\nrun(\n)[0]\n"},
)
CLEAN = Report(consumer=REPORT.consumer, providers=REPORT.providers, findings=(), stats={"call_sites": 312})

_HOSTILE = "\x1b[2Jx\n::error::pwned|<script>alert(1)</script>`]]>&\u202e\udc80[a](javascript:b)\r\x07"
HOSTILE = Report(
    consumer=ConsumerInfo(_HOSTILE, "1", _HOSTILE, 1),
    providers=(ProviderInfo(_HOSTILE, (), None, _HOSTILE, None, _HOSTILE, _HOSTILE),),
    findings=identified(
        (
            Finding(
                rule="unknown-argument",
                severity="error",
                confidence="high",
                provider=_HOSTILE,
                symbol=_HOSTILE,
                argument=_HOSTILE,
                span=Span(f"a{_HOSTILE}.py", 1, 1, 1, 3),
                message=_HOSTILE,
                label=_HOSTILE,
                notes=(_HOSTILE,),
                old_signature=Signature(_HOSTILE, _HOSTILE, 1),
                new_signature=Signature(_HOSTILE, _HOSTILE, 1),
                fix=Fix((), "unsafe", _HOSTILE, _HOSTILE),
                text=_HOSTILE,
            ),
        )
    ),
    problems=(Problem(_HOSTILE, _HOSTILE, 1),),
    sources={f"a{_HOSTILE}.py": f"x = '{_HOSTILE}'"},
)
