"""The fixes of findings -> patches that passed their proofs, in one release or in each of many."""

from __future__ import annotations

from auditor.verify.building import build_patches
from auditor.verify.grounds import Ground

__all__ = ["Ground", "build_patches"]
