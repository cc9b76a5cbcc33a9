"""One release as the checks ask it: what each use of the consumer means there, and whether it is reached."""

from __future__ import annotations

from auditor.sides.arguments import argument_at, argument_named, shape_of
from auditor.sides.defaults import Unmentioned, by_default
from auditor.sides.paths import exists, path_of, steps
from auditor.sides.presumed import PresumedSide, first_missing, may_be_compiled, presumed
from auditor.sides.side import CallOutcome, Side
from auditor.sides.variants import Variants, of_variant

__all__ = [
    "CallOutcome",
    "PresumedSide",
    "Side",
    "Unmentioned",
    "Variants",
    "argument_at",
    "argument_named",
    "by_default",
    "exists",
    "first_missing",
    "may_be_compiled",
    "of_variant",
    "path_of",
    "presumed",
    "shape_of",
    "steps",
]
