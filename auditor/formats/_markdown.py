"""Escapes for markdown as GitHub and GitLab read it: nothing from strangers becomes markup, a link or a mention."""

from __future__ import annotations

import re

from auditor.formats._escape import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>$:])")
_SPAN = re.compile(r"`([^`]+)`")


def prose(text: str) -> str:
    """A sentence whose `backticked` parts stay code and whose rest is plain text."""
    parts = _SPAN.split(visible(text))
    return "".join(code(part) if index % 2 else _plain(part) for index, part in enumerate(parts))


def code(text: str) -> str:
    """A code span that `text` cannot leave."""
    text = visible(text)
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def block(text: str, language: str = "") -> str:
    """A fenced block that `text` cannot leave."""
    lines = [visible(line.replace("\t", "    ")) for line in text.split("\n")]
    body = "\n".join(lines).rstrip("\n")
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", body)), default=0) + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _plain(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    # A zero-width joiner behind "@" keeps a name from becoming a mention.
    return _SPECIAL.sub(r"\\\1", escaped).replace("@", "@&#8205;")
