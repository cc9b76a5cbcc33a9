"""The table as one self-contained page that runs nothing and loads nothing: findings down, releases across."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from auditor.formats import RenderOptions
from auditor.formats._escape import visible
from auditor.matrix.formats._words import (
    FATES,
    comparison,
    headline,
    history,
    recommendation,
    sharing,
    subject,
    verdict,
)
from auditor.matrix.table import Fits, Table
from auditor.model import Fate

_CODE = re.compile("`([^`]+)`")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_MARKS: dict[Fate, str] = {"broken": "✕", "altered": "!", "noted": "i", "fine": "", "elsewhere": ">", "unknown": "?"}
_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem }
table { border-collapse: collapse; margin: 1.5rem 0 }
th, td { border: 1px solid #8884; padding: .25rem .45rem; text-align: left; vertical-align: top }
td.number { text-align: right }
td.state { text-align: center; min-width: 1rem; padding: .25rem .1rem }
th.release { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal; padding: .4rem .1rem }
thead th, .finding { background: Canvas }
thead th { position: sticky; top: 0 }
.finding { position: sticky; left: 0; min-width: 24rem; max-width: 34rem }
code { font: .9em ui-monospace, monospace }
.legend span { border: 1px solid #8884; padding: .1rem .5rem; margin-right: .5rem }
.broken { background: #d33a; } .altered { background: #e92a; } .noted { background: #48d7 }
.fine { background: #2a52 } .elsewhere, .unknown { background: #8883 }
.path { font: .85em ui-monospace, monospace; opacity: .8; display: block; overflow-wrap: anywhere }
.wide { overflow-x: auto }
@media (max-width: 60rem) { .finding { position: static } }
"""


def table(told: Table, options: RenderOptions) -> str:
    """The page."""
    body = [*_findings(told), *_releases(told), f"<p>{_text(sharing(told))}.</p>"]
    return _page(headline(told), verdict(told), comparison(told), body, options)


def _findings(told: Table) -> Iterator[str]:
    if not told.rows:
        return
    yield '<div class="wide"><table><thead><tr><th>finding</th><th>first in</th>'
    yield "".join(f'<th class="release">{_text(column.release)}</th>' for column in told.columns)
    yield "</tr></thead><tbody>"
    for row in told.rows:
        place = f"{row.path}:{row.line} {subject(row)}"
        yield f'<tr title="{_text(history(row))}"><td class="finding"><b>{_text(row.severity)}</b> {_text(row.rule)}: '
        yield f'{_sentence(row.message)}<span class="path">{_text(place)}</span></td><td>{_text(row.first)}</td>'
        for column, state in zip(told.columns, row.states, strict=True):
            said = _text(f"{column.release}: {FATES[state]}")
            yield f'<td class="state {state}" title="{said}">{_MARKS[state]}</td>'
        yield "</tr>"
    yield "</tbody></table></div>"
    told_so = {state for row in told.rows for state in row.states}
    yield '<p class="legend">'
    yield from (f'<span class="{s}">{mark} {FATES[s]}</span>' for s, mark in _MARKS.items() if s in told_so)
    yield "</p>"


def _releases(told: Table) -> Iterator[str]:
    heads = "".join(f"<th>{head}</th>" for head in ("release", "errors", "warnings", "notes", ""))
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    for column in told.columns:
        counts = [column.count("error"), column.count("warning"), column.count("info")]
        yield _counts(column.release, counts, column.failure, "clean" if column.clean else "")
    yield "</tbody></table>"


def fits(told: Fits, options: RenderOptions) -> str:
    """The page of one consumer's versions."""
    rows = ["<table><thead><tr><th>version</th><th>errors</th><th>warnings</th><th>notes</th><th>written for</th></tr>"]
    rows.append("</thead><tbody>")
    for fit in told.versions:
        counts = [fit.errors, fit.warnings, fit.notes]
        rows.append(_counts(fit.version, counts, fit.failure, fit.old, marked=fit.version == told.best))
    rows.append("</tbody></table>")
    return _page(f"{told.consumer} on {told.release}", recommendation(told), "", rows, options)


def _counts(name: str, counts: list[int], failure: str | None, remark: str, *, marked: bool = False) -> str:
    shown = ["?" if failure is not None else str(number) for number in counts]
    cells = "".join(f'<td class="number">{number}</td>' for number in shown)
    row = '<tr class="fine">' if marked else "<tr>"
    return f"{row}<td>{_text(name)}</td>{cells}<td>{_text(failure or remark)}</td></tr>"


def _page(title: str, sentence: str, more: str, body: list[str], options: RenderOptions) -> str:
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return (
        f"<!doctype html>\n<html lang=en><head>{head}<title>api-audit: {_text(title)}</title><style>{_STYLE}</style>"
        f"</head><body><h1>{_text(title)}</h1><p><b>{_text(sentence)}</b> {_text(more)}</p>\n"
        + "\n".join(body)
        + f"\n<p>api-audit {_text(options.version)}</p></body></html>\n"
    )


def _sentence(text: str) -> str:
    """A sentence whose `backticked` parts become code."""
    parts = map(_text, _CODE.split(text))
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


def _text(text: str) -> str:
    return escape(visible(text))
