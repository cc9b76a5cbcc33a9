"""Releases by the range: what a consumer declares, at its ends, or every release of a range one by one."""

from __future__ import annotations

from auditor.ranges.declared import scan_declared_ranges
from auditor.ranges.ends import Target, merge, scan_declared
from auditor.ranges.whole import scan_ranges, scan_releases

__all__ = ["Target", "merge", "scan_declared", "scan_declared_ranges", "scan_ranges", "scan_releases"]
