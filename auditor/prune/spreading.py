"""`**{"a": 1}` in a call or dict display, once no condition stands in between: the entries in its place."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword

import libcst as cst

from auditor.fixes._calls import listing, with_arguments
from auditor.fixes._expressions import as_argument
from auditor.fixes._lists import Listing


def spread_arguments(call: cst.Call, chosen: Sequence[bool]) -> cst.Call:
    """The call with the entries of some of its `**{...}` as keywords."""
    arguments = listing(call)
    for index in reversed(range(len(chosen))):
        entries = _keywords(call.args[index].value) if chosen[index] else None
        if entries is None:
            continue
        if not entries:
            arguments.remove(index)
            continue
        comma = arguments.items[index].comma
        arguments.items[index] = entries[0].with_changes(comma=comma)
        for offset, entry in enumerate(entries[1:], 1):
            arguments.insert(index + offset, entry)
    return with_arguments(call, arguments)


def spread_elements(display: cst.Dict, chosen: Sequence[bool]) -> cst.Dict:
    """The dict display with the entries of some of its `**{...}` as its own."""
    elements = Listing.read(list(display.elements), display.lbrace.whitespace_after, display.rbrace.whitespace_before)
    for index in reversed(range(len(chosen))):
        inner = display.elements[index].value
        if not chosen[index] or not isinstance(inner, cst.Dict):
            continue
        if not inner.elements:
            elements.remove(index)
            continue
        comma = elements.items[index].comma
        elements.items[index] = inner.elements[0].with_changes(comma=comma)
        for offset, entry in enumerate(inner.elements[1:], 1):
            elements.insert(index + offset, entry.with_changes(comma=cst.MaybeSentinel.DEFAULT))
    closing = display.rbrace
    if not elements.trailing and elements.items:
        closing = closing.with_changes(whitespace_before=elements.gaps[-1])
    return display.with_changes(
        elements=elements.written(),
        lbrace=display.lbrace.with_changes(whitespace_after=elements.gaps[0]),
        rbrace=closing,
    )


def _keywords(value: cst.BaseExpression) -> list[cst.Arg] | None:
    """The entries of a dict display as keyword arguments; None where a key cannot be one."""
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Name) and value.func.value == "dict":
        plain = all(arg.keyword is not None for arg in value.args)
        return [arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in value.args] if plain else None
    if not isinstance(value, cst.Dict):
        return None
    entries = []
    for element in value.elements:
        key = element.key if isinstance(element, cst.DictElement) else None
        name = key.evaluated_value if isinstance(key, cst.SimpleString) else None
        if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
            return None
        entries.append(
            cst.Arg(
                keyword=cst.Name(name),
                value=as_argument(element.value),
                equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
            )
        )
    return entries
