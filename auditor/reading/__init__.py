"""Expressions -> terms: what syntax says, in the scope that it stands in."""

from __future__ import annotations

from auditor.reading.environment import Conditions, Environment
from auditor.reading.expressions import annotated, annotation, bind_target, comprehension_scope, read, text

__all__ = [
    "Conditions",
    "Environment",
    "annotated",
    "annotation",
    "bind_target",
    "comprehension_scope",
    "read",
    "text",
]
