"""Reading expressions from option texts, and seating them in their new surroundings with brackets where needed."""

from __future__ import annotations

import ast

import libcst as cst

from auditor.fixes import RepairError

WIDTH = 100
"""What is added is broken over lines where it, and its indentation, would be longer."""
_BLANK = cst.Module(body=[])
_CLOSED = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.BaseNumber,
    cst.BaseString,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.BaseComp,
    cst.Ellipsis,
)
_TIGHT = (cst.Attribute, cst.Subscript, cst.Call, cst.Await)
_PLACES = (
    cst.BaseExpression,
    cst.ComparisonTarget,
    cst.BaseElement,
    cst.BaseDictElement,
    cst.Arg,
    cst.CompFor,
    cst.CompIf,
    cst.FormattedStringExpression,
    cst.Index,
    cst.Slice,
    cst.Decorator,
    cst.Param,
    cst.From,
)


def code(node: cst.CSTNode) -> str:
    """Source text of a node on its own."""
    return _BLANK.code_for_node(node)


def expression(text: str) -> cst.BaseExpression:
    """Parse an expression given as an option."""
    for candidate in (text.strip(), f"({text.strip()})"):  # some stand only in brackets: `a := 1`, several lines
        try:
            return cst.parse_expression(candidate)
        except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError):  # noqa: PERF203 - two tries
            continue
    raise RepairError(f"`{text}` is not an expression")


def identifier(text: str) -> cst.Name:
    """A plain name given as an option."""
    if not text.isidentifier():
        raise RepairError(f"`{text}` is not a name")
    return cst.Name(text)


def dotted(text: str) -> cst.Name | cst.Attribute:
    """A dotted name given as an option."""
    first, *rest = text.split(".")
    node: cst.Name | cst.Attribute = identifier(first)
    for part in rest:
        node = cst.Attribute(value=node, attr=identifier(part))
    return node


def dotted_text(node: cst.CSTNode | None) -> str | None:
    """The text of a dotted name without whitespace, or None for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        of = dotted_text(node.value)
        return None if of is None else f"{of}.{node.attr.value}"
    return None


def bracketed(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression in brackets, once."""
    if node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def as_argument(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression as it must be written after `name=` in a call."""
    if isinstance(node, cst.Tuple | cst.NamedExpr | cst.Yield | cst.GeneratorExp):
        return bracketed(node)
    return node


def same(one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether two expressions mean the same, however they are laid out."""
    return _dump(code(one)) == _dump(code(other))


def _dump(text: str) -> str:
    try:
        return ast.dump(ast.parse(f"({text})", mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def over_lines(node: cst.BaseExpression, indent: str) -> cst.BaseExpression:
    """A long sum, product or the like with one operand a line; anything else stays as it is."""
    if not isinstance(node, cst.BinaryOperation) or node.lpar:
        return node
    newline = cst.TrailingWhitespace(newline=cst.Newline())
    inner = cst.ParenthesizedWhitespace(newline, indent=True, last_line=cst.SimpleWhitespace(f"{indent}    "))
    outer = inner.with_changes(last_line=cst.SimpleWhitespace(indent))
    return _operands(node, type(node.operator), inner).with_changes(
        lpar=[cst.LeftParen(whitespace_after=inner)], rpar=[cst.RightParen(whitespace_before=outer)]
    )


def _operands(node: cst.BaseExpression, kind: type, gap: cst.ParenthesizedWhitespace) -> cst.BaseExpression:
    if not isinstance(node, cst.BinaryOperation) or node.lpar or not isinstance(node.operator, kind):
        return node
    operator = node.operator.with_changes(whitespace_before=gap)
    return node.with_changes(left=_operands(node.left, kind, gap), operator=operator)


def seated(new: cst.BaseExpression, old: cst.BaseExpression, parent: cst.CSTNode | None) -> cst.BaseExpression:
    """`new` in the place of `old`: it takes over its brackets, and gets some where `parent` would bind tighter."""
    if old.lpar:
        return bracketed(new)
    if isinstance(new, _CLOSED) and not isinstance(new, cst.GeneratorExp) and not _is_split(new):
        return new
    if isinstance(new, cst.Await):
        return bracketed(new) if isinstance(parent, _TIGHT) else new
    if isinstance(parent, cst.Arg | cst.BaseElement | cst.Index) and not isinstance(
        new, cst.Tuple | cst.NamedExpr | cst.Yield | cst.GeneratorExp
    ):
        return bracketed(new) if getattr(parent, "star", "") else new
    if isinstance(parent, _PLACES) or isinstance(new, cst.NamedExpr | cst.GeneratorExp):
        return bracketed(new)
    return new


def _is_split(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.ConcatenatedString)
