"""The table for machines, schema 1: rows with states and intervals, columns with counts, the clean part."""

from __future__ import annotations

from typing import Any

import msgspec

from auditor.formats import RenderOptions
from auditor.formats.json import encode
from auditor.matrix.table import Column, Fits, Row, Table
from auditor.model import Interval

SCHEMA = 1


def table(told: Table, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """The table as an indented JSON document."""
    return encode(
        {
            "schema": SCHEMA,
            "kind": "matrix",
            "consumer": {"name": told.consumer, "version": told.version},
            "provider": told.provider,
            "releases": [_release(column) for column in told.columns],
            "findings": [_row(row, told) for row in told.rows],
            "clean": [_interval(part) for part in told.clean],
            "problems": told.problems,
            "stats": told.stats,
        }
    )


def _release(column: Column) -> dict[str, Any]:
    return {
        "release": column.release,
        "version": column.version,
        "origin": column.origin,
        "old": column.old,
        "old_reason": column.reason,
        "errors": column.count("error"),
        "warnings": column.count("warning"),
        "notes": column.count("info"),
        "clean": column.clean,
        "failure": column.failure,
    }


def _row(row: Row, told: Table) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(row)
    states = {column.release: state for column, state in zip(told.columns, row.states, strict=True)}
    return {**document, "states": states, "intervals": [_interval(part) for part in row.intervals]}


def _interval(part: Interval) -> dict[str, Any]:
    return {"first": part.first, "last": part.last, "state": part.state}


def fits(told: Fits, options: RenderOptions) -> str:  # noqa: ARG001 - every format has the same signature
    """The versions as an indented JSON document."""
    return encode({"schema": SCHEMA, "kind": "fits", **msgspec.to_builtins(told)})
