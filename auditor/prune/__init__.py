"""Finds the guards in a consumer that no release of a range needs any more, and takes them out as proven patches."""

from __future__ import annotations

from auditor.prune.pruning import prune

__all__ = ["prune"]
