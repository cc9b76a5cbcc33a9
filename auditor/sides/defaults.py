"""What is so where environment variables are not set: which those are, and how findings about it are told."""

from __future__ import annotations

from collections.abc import Collection, Container

import msgspec

from auditor.consumer.source import Sources
from auditor.model import Confidence, Finding

_LOWER: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}


class Unmentioned(Container[str]):
    """The environment variables that a consumer leaves alone: none of its files mentions them.

    Args:
        sources: Its files.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known = {"": False}

    def __contains__(self, variable: object) -> bool:
        name = str(variable)
        if name not in self._known:
            texts = self._sources.read(self._sources.modules.values()).values()
            self._known[name] = not any(name.encode() in text for text in texts)
        return self._known[name]


def by_default(finding: Finding, variables: Collection[str]) -> Finding:
    """A finding about what is so by default: with lower confidence, and the variables that would change it."""
    named = " or ".join(f"`{name}`" for name in sorted(variables))
    return msgspec.structs.replace(
        finding,
        confidence=_LOWER[finding.confidence],
        fix=None,
        unfixed=finding.unfixed or "the settings decide whether this happens",
        notes=(*finding.notes, f"this is so by default, unless {named} is set"),
    )
