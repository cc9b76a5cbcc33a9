"""One consumer and many releases: which finding breaks where, what is clean, and which consumer fits best."""

from __future__ import annotations

from auditor.matrix.consumers import fits
from auditor.matrix.line import Line, Prepared, alone, label_of
from auditor.matrix.releases import Range, assembled, audited, expanded, matrix
from auditor.matrix.table import Column, Fits, Row, Table

__all__ = [
    "Column",
    "Fits",
    "Line",
    "Prepared",
    "Range",
    "Row",
    "Table",
    "alone",
    "assembled",
    "audited",
    "expanded",
    "fits",
    "label_of",
    "matrix",
]
