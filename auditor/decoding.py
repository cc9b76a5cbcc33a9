"""Source bytes -> text, as Python itself would read them."""

from __future__ import annotations

import io
import tokenize


def decode(source: bytes) -> str:
    """Source text by its BOM or encoding declaration, newlines made uniform.

    Raises:
        SyntaxError: The declared encoding does not exist.
        UnicodeDecodeError: The bytes are not in it.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    text = source.decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def decode_leniently(source: bytes) -> str:
    """The text for people: what cannot be decoded is replaced."""
    try:
        return decode(source)
    except (SyntaxError, UnicodeError, LookupError):
        return source.decode("utf-8", "replace")
