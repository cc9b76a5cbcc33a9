"""What the user probably meant: the nearest known name to a mistyped one, as the tail of an error message."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, limit: int = 3) -> list[str]:
    """The known names that look most like `name`, best first."""
    from difflib import get_close_matches  # most runs have nothing to suggest

    return get_close_matches(name, list(known), n=limit, cutoff=0.6)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question naming the nearest of `known`, or the empty string where nothing comes near."""
    matches = nearest(name, known)
    if not matches:
        return ""
    return "Did you mean " + " or ".join(f"`{match}`" for match in matches) + "?"
