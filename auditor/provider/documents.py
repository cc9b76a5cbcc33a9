"""What a function's own words say: the passage of its docstring about the returned value, its deprecation warning."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from auditor.spelling import spell

_MAX_TEXT = 300
_MAX_DOCUMENT = 20_000
_TITLE = re.compile(r"Returns?:(.*)")
_FIELD = re.compile(r":returns?:(.*)")
_END = re.compile(r"(?<=[.!]) ")
_WARNINGS = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")


def documented_return(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The "Returns" section of the docstring (Google, NumPy and Sphinx style), else its sentence "Returns ..."."""
    if not node.body or not isinstance(node.body[0], ast.Expr) or not isinstance(node.body[0].value, ast.Constant):
        return None
    document = node.body[0].value.value
    if not isinstance(document, str) or "eturn" not in document:
        return None
    found = _section(document)
    return found.encode("utf-8", "replace").decode() if found else None


def _section(document: str) -> str:
    lines = document[:_MAX_DOCUMENT].split("\n")
    for index, line in enumerate(lines):
        shown = line.strip()
        if field := _FIELD.match(shown):
            return _short(" ".join([field[1], *_until(lines[index + 1 :], lambda rest: rest.strip().startswith(":"))]))
        if not shown.startswith("Return"):
            continue
        indent = len(line) - len(line.lstrip())
        if title := _TITLE.match(shown):
            return _short(" ".join([title[1], *_until(lines[index + 1 :], _at_most(indent))]))
        if shown in ("Returns", "Return") and index + 1 < len(lines) and lines[index + 1].strip().startswith("---"):
            return _short(" ".join(_until(lines[index + 2 :], _at_most(indent - 1))))
    for paragraph in "\n".join([line.strip() for line in lines]).split("\n\n"):
        for sentence in _END.split(" ".join(paragraph.split())):
            if sentence.startswith(("Returns ", "Return ")):
                return _short(sentence.rstrip("."))
    return ""


def _until(lines: list[str], ends: Callable[[str], bool]) -> list[str]:
    """The lines of a section: up to a blank one after its first, or one that `ends` it."""
    kept: list[str] = []
    for line in lines:
        if not line.strip():
            if kept:
                break
        elif ends(line):
            break
        else:
            kept.append(line)
    return kept


def _at_most(indent: int) -> Callable[[str], bool]:
    return lambda line: len(line) - len(line.lstrip()) <= indent


def _short(passage: str) -> str:
    shown = " ".join(passage.split())
    return shown if len(shown) <= _MAX_TEXT else f"{shown[:_MAX_TEXT]}..."


def warned(body: list[ast.stmt]) -> str | None:
    """The message of a deprecation warning that every call of the function issues."""
    for node in body:
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        call = node.value
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name not in ("warn", "warn_explicit") or not call.args:
            continue
        category = [*call.args[1:2], *[k.value for k in call.keywords if k.arg == "category"]]
        if any(spell(c).rsplit(".", 1)[-1] in _WARNINGS for c in category):
            message = call.args[0]
            if isinstance(message, ast.Constant) and isinstance(message.value, str):
                return _short(message.value.encode("utf-8", "replace").decode())
            return _short(spell(message))
    return None
