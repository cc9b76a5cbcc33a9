"""Evaluates the few kinds of expression that lazy tables are built of: literals, look-ups, joins, imports by name.

Nothing is executed: values are strings, lists, dicts, and `Ref` for what an import would give. Whatever else appears is
`UNKNOWN`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

from auditor.provider.scopes import absolute
from auditor.provider.values import UNKNOWN, Function, Globals, Missing, Ref, Structure

MAX_STEPS = 200_000
ANY_VARIABLE = ""
"""Stands for an environment variable whose name is not known."""
Calls: TypeAlias = "Callable[[Evaluator, ast.Call, dict[str, Any]], Any]"
"""Evaluates a call."""
_MAX_TEXT = 2000
_MAX_ITEMS = 50_000


class Evaluator:
    """Evaluates expressions in one module.

    Args:
        module: Its dotted name.
        package: What relative imports start from.
        has_global: Whether the module binds a name at run time.
        imports: What its imports bind: name -> absolute path.
        calls: Evaluates a call.
    """

    def __init__(
        self,
        module: str,
        package: str,
        has_global: Callable[[str], bool],
        imports: dict[str, str],
        calls: Calls,
    ) -> None:
        self.module = module
        self.package = package
        self.has_global = has_global
        self.imports = imports
        self.calls = calls
        self.bound: dict[str, Any] = {}
        """Values of the module's globals, as far as they were evaluated."""
        self.steps = 0
        self.asked: dict[str, None] = {}
        """Names that the parameter of a `__getattr__` was compared with or looked up among."""
        self.variables: dict[str, None] = {}
        """Environment variables that were asked for, and taken as not set."""
        self._noted: dict[int, tuple[Any, int]] = {}
        """The containers whose names are in `asked`, by identity, and how long they were."""

    def value(self, node: ast.expr | None, names: dict[str, Any]) -> Any:
        """The value of `node`, or `UNKNOWN`."""
        self.steps += 1
        if node is None or self.steps > MAX_STEPS:
            return UNKNOWN
        evaluate = _EVALUATORS.get(type(node))
        return evaluate(self, node, names) if evaluate is not None else UNKNOWN

    def _name(self, node: ast.Name, names: dict[str, Any]) -> Any:
        if node.id in names:
            return names[node.id]
        if node.id == "__name__":
            return self.module
        if node.id == "__package__":
            return self.package
        if node.id in self.bound:
            return self.bound[node.id]
        path = self.imports.get(node.id)
        if path is not None:
            return Ref(path)
        return Ref(f"{self.module}.{node.id}") if self.has_global(node.id) else UNKNOWN

    def _attribute(self, node: ast.Attribute, names: dict[str, Any]) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id == "__spec__":
            return {"parent": self.package, "name": self.module}.get(node.attr, UNKNOWN)
        of = self.value(node.value, names)
        return Ref(f"{of.path}.{node.attr}") if isinstance(of, Ref) else UNKNOWN

    def _display(self, node: ast.List | ast.Tuple | ast.Set, names: dict[str, Any]) -> Any:
        items: list[Any] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                self.extend(items, self.value(element.value, names))
            else:
                items.append(self.value(element, names))
        return items

    def _dict(self, node: ast.Dict, names: dict[str, Any]) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                inner = self.value(value, names)
                if isinstance(inner, dict):
                    found.update(inner)
                else:
                    found[UNKNOWN] = UNKNOWN
            else:
                name = self.value(key, names)
                found[name if isinstance(name, str | int) else UNKNOWN] = self.value(value, names)
        return found

    def _comprehension(self, node: Any, names: dict[str, Any]) -> Any:
        scopes = [names]
        for part in node.generators:
            wider: list[dict[str, Any]] = []
            for scope in scopes:
                items = self.items(self.value(part.iter, scope))
                if items is None or len(wider) + len(items) > _MAX_ITEMS:
                    return UNKNOWN
                for item in items:
                    inner = dict(scope)
                    self.bind(part.target, item, inner)
                    if all(self.truth(self.value(test, inner)) is not False for test in part.ifs):
                        wider.append(inner)
            scopes = wider
        if not isinstance(node, ast.DictComp):
            return [self.value(node.elt, scope) for scope in scopes]
        pairs = [(self.value(node.key, scope), self.value(node.value, scope)) for scope in scopes]
        return {k if isinstance(k, str) else UNKNOWN: v for k, v in pairs}

    def _binary(self, node: ast.BinOp, names: dict[str, Any]) -> Any:
        left, right = self.value(node.left, names), self.value(node.right, names)
        if isinstance(node.op, ast.Add):
            if isinstance(left, str) and isinstance(right, str):
                return left + right if len(left) + len(right) <= _MAX_TEXT else UNKNOWN
            if isinstance(left, list) and isinstance(right, list) and len(left) + len(right) <= _MAX_ITEMS:
                return left + right
        if isinstance(node.op, ast.BitOr):
            if isinstance(left, dict) and isinstance(right, dict):
                return {**left, **right}
            if isinstance(left, list) and isinstance(right, list) and len(left) + len(right) <= _MAX_ITEMS:
                return left + right
        if isinstance(node.op, ast.Div) and isinstance(right, str):  # Path(__file__).parent / "models"
            return right
        return UNKNOWN

    def _f_string(self, node: ast.JoinedStr, names: dict[str, Any]) -> Any:
        shown = ""
        for part in node.values:
            value = part.value if isinstance(part, ast.Constant) else UNKNOWN
            if isinstance(part, ast.FormattedValue) and part.format_spec is None and part.conversion in (-1, 115):
                value = self.value(part.value, names)
            if not isinstance(value, str) or len(shown) + len(value) > _MAX_TEXT:
                return UNKNOWN
            shown += value
        return shown

    def _subscript(self, node: ast.Subscript, names: dict[str, Any]) -> Any:
        of, index = self.value(node.value, names), self.value(node.slice, names)
        if isinstance(of, Structure):
            return of.extra
        if isinstance(of, Globals) and isinstance(index, str):
            return self.global_item(index)
        if isinstance(of, Ref) and of.path == "sys.modules" and isinstance(index, str):
            return Globals() if index == self.module else Ref(index)
        if isinstance(of, dict) and index is not UNKNOWN:
            self.ask(of)
            if isinstance(index, str | int) and index in of:
                return of[index]
            if UNKNOWN in of or not isinstance(index, str | int):
                return UNKNOWN
            raise Missing
        if isinstance(of, list | str) and isinstance(index, int) and -len(of) <= index < len(of):
            return of[index]
        return UNKNOWN

    def global_item(self, name: str) -> Any:
        """`globals()[name]`"""
        if name.startswith("__") and name not in self.bound:
            return UNKNOWN
        if self.has_global(name):
            return Ref(f"{self.module}.{name}")
        raise Missing

    def _compare(self, node: ast.Compare, names: dict[str, Any]) -> Any:
        if len(node.ops) != 1:
            return UNKNOWN
        left, right = self.value(node.left, names), self.value(node.comparators[0], names)
        operator = node.ops[0]
        if isinstance(operator, ast.In | ast.NotIn):
            found = self._contains(right, left)
            return found if found is UNKNOWN else found is isinstance(operator, ast.In)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        if isinstance(operator, ast.Eq | ast.NotEq):
            for side in (left, right):
                if isinstance(side, str):
                    self.asked[side] = None
            return (left == right) is isinstance(operator, ast.Eq)
        if isinstance(operator, ast.Is | ast.IsNot):
            return (left is right) is isinstance(operator, ast.Is)
        return UNKNOWN

    def unset(self, variable: Any, default: Any = False) -> Any:
        """What asking for an environment variable gives where it is not set."""
        self.variables[variable if isinstance(variable, str) else ANY_VARIABLE] = None
        return default

    def _contains(self, container: Any, item: Any) -> Any:
        if isinstance(container, Ref) and container.path == "os.environ":
            return self.unset(item)
        if isinstance(container, Ref) and container.path.endswith(".__dict__"):
            return False  # who asks `__getattr__` does so for what the module itself does not have
        if item is UNKNOWN:
            return UNKNOWN
        if isinstance(container, Globals):
            return self.has_global(item) if isinstance(item, str) else UNKNOWN
        if isinstance(container, str):
            return item in container if isinstance(item, str) else UNKNOWN
        if not isinstance(container, list | dict):
            return UNKNOWN
        self.ask(container)
        if isinstance(item, str | int) and item in container:
            return True
        return UNKNOWN if UNKNOWN in container else False

    def ask(self, container: list[Any] | dict[Any, Any]) -> None:
        """Note the names of a container that something was looked up in, once while it stays as long as it is."""
        if self._noted.get(id(container)) == (container, len(container)):
            return
        self._noted[id(container)] = (container, len(container))
        self.asked.update(dict.fromkeys([name for name in container if isinstance(name, str)]))

    def _boolean(self, node: ast.BoolOp, names: dict[str, Any]) -> Any:
        value: Any = UNKNOWN
        is_or = isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.value(part, names)
            if self.truth(value) in (None, is_or):
                return value
        return value

    def _not(self, node: ast.UnaryOp, names: dict[str, Any]) -> Any:
        truth = self.truth(self.value(node.operand, names)) if isinstance(node.op, ast.Not) else None
        return UNKNOWN if truth is None else not truth

    def _conditional(self, node: ast.IfExp, names: dict[str, Any]) -> Any:
        truth = self.truth(self.value(node.test, names))
        return UNKNOWN if truth is None else self.value(node.body if truth else node.orelse, names)

    def _walrus(self, node: ast.NamedExpr, names: dict[str, Any]) -> Any:
        value = self.value(node.value, names)
        self.bind(node.target, value, names)
        return value

    def _call(self, node: ast.Call, names: dict[str, Any]) -> Any:
        return self.calls(self, node, names)

    def truth(self, value: Any) -> bool | None:
        """The truth of a value; None where it is not known."""
        return None if value is UNKNOWN else bool(value) if isinstance(value, str | int | list | dict | None) else True

    def items(self, value: Any) -> list[Any] | None:
        """What iterating over `value` gives, where that is known."""
        if isinstance(value, list):
            return value
        if isinstance(value, dict):
            return list(value)
        return None

    def extend(self, of: list[Any], added: Any) -> None:
        """`of.extend(added)`; what is not known, or too much, is an unknown item."""
        items = self.items(added)
        of += [UNKNOWN] if items is None or len(of) + len(items) > _MAX_ITEMS else items

    def bind(self, target: ast.expr, value: Any, names: dict[str, Any]) -> None:
        """Bind the names of a target."""
        if isinstance(target, ast.Name):
            names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts = (
                value if isinstance(value, list) and len(value) == len(target.elts) else [UNKNOWN] * len(target.elts)
            )
            for element, part in zip(target.elts, parts, strict=True):
                self.bind(element, part, names)

    def absolute(self, path: str, package: str) -> str:
        """`importlib.import_module(path, package)`"""
        stripped = path.lstrip(".")
        return absolute(stripped, len(path) - len(stripped), package)


_EVALUATORS: dict[type[ast.expr], Callable[[Evaluator, Any, dict[str, Any]], Any]] = {
    ast.Constant: lambda _, node, __: node.value if isinstance(node.value, str | int | None) else UNKNOWN,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.List: Evaluator._display,
    ast.Tuple: Evaluator._display,
    ast.Set: Evaluator._display,
    ast.Dict: Evaluator._dict,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._comprehension,
    ast.BinOp: Evaluator._binary,
    ast.JoinedStr: Evaluator._f_string,
    ast.Subscript: Evaluator._subscript,
    ast.Compare: Evaluator._compare,
    ast.BoolOp: Evaluator._boolean,
    ast.UnaryOp: Evaluator._not,
    ast.IfExp: Evaluator._conditional,
    ast.NamedExpr: Evaluator._walrus,
    ast.Lambda: lambda _, node, __: Function(node),
    ast.Call: Evaluator._call,
}
