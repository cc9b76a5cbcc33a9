"""One repair for many releases: plain where it holds in all of them, guarded where they disagree."""

from __future__ import annotations

from auditor.guarding.guarding import Guarded, guarded
from auditor.guarding.releases import Release, Style, Trial

__all__ = ["Guarded", "Release", "Style", "Trial", "guarded"]
