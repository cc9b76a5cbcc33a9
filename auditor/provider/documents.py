"""What a function's own words say: the passage of its docstring about the returned value, its deprecation warning."""

from __future__ import annotations

import ast
import re

from auditor.spelling import spell

_MAX_TEXT = 300
_SPHINX = re.compile(r":returns?:\s*(.+?)(?=\n\s*:\w|\n\s*\n|\Z)", re.DOTALL)
_GOOGLE = re.compile(r"^([ \t]*)Returns?:[ \t]*(.*)$", re.MULTILINE)
_NUMPY = re.compile(r"^([ \t]*)Returns?[ \t]*\n[ \t]*-{3,}[ \t]*\n", re.MULTILINE)
_SENTENCE = re.compile(r"(?:^|(?<=[.!\n]))\s*(Returns?\s.+?)(?:\.(?=\s|\Z)|\n\s*\n|\Z)", re.DOTALL)
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
    if match := _SPHINX.search(document):
        return _short(match[1])
    if match := _NUMPY.search(document):
        return _short(_indented(document[match.end() :], match[1], inclusive=True))
    if match := _GOOGLE.search(document):
        return _short(f"{match[2]}\n{_indented(document[match.end() + 1 :], match[1], inclusive=False)}")
    if match := _SENTENCE.search(document):
        return _short(match[1])
    return ""


def _indented(rest: str, indent: str, *, inclusive: bool) -> str:
    """The lines that belong to a section whose title stands at `indent`; NumPy's bodies start at that same column."""
    kept: list[str] = []
    for line in rest.split("\n"):
        if not line.strip():
            if kept:
                break
            continue
        depth = len(line) - len(line.lstrip())
        if depth < len(indent) or (depth == len(indent) and not inclusive):
            break
        kept.append(line)
    return "\n".join(kept)


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
