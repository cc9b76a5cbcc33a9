"""Put text before and after an expression: `x` becomes `list(x)` or `x or default`."""

from __future__ import annotations

import libcst as cst
import msgspec

from auditor.fixes import RepairError
from auditor.fixes._expressions import bracketed, code, expression

ACTS_ON = cst.BaseExpression
_MARK = "api_audit_wrapped_expression"
_CLOSED = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.SimpleString)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`before` and `after` with the expression between them must make an expression."""

    before: str = ""
    after: str = ""


def fix(node: cst.BaseExpression, options: Options) -> cst.BaseExpression:
    """The expression in its wrapping."""
    text = code(node.with_changes(lpar=(), rpar=()))
    before, after = options.before.strip(), options.after.strip()
    if not before and not after:
        raise RepairError("`wrap-expression` needs `before` or `after`")
    if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
        return node
    frame = expression(f"{options.before}{_MARK}{options.after}")
    finder = _Finder()
    frame.visit(finder)
    if len(finder.parents) != 1:
        raise RepairError(f"`{options.before}...{options.after}` does not hold the expression in one place")
    inner = node.with_changes(lpar=(), rpar=())
    if not isinstance(finder.parents[0], cst.Arg) and not isinstance(node, _CLOSED):
        inner = bracketed(inner)
    wrapped = frame.visit(_Filler(inner))
    assert isinstance(wrapped, cst.BaseExpression)
    return wrapped


class _Finder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.parents: list[cst.CSTNode | None] = []
        self.stack: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Name) and node.value == _MARK:
            self.parents.append(self.stack[-1] if self.stack else None)
        self.stack.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:  # noqa: ARG002 - the visitor's interface
        self.stack.pop()


class _Filler(cst.CSTTransformer):
    def __init__(self, inner: cst.BaseExpression) -> None:
        super().__init__()
        self.inner = inner

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:  # noqa: N802
        return self.inner if original_node.value == _MARK else updated_node
