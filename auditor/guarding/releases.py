"""A release of the range as the guards need it: what breaks there, and what a changed tree would do there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from auditor.model import Finding, Use
from auditor.sides import Side

Style: TypeAlias = Literal["capability", "version"]
"""What a guard asks for: what the installed release can do, or which one it is."""


class Release(msgspec.Struct, frozen=True):
    """One release of the range, with the consumer as it is."""

    label: str
    version: str | None
    side: Side
    findings: Sequence[Finding]
    """The open findings there, each with the fix that this release alone would get."""


class Trial(msgspec.Struct, frozen=True):
    """What a changed tree does in a release."""

    errors: tuple[Finding, ...] = ()
    """What holds in the release that the change was made for, and not here, on the changed lines."""
    uses: tuple[Use, ...] = ()
    """The uses of the changed files."""

    def use(self, finding: Finding) -> Use | None:
        """The use that a finding is about."""
        return use_of(finding, self.uses)


Try: TypeAlias = Callable[[Mapping[str, bytes], int, int], Trial]
"""Changed files, the number of the release that they are made for, and of the one to try them in."""


def use_of(finding: Finding, uses: Sequence[Use]) -> Use | None:
    """The use that a finding is about, among those of its file."""
    for use in uses:
        if use.text == finding.text and use.span.path == finding.span.path:
            spans = (use.span, use.name_span, *(argument.span for argument in use.arguments))
            if finding.span in spans:
                return use
    return None
