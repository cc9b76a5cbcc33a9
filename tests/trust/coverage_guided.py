"""Fuzzes one target with atheris, which follows coverage: `python coverage_guided.py TARGET CORPUS [OPTION...]`.

A crash is left in the folder `CORPUS` as `TARGET-crash-HASH`; moved to `crashes/`, it is a case from then on.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parent.parent))
with atheris.instrument_imports(include=["auditor"]):
    from trust.targets import TARGETS


def main() -> None:
    """Run until the time is up or something crashes."""
    name, corpus, *options = sys.argv[1:]
    Path(corpus).mkdir(parents=True, exist_ok=True)
    prefix = f"-artifact_prefix={Path(corpus).parent / f'{name}-'}"
    limits = ["-timeout=60", "-rss_limit_mb=3000", "-max_len=400"]
    atheris.Setup([sys.argv[0], corpus, prefix, *limits, *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
