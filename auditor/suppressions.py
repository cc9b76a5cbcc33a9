"""Reads `# api-audit: ignore[rule, ...] reason` and says which findings each accepts, and which accept nothing."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from auditor.model import Finding, Problem

MARK = "api-audit:"
PRUNED = "unneeded-guard"
"""The rule of `api-audit prune`: no scan can tell whether a comment that names it is needed."""
_COMMENT = re.compile(r"#\s*api-audit:\s*ignore\b(?:\[(?P<rules>[^\]]*)\])?\s*(?P<reason>.*)")


class Suppression(msgspec.Struct, frozen=True):
    """One comment: where it stands, the line it is about, its rules and its reason."""

    path: str
    line: int
    target: int
    """The line it is about: its own, or the next line of code where it stands alone."""
    rules: tuple[str, ...]
    reason: str

    @property
    def fault(self) -> str | None:
        """Why it accepts nothing, if it is not written as it must be."""
        if not self.rules:
            return "names no rule; write `# api-audit: ignore[rule] reason`"
        if not self.reason:
            return "gives no reason; write `# api-audit: ignore[rule] reason`"
        return None

    @property
    def unused(self) -> Problem:
        """What to say where it accepts nothing."""
        return Problem(self.path, self.fault or "accepts nothing and can go", self.line, "suppression")

    def covers(self, finding: Finding) -> bool:
        """Whether it accepts `finding`."""
        span = finding.span
        return (
            self.fault is None
            and finding.rule in self.rules
            and span.path == self.path
            and span.line <= self.target <= max(span.end_line, span.line)
        )


def read(path: str, text: str) -> tuple[Suppression, ...]:
    """The suppressions in one file, in order."""
    if MARK not in text:
        return ()
    lines = text.split("\n")
    found = []
    for line, column, comment in _comments(text):
        match = _COMMENT.search(comment)
        if match:
            rules = tuple(rule.strip() for rule in (match["rules"] or "").split(",") if rule.strip())
            alone = not lines[line - 1][:column].strip()
            target = _next_code(lines, line) if alone else line
            found.append(Suppression(path, line, target, rules, match["reason"].strip()))
    return tuple(found)


def applied(
    findings: Iterable[Finding], sources: Mapping[str, str]
) -> tuple[tuple[Finding, ...], tuple[Suppression, ...]]:
    """The findings with their states, and the comments that accepted none of them."""
    known = [one for path, text in sources.items() for one in read(path, text)]
    used: set[Suppression] = set()
    judged = []
    for finding in findings:
        comment = next((one for one in known if one.covers(finding)), None)
        if comment is not None:
            used.add(comment)
            finding = msgspec.structs.replace(finding, state="suppressed", state_reason=comment.reason)
        judged.append(finding)
    return tuple(judged), tuple(one for one in known if one not in used and one.rules != (PRUNED,))


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, column and text of each comment; strings that look like one are none."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _next_code(lines: list[str], line: int) -> int:
    for number in range(line + 1, len(lines) + 1):
        text = lines[number - 1].strip()
        if text and not text.startswith("#"):
            return number
    return line
