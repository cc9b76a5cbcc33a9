"""The sentences that every format of a table says alike."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.formats._tally import plural
from auditor.matrix.table import Fits, Row, Table
from auditor.model import Fate

FATES: dict[Fate, str] = {
    "broken": "broken",
    "altered": "altered",
    "noted": "noted",
    "fine": "fine",
    "elsewhere": "told by another row",
    "unknown": "not audited",
}
"""How each state is called in words."""


def headline(table: Table) -> str:
    """`speculators 0.3.0 on 45 releases of vllm (0.11.0-0.33.0)`"""
    consumer = " ".join(filter(None, (table.consumer, table.version)))
    number = plural(len(table.columns), "release")
    reach = f" ({table.columns[0].release}-{table.columns[-1].release})" if len(table.columns) > 1 else ""
    return f"{consumer} on {number} of {table.provider}{reach}"


def comparison(table: Table) -> str:
    """`Compared with 0.11.0 (declared by the consumer: vllm==0.11.0).`; nothing where no release was audited."""
    olds = {column.old: column.reason for column in table.columns if column.old}
    told = " and ".join(f"{old} ({reason})" if reason else old for old, reason in olds.items())
    return f"Compared with {told}." if told else ""


def verdict(table: Table) -> str:
    """Which part of the range is clean."""
    if not any(column.failure is None for column in table.columns):
        return "No release could be audited."
    if not table.clean:
        return "Clean in no release of the range."
    if len(table.clean) == 1 and all(column.clean for column in table.columns):
        return "Clean in the whole range."
    parts = [f"{part.first} and later" if part.last is None else part.span for part in table.clean]
    return f"Clean in {', '.join(parts)}."


def history(row: Row) -> str:
    """`0.11.0-0.16.0 fine, 0.17.0- broken`"""
    return ", ".join(f"{part.span} {FATES[part.state]}" for part in row.intervals)


def subject(row: Row) -> str:
    """The symbol, with the argument in question."""
    return f"{row.symbol}({row.argument})" if row.argument else row.symbol


def sharing(table: Table) -> str:
    """What neighbours have in common: the share of modules that need not be read again."""
    needed, different = int(table.stats["modules_needed"]), int(table.stats["modules_different"])
    unchanged = f", {1 - different / needed:.0%} of them unchanged between releases" if len(table.columns) > 1 else ""
    return f"{plural(needed, 'module')} needed{unchanged if needed else ''}"


def economy(table: Table) -> str:
    """What this run cost."""
    kept = int(table.stats["releases_kept"])
    parsed = f"{table.stats['modules_parsed']} parsed now"
    traffic = f"{table.stats['traffic_bytes'] / 1e6:.1f} MB received"
    reused = f", {plural(kept, 'release')} from earlier runs" if kept else ""
    return f"{sharing(table)}; {parsed}, {traffic}{reused}, {table.stats['seconds']:.1f} s"


def recommendation(fits: Fits) -> str:
    """Which version fits best."""
    found = next((fit for fit in fits.versions if fit.version == fits.best), None)
    if found is None:
        return "No version could be audited."
    counts = ", ".join((plural(found.errors, "error"), plural(found.warnings, "warning")))
    unread = sum(fit.failure is not None for fit in fits.versions)
    rest = f" {plural(unread, 'version')} could not be audited." if unread else ""
    return f"{fits.consumer} {found.version} fits {fits.release} best: {counts}.{rest}"


def padded(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in columns: the first to the left, the others to the right, the last to the left again."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:-1], widths[1:-1], strict=True)), row[-1]]
        lines.append("  ".join(cells).rstrip())
    return lines
