"""Pass what a dict holds, by `**`, after the other arguments of a call."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes._calls import listing, with_arguments
from auditor.fixes._expressions import WIDTH, code, expression, same

ACTS_ON = cst.Call


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`value` is the source text of an expression that gives a dict."""

    value: str


def fix(node: cst.Call, options: Options) -> cst.Call:
    """The call with `**value`."""
    value = expression(options.value)
    if any(argument.star == "**" and same(argument.value, value) for argument in node.args):
        return node
    bare = isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.Subscript | cst.Dict)
    if not bare and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    arguments = listing(node)
    arguments.insert(len(node.args), cst.Arg(star="**", value=value))
    gap = arguments.gaps[len(node.args)]
    if isinstance(gap, cst.ParenthesizedWhitespace) and len(gap.last_line.value) + len(code(value)) + 3 > WIDTH:
        arguments.items[-1] = cst.Arg(star="**", value=_over_lines(value, gap.last_line.value))
    return with_arguments(node, arguments)


def _over_lines(value: cst.BaseExpression, indent: str) -> cst.BaseExpression:
    """A long choice in brackets with its parts on lines of their own."""
    if not isinstance(value, cst.IfExp):
        return value
    newline = cst.TrailingWhitespace(newline=cst.Newline())
    inner = cst.ParenthesizedWhitespace(newline, indent=True, last_line=cst.SimpleWhitespace(f"{indent}    "))
    outer = inner.with_changes(last_line=cst.SimpleWhitespace(indent))
    return value.with_changes(
        whitespace_before_if=inner,
        whitespace_before_else=inner,
        lpar=[cst.LeftParen(whitespace_after=inner)],
        rpar=[cst.RightParen(whitespace_before=outer)],
    )
