"""The table for pull requests and wikis: findings with their intervals, then the releases, folded."""

from __future__ import annotations

from auditor.formats import RenderOptions
from auditor.formats._markdown import code, prose
from auditor.matrix.formats._words import comparison, headline, history, recommendation, sharing, subject, verdict
from auditor.matrix.table import Column, Fits, Table


def table(told: Table, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """Headline, verdict, and two tables."""
    parts = [f"### api-audit: {prose(headline(told))}", f"**{prose(verdict(told))}** {prose(comparison(told))}".strip()]
    if told.rows:
        lines = ["| finding | where | first in | history |", "|---|---|---|---|"]
        for row in told.rows:
            finding = f"{row.severity} {_code(row.rule)}: {_cell(row.message)}"
            place = f"{_code(f'{row.path}:{row.line}')} {_code(subject(row))}"
            lines.append(f"| {finding} | {place} | {_cell(row.first)} | {_cell(history(row))} |")
        parts.append("\n".join(lines))
    head = ["| release | errors | warnings | notes | |", "|---|---:|---:|---:|---|"]
    lines = [*head, *(_release(column) for column in told.columns)]
    body = "\n".join(lines)
    parts.append(f"<details><summary>{len(told.columns)} releases</summary>\n\n{body}\n\n</details>")
    parts.append(f"{prose(sharing(told))}.")
    return "\n\n".join(parts) + "\n"


def _release(column: Column) -> str:
    if column.failure is not None:
        return f"| {_cell(column.release)} | ? | ? | ? | {_cell(column.failure)} |"
    counts = " | ".join(str(column.count(severity)) for severity in ("error", "warning", "info"))
    return f"| {_cell(column.release)} | {counts} | {'clean' if column.clean else ''} |"


def fits(told: Fits, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """The recommendation, and a table of versions."""
    lines = ["| version | errors | warnings | notes | written for |", "|---|---:|---:|---:|---|"]
    for fit in told.versions:
        counts = "? | ? | ?" if fit.failure is not None else f"{fit.errors} | {fit.warnings} | {fit.notes}"
        version = f"**{_cell(fit.version)}**" if fit.version == told.best else _cell(fit.version)
        lines.append(f"| {version} | {counts} | {_cell(fit.failure or fit.old)} |")
    title = f"### api-audit: {prose(f'{told.consumer} on {told.release}')}"
    return "\n\n".join([title, f"**{prose(recommendation(told))}**", "\n".join(lines)]) + "\n"


def _cell(text: str) -> str:
    return prose(text)


def _code(text: str) -> str:
    """A code span in a table cell, in which even code must not hold a bare `|`."""
    return code(text).replace("|", "\\|")
