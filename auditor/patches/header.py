"""The header of a patch file: what its lines are called, how texts are made harmless, and how they are read back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from auditor.errors import PatchError

FORMAT = "# api-audit patch, format 1"
LIMIT = 2000
"""Characters of one header value; longer ones are cut."""

_ONCE = ("Content", "Rule", "Consumer", "Safety", "Reason")
_ORDER = (*_ONCE[:3], "Provider", *_ONCE[3:], "Symbol", "Old", "New", "Finding", "File", "Proof")
_LINE = re.compile(rf"# ({'|'.join(_ORDER)}|Expects|Gives): (.*)")


def plain(text: str) -> str:
    """One line without control, format or unassigned characters, of limited length: nothing a terminal would obey."""
    flat = " ".join(text.split())
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in flat)
    return safe if len(safe) <= LIMIT else safe[: LIMIT - 3] + "..."


@dataclass
class Header:
    """The values of a header, by line name; files as (path, digest before, digest after)."""

    values: dict[str, list[str]] = field(default_factory=dict)
    files: list[tuple[str, str, str]] = field(default_factory=list)

    def one(self, name: str) -> str:
        """The value of a line that stands exactly once."""
        return self.values[name][0]

    def many(self, name: str) -> tuple[str, ...]:
        """The values of a line that may repeat."""
        return tuple(self.values.get(name, ()))


def parse(lines: list[str]) -> Header:
    """Read a header strictly: known lines, in their order, each value just as `plain` would have written it."""
    if not lines or lines[0] != FORMAT:
        raise PatchError("It is not a patch of this tool, or of a later format")
    header = Header()
    stage = 0
    pending: list[str] = []
    for line in lines[1:]:
        match = _LINE.fullmatch(line)
        if match is None or plain(match[2]) != match[2]:
            raise PatchError("Its header holds a line that does not belong there")
        name, value = match.groups()
        if name in ("Expects", "Gives"):
            if len(pending) != ("Expects", "Gives").index(name) + 1:
                raise PatchError("Its header names a file without both digests")
            pending.append(_digest(value))
            if name == "Gives":
                header.files.append((pending[0], pending[1], pending[2]))
                pending = []
            continue
        if pending or _ORDER.index(name) < stage:
            raise PatchError("Its header lines are out of order")
        stage = _ORDER.index(name)
        if name == "File":
            pending = [value]
        header.values.setdefault(name, []).append(value)
    if pending or any(len(header.values.get(name, ())) != 1 for name in _ONCE):
        raise PatchError("Its header is not complete")
    return header


def _digest(value: str) -> str:
    match = re.fullmatch(r"sha256:([0-9a-f]{64})", value)
    if match is None:
        raise PatchError("Its header holds something else than a SHA-256 digest")
    return match[1]
