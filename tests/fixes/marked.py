"""Sources with the place of a repair marked between « and »; several repairs number their marks as «1¦ ... ¦1»."""

from __future__ import annotations

import re

from auditor.codemod import rewrite
from auditor.model import Repair, Span

_MARK = re.compile(r"«(?:(\d)¦)?|(?:¦(\d))?»")


def unmarked(text: str) -> tuple[str, dict[str, Span]]:
    """The source without marks, and the span of each."""
    plain, starts, spans, done = "", {}, {}, 0
    for match in _MARK.finditer(text):
        plain += text[done : match.start()]
        done = match.end()
        place = (plain.count("\n") + 1, len(plain) - plain.rfind("\n"))
        if match[0].startswith("«"):
            starts[match[1] or ""] = place
        else:
            spans[match[2] or ""] = Span("pkg/mod.py", *starts[match[2] or ""], *place)
    return plain + text[done:], spans


def repaired(text: str, *repairs: tuple[str, dict[str, str | int | bool]]) -> str:
    """The source after its repairs; with several, the n-th belongs to mark n."""
    plain, spans = unmarked(text)
    marks = [""] if len(repairs) == 1 and "" in spans else [str(n + 1) for n in range(len(repairs))]
    wanted = [
        Repair(name, spans.get(mark) or spans[""], options)
        for mark, (name, options) in zip(marks, repairs, strict=True)
    ]
    return rewrite(plain.encode(), wanted).decode()
