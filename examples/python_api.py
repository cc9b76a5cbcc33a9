"""Audits a package from Python and prints, per file, what no patch can repair.

Usage: python examples/python_api.py CONSUMER TARGET [WRITTEN_FOR]
       python examples/python_api.py speculators==0.3.0 vllm==0.16
"""

from __future__ import annotations

import sys
from collections import defaultdict

import auditor


def main(consumer: str, target: str, *written_for: str) -> int:
    """Scan `consumer` against `target`; 1 where some file needs a person."""
    options = auditor.Options(consumers=(consumer,), against=(target,), from_=written_for, patch_dir=None)
    report = auditor.scan(options)
    by_hand: dict[str, list[auditor.Finding]] = defaultdict(list)
    for finding in report.findings:
        if finding.severity != "info" and finding.fix is None:
            by_hand[finding.span.path].append(finding)
    for path, findings in sorted(by_hand.items()):
        print(path)
        for finding in findings:
            print(f"  line {finding.span.line}: {finding.message} ({finding.unfixed or 'no fix'})")
    print(f"{len(report.problems)} places could not be audited")
    return 1 if by_hand else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
