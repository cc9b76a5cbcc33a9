"""The table for people at a terminal: a strip of marks per finding with its intervals, then a line per release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.formats._style import Paint, Palette
from auditor.matrix.formats._words import FATES, comparison, headline, history, padded, recommendation, subject, verdict
from auditor.matrix.table import Column, Fit, Fits, Row, Table
from auditor.model import Fate

_MARKS: dict[Fate, tuple[str, Paint]] = {
    "broken": ("X", "red"),
    "altered": ("!", "yellow"),
    "noted": ("i", "blue"),
    "fine": (".", "green"),
    "elsewhere": (">", "dim"),
    "unknown": ("?", "dim"),
}
_LEGEND = ", ".join(f"{mark} {FATES[fate]}" for fate, (mark, _) in _MARKS.items())


def table(told: Table, options: RenderOptions) -> str:
    """The whole table as text."""
    paint = Palette(color=options.color)
    blocks = ["\n".join(filter(None, (paint("bold", visible(headline(told))), visible(comparison(told)))))]
    rows = [row for row in told.rows if options.verbose or row.severity != "info"]
    blocks += ["\n".join(_row(row, paint)) for row in rows]
    if rows:
        blocks.append(paint("dim", _LEGEND))
    notes = len(told.rows) - len(rows)
    if notes:
        blocks.append(paint("dim", f"{notes} rows are notes only; -v shows them"))
    blocks.append("\n".join(_releases(told, each=options.verbose)))
    blocks.append(paint("bold", visible(verdict(told))))
    return "\n\n".join(blocks) + "\n"


def _row(row: Row, paint: Palette) -> Iterator[str]:
    yield paint.severity(row.severity, f"{row.severity}[{row.rule}]") + paint("bold", f": {visible(row.message)}")
    yield f"    {visible(row.path)}:{row.line}  {visible(subject(row))}  {paint('dim', row.id)}"
    yield "    " + "".join(paint(_MARKS[state][1], _MARKS[state][0]) for state in row.states)
    yield f"    first: {visible(row.first)}; {visible(history(row))}"


def _releases(told: Table, *, each: bool) -> list[str]:
    """A line for each release, or for neighbours of which the same is to be said."""
    runs = [[c] for c in told.columns] if each else [list(run) for _, run in groupby(told.columns, key=_counts)]
    head = ["release", "errors", "warnings", "notes", ""]
    return padded([head, *([_span(run), *_counts(run[0])] for run in runs)])


def _span(run: Sequence[Column]) -> str:
    return visible("-".join(dict.fromkeys((run[0].release, run[-1].release))))


def _counts(column: Column) -> list[str]:
    if column.failure is not None:
        return ["?", "?", "?", visible(column.failure)]
    counts = [str(column.count(severity)) for severity in ("error", "warning", "info")]
    return [*counts, "clean" if column.clean else ""]


def fits(told: Fits, options: RenderOptions) -> str:
    """Each version with its counts, and the best."""
    paint = Palette(color=options.color)
    head = ["version", "errors", "warnings", "notes", "written for"]
    lines = padded([head, *(_fit(fit) for fit in told.versions)])
    title = paint("bold", visible(f"{told.consumer} on {told.release}"))
    return f"{title}\n\n" + "\n".join(lines) + f"\n\n{paint('bold', visible(recommendation(told)))}\n"


def _fit(fit: Fit) -> list[str]:
    if fit.failure is not None:
        return [visible(fit.version), "?", "?", "?", visible(fit.failure)]
    return [visible(fit.version), str(fit.errors), str(fit.warnings), str(fit.notes), visible(fit.old)]
