"""Makes text from strangers harmless: control, direction and surrogate characters become visible escapes."""

from __future__ import annotations

import re

# C0 and C1 controls, line and paragraph separators, zero-width and bidirectional controls, lone surrogates: each can
# move the cursor, reorder what is read, or end a line that a format treats as a record.
_HOSTILE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """One line of `text` with every hostile character written as an escape."""
    return _HOSTILE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
