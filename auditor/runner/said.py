"""What the runner tells people: lines on standard output and error, with nothing in them that a terminal would obey."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from auditor.patches.header import plain
from auditor.runner.preflight import Result, Row


def say(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def tell(text: str) -> None:
    """A line on standard output; its indentation stays."""
    body = text.lstrip(" ")
    sys.stdout.write(" " * (len(text) - len(body)) + plain(body) + "\n")
    sys.stdout.flush()


def preflight_lines(result: Result, *, patched: bool, every: bool) -> Iterator[str]:
    """The report of preflight: what fails on either side, or every row, and the sum."""
    for row in result.rows:
        if every or row.before or row.after or row.drift:
            yield from _row(row)
    for finding in result.unrepaired:
        yield f"no patch repairs: {finding}"
    for side in (False, True):
        yield _sum(result, patched=side)
    failing = result.failing(patched=patched)
    verdict = f"{len(failing)} would fail" if failing else "nothing fails"
    yield f"{'patched' if patched else 'unpatched'}: {verdict} ({result.seconds:.1f} s, Python {result.python})"


def _row(row: Row) -> Iterator[str]:
    yield f"{row.path}:{row.line} {row.kind} {row.symbol}"
    for side, error in (("unpatched", row.before), ("patched", row.after)):
        if error:
            yield f"    {side}: fails: {error}"
        elif row.unknown:
            yield f"    {side}: unknown: {row.unknown}"
        else:
            yield f"    {side}: {'binds' if row.kind == 'call' else 'found'}"
    if row.signature and (row.before or row.after or row.drift):
        yield f"    live: {row.signature}"
    if row.drift:
        yield f"    differs from the audited release: {row.drift}"


def _sum(result: Result, *, patched: bool) -> str:
    counts: dict[str, tuple[int, int]] = {}
    for row in result.rows:
        fine = (row.after if patched else row.before) is None and not row.unknown
        good, total = counts.get(row.kind, (0, 0))
        counts[row.kind] = (good + fine, total + 1)
    parts = [f"{good} of {total} {kind}s" for kind, (good, total) in sorted(counts.items())]
    return f"{'patched' if patched else 'unpatched'}: fit {', '.join(parts)}"
