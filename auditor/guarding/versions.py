"""Version tests for teams that prefer them, and for releases that nothing else tells apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from auditor.guarding.names import FileNames
from auditor.guarding.releases import Release
from auditor.model import Repair, Span
from auditor.portions import portion
from auditor.terms import Guard


class Condition(NamedTuple):
    """An expression, and what the module needs for it."""

    text: str
    needs: tuple[Repair, ...] = ()
    words: str = ""
    """What it asks, for people."""


def version_test(
    releases: Sequence[Release], yes: set[int], no: set[int], names: FileNames, at: Span
) -> Condition | None:
    """A test that is true for some releases and false for others, in the file's own words where it has such tests."""
    bounds = _bounds(releases, yes, no)
    negated = bounds is None
    bounds = bounds or _bounds(releases, no, yes)
    if bounds is None:
        return None
    package = next(iter(releases[0].side.providers.values()))
    own = _own_words(names, {package, *releases[0].side.providers})
    needs: list[Repair] = []
    if own is None:
        constant, new = names.constant(
            f'Version(version("{package}"))', [f"_{re.sub(r'[^A-Za-z0-9]+', '_', package).upper()}_VERSION"]
        )
        if new:
            needs += [
                Repair("add-import", at, {"module": "importlib.metadata", "name": "version"}),
                Repair("add-import", at, {"module": "packaging.version", "name": "Version"}),
                Repair("define-constant", at, {"name": constant, "value": f'Version(version("{package}"))'}),
            ]
        own = f'{constant} {{operator}} Version("{{version}}")'
    parts = [own.format(operator=operator, version=version) for operator, version in bounds]
    words = " and ".join(f"{package} {operator} {version}" for operator, version in bounds)
    text = " and ".join(parts)
    return Condition(f"not ({text})" if negated else text, tuple(needs), words)


def _bounds(releases: Sequence[Release], yes: set[int], no: set[int]) -> list[tuple[str, str]] | None:
    """The comparisons that all of `yes` and none of `no` pass."""
    try:
        mine = sorted(Version(releases[n].version or "?") for n in yes)
        others = sorted(Version(releases[n].version or "?") for n in no)
    except InvalidVersion:
        return None
    if not mine or any(mine[0] <= other <= mine[-1] for other in others):
        return None
    found = []
    if any(other < mine[0] for other in others):
        found.append((">=", str(mine[0].public)))
    if above := [other for other in others if other > mine[-1]]:
        found.append(("<", str(above[0].public)))
    return found


def _own_words(names: FileNames, packages: set[str]) -> str | None:
    """A version test of this file with `{operator}` and `{version}` in place of its own."""
    for use in names.uses:
        for guard in _flat(use.guards):
            mine = guard.kind == "version" and portion(guard.package, packages) is not None and not guard.part
            if mine and (found := _pattern(guard, names)) is not None:
                return found
    return None


def _flat(guards: Sequence[Guard]) -> list[Guard]:
    return [one for guard in guards for one in (_flat(guard.parts) if guard.parts else [guard])]


def _pattern(guard: Guard, names: FileNames) -> str | None:
    """`Version(lib.__version__) >= Version("1.2")` -> `Version(lib.__version__) {operator} Version("{version}")`"""
    try:
        test = ast.parse(guard.text, mode="eval").body
    except SyntaxError:
        return None
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            literals = [n for n in ast.walk(right) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            known = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
            top = {n.id for s in names.tree.body for n in ast.walk(s) if isinstance(n, ast.Name)} | {
                alias.asname or alias.name.partition(".")[0]
                for s in names.tree.body
                if isinstance(s, ast.Import | ast.ImportFrom)
                for alias in s.names
            }
            if len(literals) != 1 or not isinstance(right, ast.Call) or not known <= top or "{" in guard.text:
                return None
            shown = ast.unparse(right).replace(repr(literals[0].value), '"{version}"')
            return f"{ast.unparse(left)} {{operator}} {shown}"
        case _:
            return None
