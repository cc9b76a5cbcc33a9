"""Which sources may give a module a global name: those that spell it, and those that bring names they do not spell."""

from __future__ import annotations

import re

LAZY = ("__getattr__", "sys.modules", "globals()", "vars()", "locals()", "_LazyModule", "environ", "getenv")
"""What stands in the source of every module that may serve names without binding them."""
_OTHERS = tuple(mark.encode() for mark in LAZY)
_STAR = re.compile(rb"import[\s\\(]*\*")


def may_bind(source: bytes, name: str) -> bool:
    """Whether a module may have a global name, as far as can be told without reading it; False is certain.

    >>> may_bind(b"class Engine: ...", "Engine")
    True
    >>> may_bind(b"class EngineArgs: ...", "Engine")
    False
    """
    word = name.encode()
    if word in source and re.search(rb"\b%b\b" % re.escape(word), source):
        return True
    return any(mark in source for mark in _OTHERS) or _STAR.search(source) is not None
