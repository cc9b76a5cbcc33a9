"""Source bytes -> text, as Python itself would read them, and its syntax tree."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

MAX_BYTES = 32 * 2**20
"""Source size beyond which a file is reported instead of read."""


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


def parse(source: bytes) -> tuple[str, ast.Module]:
    """The text and its syntax tree, without the warnings that Python has for it.

    Raises:
        SyntaxError: It cannot be decoded or parsed; so with the other errors of `decode` and `ast.parse`.
        ValueError: It is larger than `MAX_BYTES`.
    """
    if len(source) > MAX_BYTES:
        raise ValueError(len(source))
    text = decode(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return text, ast.parse(text)
