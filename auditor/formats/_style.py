"""Terminal colours by hand: a palette that paints, or leaves text alone where colour is off."""

from __future__ import annotations

from typing import Literal, TypeAlias

from auditor.model import Severity

Paint: TypeAlias = Literal["bold", "dim", "red", "yellow", "blue", "cyan", "green"]

_CODES: dict[Paint, str] = {
    "bold": "1",
    "dim": "2",
    "red": "1;31",
    "yellow": "1;33",
    "blue": "1;34",
    "cyan": "36",
    "green": "32",
}
SEVERITY: dict[Severity, Paint] = {"error": "red", "warning": "yellow", "info": "blue"}


class Palette:
    """Paints text with ANSI codes when `color` is on."""

    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, paint: Paint, text: str) -> str:
        if not self._color or not text:
            return text
        return f"\x1b[{_CODES[paint]}m{text}\x1b[0m"

    def severity(self, severity: Severity, text: str) -> str:
        """`text` in the colour of its severity."""
        return self(SEVERITY[severity], text)
