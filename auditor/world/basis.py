"""What an answer of a world rests on, beside the consumer's own modules; it is remembered with the answer.

It is a set of bits: one for the providers, and one more for each environment variable that decides something.
"""

from __future__ import annotations

from collections.abc import Iterable

OWN = 0
"""Nothing else: the answer is the same in every world that has the same consumer."""
RELEASE = 1
"""Something was asked of a provider."""


class Variables:
    """The environment variables that something in a world rests on, each with its bit."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}

    def basis(self, names: Iterable[str]) -> int:
        """The basis of what some variables decide."""
        basis = OWN
        for name in names:
            basis |= self._bits.setdefault(name, RELEASE << 1 + len(self._bits))
        return basis

    def names(self, basis: int) -> list[str]:
        """The variables in a basis."""
        return [name for name, bit in self._bits.items() if basis & bit] if basis > RELEASE else []
