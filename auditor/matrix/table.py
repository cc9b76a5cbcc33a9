"""The table release x finding as data: columns as they were audited, rows by fingerprint, intervals, the clean part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from auditor.model import Fate, Finding, Interval, Problem, Severity

_STATES: dict[Severity, Fate] = {"error": "broken", "warning": "altered", "info": "noted"}
_ORDER: tuple[Severity, ...] = ("error", "warning", "info")


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What one release does to the consumer."""

    release: str
    """What it is called: its version, or the reference or folder that was given."""
    name: str = ""
    """The provider's distribution name."""
    version: str | None = None
    origin: str = ""
    old: str = ""
    """The release it was compared with."""
    reason: str = ""
    """Why with that one."""
    findings: tuple[Finding, ...] = ()
    misfits: tuple[str, ...] = ()
    """Where releases are compared with different ones: ids of what surely does not fit this one, drift or not."""
    modules: tuple[str, ...] = ()
    """Digests of the provider modules that were needed."""
    parsed: int = 0
    """How many of them no earlier audit had read."""
    failure: str | None = None
    """Why it could not be audited, where that is so."""
    kept: bool = False
    """Whether the result came from the store."""

    @property
    def open(self) -> list[Finding]:
        """The findings that nobody accepted."""
        return [finding for finding in self.findings if finding.state == "open"]

    def count(self, severity: Severity) -> int:
        """How many open findings are of one severity."""
        return sum(finding.severity == severity for finding in self.open)

    @property
    def clean(self) -> bool:
        """Whether it was audited and nothing but notes is left."""
        return self.failure is None and not self.count("error") and not self.count("warning")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One finding over all releases."""

    id: str
    rule: str
    severity: Severity
    """The worst of all releases."""
    provider: str
    symbol: str
    argument: str | None
    path: str
    line: int
    scope: str
    message: str
    """As the first release that breaks it says it."""
    first: str
    """The first release in which it breaks, whichever row tells so there."""
    states: tuple[Fate, ...]
    intervals: tuple[Interval, ...]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer against many releases of a provider."""

    consumer: str
    version: str | None
    provider: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    clean: tuple[Interval, ...]
    """The parts of the range in which nothing but notes was found."""
    problems: int = 0
    """Places of the consumer that could not be audited."""
    stats: dict[str, int | float] = {}

    @property
    def failed(self) -> list[Column]:
        """Releases that could not be audited."""
        return [column for column in self.columns if column.failure is not None]

    @property
    def failures(self) -> list[Problem]:
        """Why they could not be."""
        return [Problem(f"{self.provider} {c.release}", f"was not audited: {c.failure}") for c in self.failed]


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a consumer on the given release."""

    version: str
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    old: str = ""
    failure: str | None = None


class Fits(msgspec.Struct, frozen=True, kw_only=True):
    """Every version of a consumer on one release, and the best: fewest errors, then fewest warnings, then newest."""

    consumer: str
    release: str
    versions: tuple[Fit, ...]
    best: str | None
    stats: dict[str, int | float] = {}


def settled(columns: Sequence[Column]) -> list[Column]:
    """The columns with what broke in another release already, and does not fit in these either.

    A release that is compared with one in which a use is broken says nothing of that use: it never fitted there.
    """
    known: dict[str, Finding] = {}
    for column in columns:
        for finding in column.findings:
            known.setdefault(finding.id, finding)
    found = []
    for column in columns:
        told = {finding.id for finding in column.findings}
        more = [known[id_] for id_ in dict.fromkeys(column.misfits) if id_ in known and id_ not in told]
        found.append(msgspec.structs.replace(column, findings=(*column.findings, *more)) if more else column)
    return found


def rows_of(columns: Sequence[Column]) -> tuple[Row, ...]:
    """The rows of a table, worst first, then in source order."""
    seen: dict[str, dict[int, Finding]] = {}
    for number, column in enumerate(columns):
        for finding in column.open:
            seen.setdefault(finding.id, {})[number] = finding
    places: dict[tuple[str, int, int], list[dict[int, Finding]]] = {}
    for found in seen.values():
        places.setdefault(_place(found), []).append(found)
    rows = [_row(found, places[_place(found)], columns) for found in seen.values()]
    return tuple(sorted(rows, key=lambda row: (_ORDER.index(row.severity), row.path, row.line, row.rule, row.id)))


def _place(found: dict[int, Finding]) -> tuple[str, int, int]:
    span = next(iter(found.values())).span
    return span.path, span.line, span.column


def _row(found: dict[int, Finding], beside: Sequence[dict[int, Finding]], columns: Sequence[Column]) -> Row:
    first = found[min(found)]
    # Where a migration explains the drift of later releases better, its row takes this one's place there.
    heirs = [other for other in beside if other is not found and not other.keys() & found.keys()]
    states = tuple(_state(number, column, found, heirs) for number, column in enumerate(columns))
    return Row(
        id=first.id,
        rule=first.rule,
        severity=min((f.severity for f in found.values()), key=_ORDER.index),
        provider=first.provider,
        symbol=first.symbol,
        argument=first.argument,
        path=first.span.path,
        line=first.span.line,
        scope=first.scope,
        message=first.message,
        first=columns[min(number for drift in (found, *_same(found, heirs)) for number in drift)].release,
        states=states,
        intervals=intervals([column.release for column in columns], states),
    )


def _same(found: dict[int, Finding], others: Iterable[dict[int, Finding]]) -> Iterator[dict[int, Finding]]:
    """Those of some rows that tell the same of the same thing, by another rule."""
    subject = {(finding.symbol, finding.argument) for finding in found.values()}
    return (other for other in others if any((f.symbol, f.argument) in subject for f in other.values()))


def _state(number: int, column: Column, found: dict[int, Finding], heirs: Iterable[dict[int, Finding]]) -> Fate:
    if column.failure is not None:
        return "unknown"
    if number in found:
        return _STATES[found[number].severity]
    if any(number in heir for heir in heirs) or _gone(next(iter(found.values())).symbol, column):
        return "elsewhere"
    return "fine"


def _gone(symbol: str, column: Column) -> bool:
    """Whether a release lacks a symbol altogether, so that how it is used there is no question."""
    missing = (finding.symbol for finding in column.open if finding.rule.startswith("unresolved-"))
    return any(symbol == gone or symbol.startswith(f"{gone}.") for gone in missing)


def intervals(releases: Sequence[str], states: Sequence[Fate]) -> tuple[Interval, ...]:
    """Runs of one state over releases in order."""
    found = []
    for state, run in groupby(zip(releases, states, strict=True), key=lambda pair: pair[1]):
        names = [name for name, _ in run]
        found.append(Interval(names[0], names[-1], state))
    if found:
        found[-1] = msgspec.structs.replace(found[-1], last=None)
    return tuple(found)


def clean_part(columns: Sequence[Column]) -> tuple[Interval, ...]:
    """The intervals in which every release is clean."""
    states: list[Fate] = ["fine" if column.clean else "unknown" if column.failure else "broken" for column in columns]
    return tuple(part for part in intervals([c.release for c in columns], states) if part.state == "fine")
