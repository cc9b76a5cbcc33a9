"""Rewrites single words that the running Python does not take: strings, numbers, operators, names that are keywords."""

from __future__ import annotations

import ast
import re
import sys

from auditor.provider.legacy.lexing import Token

OLD = "Python 2 syntax"
NEW = f"syntax newer than Python {sys.version_info[0]}.{sys.version_info[1]}"

_OCTAL = re.compile(r"0+([1-7][0-7]*)[lL]?")
_LONG = re.compile(r"(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[1-9][0-9]*|0)[lL]")
_ESCAPE = re.compile(
    r"\\(?:(u(?![0-9a-fA-F]{4})|U(?![0-9a-fA-F]{8})|N(?!\{\w[^{}]*\})|x(?![0-9a-fA-F]{2}))|.)", re.DOTALL
)
_TRUTH = frozenset(("True", "False", "None"))
_BEFORE_NAMES = frozenset((".", "import", "from", "def", "class", "as"))
_AFTER_NAMES = frozenset(("=", ",", ")", ".", ":", "]", ""))


def texts(words: list[Token]) -> str | None:
    """`ur""`, `0777`, `10L`, `<>`, and strings that only other versions can read."""
    met = None
    for word in words:
        text = word.text
        if word.kind == "string":
            word.text, kind = _string(text)
            met = kind or met
        elif word.kind == "number":
            if match := _LONG.fullmatch(text):
                word.text, met = match[1], OLD
            elif match := _OCTAL.fullmatch(text):
                word.text, met = f"0o{match[1]}", OLD
        elif text == "<>":
            word.text, met = "!=", OLD
    return met


def _string(text: str) -> tuple[str, str | None]:
    start = re.match(r"[a-zA-Z]*", text)
    prefix = start[0].lower() if start else ""
    if "t" in prefix or "f" in prefix:
        written = text if "f" in prefix else re.sub("[tT]", "f", text, count=1)
        if not _parses(written):
            lines = text.count("\n")
            return ('f"""' + "\n" * lines + '"""' if lines else 'f""'), NEW
        return written, None if "f" in prefix else NEW
    if prefix == "ur":
        return text[1:], OLD
    if not prefix or prefix == "u":
        escaped = _ESCAPE.sub(lambda match: "\\" + match[0] if match[1] else match[0], text)
        return escaped, OLD if escaped != text else None
    if "b" in prefix and not text.isascii():
        return text[len(prefix) :] if prefix == "b" else "r" + text[len(prefix) :], OLD
    return text, None


def _parses(expression: str) -> bool:
    try:
        ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def backticks(words: list[Token]) -> str | None:
    """`` `x` `` for `repr(x)`"""
    ticks = [word for word in words if word.text == "`"]
    for opening, closing in zip(ticks[::2], ticks[1::2], strict=False):
        opening.text, closing.text = "repr(", ")"
    return OLD if len(ticks) > 1 else None


def names(words: list[Token]) -> str | None:
    """Keywords of today where they were names: the same names in letters that only the parser takes for the same."""
    met = None
    for index, word in enumerate(words):
        text = word.text
        if word.kind != "name" or text not in ("async", "await", "nonlocal", *_TRUTH):
            continue
        before = words[index - 1].text if index else ""
        after = words[index + 1].text if index + 1 < len(words) else ""
        if text in _TRUTH:
            is_name = before == "." or (index == 0 and _is_assigned(words))
        elif text == "async":
            is_name = after not in ("def", "for", "with")
        else:
            is_name = before in _BEFORE_NAMES or after in _AFTER_NAMES
        if is_name:
            word.text, met = disguised(text), OLD
    return met


def disguised(keyword: str) -> str:
    """A keyword as an identifier of the same name: Python normalises identifiers, but not keywords."""
    first = keyword[0]
    return chr(0x1D41A + ord(first) - ord("a") if first.islower() else 0x1D400 + ord(first) - ord("A")) + keyword[1:]


def _is_assigned(words: list[Token]) -> bool:
    """`True, False = 1, 0`"""
    equals = next((i for i, word in enumerate(words) if word.text == "="), 0)
    targets = [word for word in words[:equals] if word.text not in ",()"]
    for word in targets:
        if word.text in _TRUTH:
            word.text = disguised(word.text)
    return bool(targets)
