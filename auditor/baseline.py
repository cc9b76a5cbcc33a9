"""Findings a team has accepted for now, kept in a file by fingerprint: no line numbers, one sorted entry a line."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from auditor.errors import ConfigError
from auditor.model import Finding

SCHEMA = 1
_HEADER = "api-audit-baseline"


class Entry(msgspec.Struct, frozen=True, order=True):
    """One accepted finding; everything but `id` is there for the reader of the file."""

    path: str
    rule: str
    symbol: str
    scope: str
    id: str


class Baseline(msgspec.Struct, frozen=True):
    """The accepted findings of one file."""

    entries: tuple[Entry, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """The fingerprints it accepts."""
        return frozenset(entry.id for entry in self.entries)

    def stale(self, findings: Iterable[Finding], scanned: Collection[str], rules: Collection[str]) -> tuple[Entry, ...]:
        """Entries that this run should have met and did not: their file was read, their rule was asked for."""
        met = {finding.id for finding in findings}
        gone = (entry for entry in self.entries if entry.id not in met)
        return tuple(entry for entry in gone if entry.path in scanned and (not rules or entry.rule in rules))


def accept(findings: Iterable[Finding], known: Baseline, stale: Collection[Entry]) -> Baseline:
    """A baseline of `findings`, keeping what this run could not have met and dropping what is stale."""
    entries = {entry.id: entry for entry in known.entries if entry not in stale}
    for finding in findings:
        entries[finding.id] = Entry(
            path=finding.span.path, rule=finding.rule, symbol=finding.symbol, scope=finding.scope, id=finding.id
        )
    return Baseline(tuple(sorted(entries.values())))


def read(file: Path) -> Baseline:
    """The baseline in `file`."""
    where = str(file)
    try:
        header, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        hint = "Create it with --write-baseline"
        raise ConfigError(f"the baseline cannot be read: {why}", where=where, hint=hint) from error
    try:
        schema = msgspec.json.decode(header.encode(), type=dict[str, int]).get(_HEADER)
    except msgspec.DecodeError:
        schema = None
    if schema != SCHEMA:
        raise ConfigError("this is not a baseline of this version of api-audit", where=f"{where}:1")
    entries = []
    for number, line in enumerate(lines, 2):
        if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
            raise ConfigError("the baseline has an unresolved merge conflict", where=f"{where}:{number}")
        try:
            entries.append(msgspec.json.decode(line.encode(), type=Entry))
        except msgspec.DecodeError as error:
            raise ConfigError(f"not a baseline entry: {error}", where=f"{where}:{number}") from error
    return Baseline(tuple(entries))


def write(file: Path, baseline: Baseline) -> None:
    """Replace `file` in one step."""
    lines = [msgspec.json.encode({_HEADER: SCHEMA}), *(msgspec.json.encode(entry) for entry in baseline.entries)]
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_bytes(b"\n".join(lines) + b"\n")
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ConfigError(f"the baseline cannot be written: {error.strerror}", where=str(file)) from error
