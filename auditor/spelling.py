"""Spells an expression as source text in one normal form, so that formatting never counts as a change.

The form is that of `ast.unparse` at less than half its cost, without needless parentheses; f-strings have a form of
their own that does not depend on the running Python. What is not covered here is left to `ast.unparse`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

_TUPLE, _TEST, _OR, _AND, _NOT, _COMPARE, _BOR = range(7)
_BXOR, _BAND, _SHIFT, _ARITH, _TERM, _FACTOR, _POWER, _AWAIT, _ATOM = range(7, 16)

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: (" + ", _ARITH),
    ast.Sub: (" - ", _ARITH),
    ast.Mult: (" * ", _TERM),
    ast.MatMult: (" @ ", _TERM),
    ast.Div: (" / ", _TERM),
    ast.Mod: (" % ", _TERM),
    ast.FloorDiv: (" // ", _TERM),
    ast.LShift: (" << ", _SHIFT),
    ast.RShift: (" >> ", _SHIFT),
    ast.BitOr: (" | ", _BOR),
    ast.BitXor: (" ^ ", _BXOR),
    ast.BitAnd: (" & ", _BAND),
    ast.Pow: (" ** ", _POWER),
}
_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Eq: " == ",
    ast.NotEq: " != ",
    ast.Lt: " < ",
    ast.LtE: " <= ",
    ast.Gt: " > ",
    ast.GtE: " >= ",
    ast.Is: " is ",
    ast.IsNot: " is not ",
    ast.In: " in ",
    ast.NotIn: " not in ",
}
_UNARY: dict[type[ast.unaryop], tuple[str, int]] = {
    ast.Not: ("not ", _NOT),
    ast.USub: ("-", _FACTOR),
    ast.UAdd: ("+", _FACTOR),
    ast.Invert: ("~", _FACTOR),
}
_LONGEST = 2000


def spell(node: ast.AST) -> str:
    """The text of `node`; `...` where it is nested too deeply to be spelled."""
    try:
        return _spell(node, _TEST)
    except (RecursionError, ValueError, MemoryError):
        return "..."


def constant(value: object) -> str:
    """The literal for `value`, shortened in the middle where it is very long."""
    if value is ...:
        return "..."
    if isinstance(value, str | bytes) and len(value) > _LONGEST:
        shown = repr(value[:_LONGEST])
        return f"{shown[:-1]}...{shown[-1]}"
    try:
        shown = repr(value)
    except ValueError:  # an integer with more digits than Python agrees to print
        assert isinstance(value, int)
        return hex(value)[:_LONGEST]
    return shown.replace("inf", "1e309") if isinstance(value, float | complex) else shown


def _spell(node: ast.AST, level: int) -> str:
    """The text of `node`, in parentheses where it binds less tightly than `level`."""
    kind = type(node)
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined,no-any-return]
    if kind is ast.Constant:
        return constant(node.value)  # type: ignore[attr-defined]
    if kind is ast.Attribute:
        of = _spell(node.value, _ATOM)  # type: ignore[attr-defined]
        return f"({of}).{node.attr}" if of.isdecimal() else f"{of}.{node.attr}"  # type: ignore[attr-defined]
    speller = _SPELLERS.get(kind)
    if speller is None:
        shown = ast.unparse(node)
        return f"({shown})" if kind is ast.Lambda and level > _TEST else shown
    shown, own = speller(node)
    return f"({shown})" if own < level else shown


def _call(node: ast.Call) -> tuple[str, int]:
    parts = [_spell(a, _TEST) for a in node.args]
    parts += [
        f"{k.arg}={_spell(k.value, _TEST)}" if k.arg is not None else f"**{_spell(k.value, _TEST)}"
        for k in node.keywords
    ]
    return f"{_spell(node.func, _ATOM)}({', '.join(parts)})", _ATOM


def _subscript(node: ast.Subscript) -> tuple[str, int]:
    index = node.slice
    if isinstance(index, ast.Tuple) and index.elts:
        inner = _items(index.elts) + ("," if len(index.elts) == 1 else "")
    else:
        inner = _spell(index, _TEST)
    return f"{_spell(node.value, _ATOM)}[{inner}]", _ATOM


def _slice(node: ast.Slice) -> tuple[str, int]:
    lower = _spell(node.lower, _TEST) if node.lower else ""
    upper = _spell(node.upper, _TEST) if node.upper else ""
    step = f":{_spell(node.step, _TEST)}" if node.step else ""
    return f"{lower}:{upper}{step}", _ATOM


def _items(nodes: list[ast.expr]) -> str:
    return ", ".join([_spell(n, _TEST) for n in nodes])


def _tuple(node: ast.Tuple) -> tuple[str, int]:
    comma = "," if len(node.elts) == 1 else ""
    return f"({_items(node.elts)}{comma})", _ATOM


def _set(node: ast.Set) -> tuple[str, int]:
    return f"{{{_items(node.elts)}}}", _ATOM


def _dict(node: ast.Dict) -> tuple[str, int]:
    pairs = [
        f"**{_spell(value, _BOR)}" if key is None else f"{_spell(key, _TEST)}: {_spell(value, _TEST)}"
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return f"{{{', '.join(pairs)}}}", _ATOM


def _binary(node: ast.BinOp) -> tuple[str, int]:
    sign, own = _BINARY[type(node.op)]
    left, right = (own + 1, own) if isinstance(node.op, ast.Pow) else (own, own + 1)
    return f"{_spell(node.left, left)}{sign}{_spell(node.right, right)}", own


def _unary(node: ast.UnaryOp) -> tuple[str, int]:
    sign, own = _UNARY[type(node.op)]
    return sign + _spell(node.operand, own), own


def _boolean(node: ast.BoolOp) -> tuple[str, int]:
    sign, own = (" and ", _AND) if isinstance(node.op, ast.And) else (" or ", _OR)
    return sign.join([_spell(v, own + 1) for v in node.values]), own


def _compare(node: ast.Compare) -> tuple[str, int]:
    shown = _spell(node.left, _COMPARE + 1)
    for sign, right in zip(node.ops, node.comparators, strict=True):
        shown += _COMPARISON[type(sign)] + _spell(right, _COMPARE + 1)
    return shown, _COMPARE


def _conditional(node: ast.IfExp) -> tuple[str, int]:
    parts = (_spell(node.body, _TEST + 1), _spell(node.test, _TEST + 1), _spell(node.orelse, _TEST))
    return f"{parts[0]} if {parts[1]} else {parts[2]}", _TEST


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> tuple[str, int]:
    if isinstance(node, ast.DictComp):
        shown = f"{_spell(node.key, _TEST)}: {_spell(node.value, _TEST)}"
    else:
        shown = _spell(node.elt, _TEST)
    for part in node.generators:
        target = _items(part.target.elts) if isinstance(part.target, ast.Tuple) else _spell(part.target, _TEST)
        shown += f"{' async' if part.is_async else ''} for {target} in {_spell(part.iter, _TEST + 1)}"
        shown += "".join([f" if {_spell(test, _TEST + 1)}" for test in part.ifs])
    if isinstance(node, ast.ListComp):
        return f"[{shown}]", _ATOM
    return (f"({shown})" if isinstance(node, ast.GeneratorExp) else f"{{{shown}}}"), _ATOM


def _f_string(node: ast.JoinedStr) -> tuple[str, int]:
    return "f" + constant(_f_parts(node)), _ATOM


def _f_parts(node: ast.JoinedStr) -> str:
    shown = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            shown += str(part.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(part, ast.FormattedValue):
            conversion = "" if part.conversion == -1 else f"!{chr(part.conversion)}"
            spec = f":{_f_parts(part.format_spec)}" if isinstance(part.format_spec, ast.JoinedStr) else ""
            shown += f"{{{_spell(part.value, _TEST + 1)}{conversion}{spec}}}"
    return shown


_SPELLERS: dict[type[ast.AST], Callable[[Any], tuple[str, int]]] = {
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: lambda node: (f"[{_items(node.elts)}]", _ATOM),
    ast.Set: _set,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _f_string,
    ast.Starred: lambda node: (f"*{_spell(node.value, _BOR)}", _ATOM),
    ast.Await: lambda node: (f"await {_spell(node.value, _ATOM)}", _AWAIT),
    ast.NamedExpr: lambda node: (f"({_spell(node.target, _ATOM)} := {_spell(node.value, _ATOM)})", _ATOM),
}


def accessed_by_name(node: ast.Call) -> tuple[ast.expr, str] | None:
    """The object and the attribute of `getattr(of, "name")` without a default."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[of, ast.Constant(value=str() as name)], keywords=[]):
            return (of, name) if name.isidentifier() else None
        case _:
            return None
