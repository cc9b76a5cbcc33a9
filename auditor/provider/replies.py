"""Which parameters decide the shape of what a function returns."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.provider.bodies import Body


def reply_parameters(body: Body, parameters: Sequence[str]) -> tuple[str, ...]:
    """Parameters on which the shape of the returned value depends."""
    del body, parameters
    return ()
