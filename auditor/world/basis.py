"""What an answer of a world rests on, beside the consumer's own modules; it is remembered with the answer."""

from __future__ import annotations

OWN = 0
"""Nothing else: the answer is the same in every world that has the same consumer."""
RELEASE = 1
"""Something was asked of a provider."""
SETTINGS = 2
"""Something is decided by environment variables."""
