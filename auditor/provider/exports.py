"""`__all__`, as far as literals say it."""

from __future__ import annotations

import ast

_MAX_NAMES = 50_000


class Exports:
    """Follows the statements that build `__all__`; one that cannot be read makes it unknown."""

    def __init__(self) -> None:
        self._names: list[str] | None = None
        self._unreadable = False
        self._functions: dict[str, ast.AST] = {}

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """`def extend_all(module)`: it may be called to fill `__all__`."""
        self._functions[node.name] = node

    def names(self) -> tuple[str, ...] | None:
        """The exported names; None where there is no `__all__` or it cannot be read."""
        return None if self._unreadable or self._names is None else tuple(dict.fromkeys(self._names))

    def assign(self, value: ast.expr | None) -> None:
        """`__all__ = value`"""
        if value is None:
            return
        found = _strings(value, self._names or [])
        self._names, self._unreadable = found, found is None

    def extend(self, value: ast.expr) -> None:
        """`__all__ += value`"""
        found = _strings(value, self._names or [])
        if found is None:
            self._unreadable = True
        else:
            self._names = self._names or []
            self._names += found
            self._unreadable |= len(self._names) > _MAX_NAMES

    def call(self, call: ast.Call) -> None:
        """`__all__.extend(...)`, `.append(...)`, `.remove(...)`, or a function of the module that does such things"""
        function = call.func
        if isinstance(function, ast.Name) and function.id in self._functions:
            self._unreadable |= _changes_exports(self._functions.pop(function.id))
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            return
        if function.value.id != "__all__" or len(call.args) != 1:
            return
        argument = call.args[0]
        if function.attr == "extend":
            self.extend(argument)
        elif function.attr in ("append", "remove"):
            one = _strings(ast.List([argument]), [])
            if one is None or self._names is None:
                self._unreadable = True
            elif function.attr == "append":
                self._names += one
            else:
                self._names = [name for name in self._names if name not in one]


def _changes_exports(function: ast.AST) -> bool:
    """Whether a function adds to the module's `__all__`."""
    for node in ast.walk(function):
        match node:
            case ast.AugAssign(target=ast.Name(id="__all__")):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr="append" | "extend")):
                return True
            case _:
                pass
    return False


def _strings(value: ast.expr, current: list[str]) -> list[str] | None:
    """The strings of a literal list, of a sum of such, or of `__all__` itself; None where it is anything else."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            waiting.extend(reversed(node.elts))
        elif isinstance(node, ast.Starred):
            waiting.append(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            waiting += [node.right, node.left]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isprintable():
            found.append(node.value)
        elif isinstance(node, ast.Name) and node.id == "__all__" and len(found) + len(current) <= _MAX_NAMES:
            found += current
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            if node.func.id not in ("list", "tuple", "sorted", "set"):
                return None
            waiting.append(node.args[0])
        else:
            return None
    return found
