"""Conditions that come out the same everywhere: constants, and tests of Python versions long past."""

from __future__ import annotations

import ast

_MODERN = tuple((3, minor) for minor in range(10, 20))


def settled(test: ast.expr, *, imported: bool = False) -> bool | None:
    """The value of a condition that is the same on every machine this tool speaks about; None where it is not.

    Args:
        test: The condition.
        imported: Whether the module it stands in is only imported, never run as a script.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = settled(test.operand, imported=imported)
        return None if inner is None else not inner
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.BoolOp):
        values = [settled(value, imported=imported) for value in test.values]
        if isinstance(test.op, ast.And):
            return False if False in values else (True if all(values) else None)
        return True if True in values else (None if None in values else False)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        if imported and _is_run_as_script(test):
            return False
        return _compare(test.left, test.ops[0], test.comparators[0])
    return None


def _is_run_as_script(test: ast.Compare) -> bool:
    match test:
        case ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]):
            return True
        case _:
            return False


def _compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
    try:
        bound = ast.literal_eval(right)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    answers = {_ask(subject, operator, bound) for subject in _versions(left, bound)}
    return answers.pop() if len(answers) == 1 else None


def _versions(left: ast.expr, bound: object) -> list[object]:
    """What `sys.version_info` (or its major part) may be, cut to the length it is compared with."""
    if isinstance(left, ast.Attribute) and left.attr == "version_info":
        if not isinstance(bound, tuple) or not bound or not all(type(part) is int for part in bound):
            return []
        return [(*version, 1)[: max(len(bound), 3)] for version in _MODERN]
    if isinstance(left, ast.Attribute) and left.attr == "major" and _is_version(left.value):
        return [3]
    if not isinstance(left, ast.Subscript) or not _is_version(left.value):
        return []
    if isinstance(left.slice, ast.Slice) and left.slice.lower is None and isinstance(left.slice.upper, ast.Constant):
        return [version[:2] for version in _MODERN] if left.slice.upper.value == 2 else []
    if isinstance(left.slice, ast.Constant):
        return [3] if left.slice.value == 0 else [version[1] for version in _MODERN] if left.slice.value == 1 else []
    return []


def _is_version(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "version_info"


def _ask(subject: object, operator: ast.cmpop, bound: object) -> bool | None:
    try:
        if isinstance(operator, ast.GtE):
            return bool(subject >= bound)  # type: ignore[operator]
        if isinstance(operator, ast.Gt):
            return bool(subject > bound)  # type: ignore[operator]
        if isinstance(operator, ast.LtE):
            return bool(subject <= bound)  # type: ignore[operator]
        if isinstance(operator, ast.Lt):
            return bool(subject < bound)  # type: ignore[operator]
        if isinstance(operator, ast.Eq):
            return subject == bound
        if isinstance(operator, ast.NotEq):
            return subject != bound
    except TypeError:
        return None
    return None
