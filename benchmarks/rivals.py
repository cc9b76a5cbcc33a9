"""Runs the engine of a rival, or griffe's loader, on local trees; started with the tools' own Python.

`rivals.py willitbreak|upgrade-impact OLD_TREE NEW_TREE PACKAGE CONSUMER_ROOT` prints `path:line: message` lines;
`rivals.py griffe TREE PACKAGE` prints how many modules were loaded.
"""

from __future__ import annotations

import sys
from pathlib import Path


def willitbreak(old: str, new: str, package: str, consumer: str) -> None:
    from willitbreak.diff import diff_surfaces
    from willitbreak.report import assess
    from willitbreak.surface import read_surface
    from willitbreak.usage import scan_paths

    before, after = read_surface(Path(old), package, "old"), read_surface(Path(new), package, "new")
    changes = diff_surfaces(before, after)
    scan = scan_paths([Path(consumer)], package, root=Path(consumer))
    told = assess(package, before, after, changes, scan).as_dict()
    for place, message in _places(told):
        print(f"{place}: {message}")


def _places(value: object, message: str = "") -> list[tuple[str, str]]:
    """Every path and line in a report, whatever its exact shape."""
    found = []
    if isinstance(value, dict):
        words = " ".join(str(value[key]) for key in ("kind", "qualname", "detail") if key in value) or message
        if "path" in value and "line" in value:
            found.append((f"{value['path']}:{value['line']}", words))
        for item in value.values():
            found += _places(item, words)
    elif isinstance(value, list):
        for item in value:
            found += _places(item, message)
    return found


def upgrade_impact(old: str, new: str, package: str, consumer: str) -> None:
    import griffe
    from upgrade_impact.check import check_usages
    from upgrade_impact.scan import scan

    def load(tree: str) -> griffe.Module:
        module = griffe.load(package, search_paths=[tree], allow_inspection=False, resolve_aliases=True)
        assert isinstance(module, griffe.Module)
        return module

    for finding in check_usages(scan(consumer, package), load(old), load(new)):
        print(f"{finding.file}:{finding.line}: {finding.message}")


def griffe_load(tree: str, package: str) -> None:
    import griffe

    module = griffe.load(package, search_paths=[tree], allow_inspection=False)
    print(len(list(module.modules)))


if __name__ == "__main__":
    tool, *arguments = sys.argv[1:]
    {"willitbreak": willitbreak, "upgrade-impact": upgrade_impact, "griffe": griffe_load}[tool](*arguments)
