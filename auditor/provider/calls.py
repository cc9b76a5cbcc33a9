"""The calls that lazy tables and module `__getattr__` functions make, for `Evaluator`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from auditor.provider.evaluation import Evaluator
from auditor.provider.values import UNKNOWN, Function, Globals, Ref, Structure


def call_value(evaluator: Evaluator, node: ast.Call, names: dict[str, Any]) -> Any:
    """The value of a call, or `UNKNOWN`."""
    function = node.func
    arguments = [UNKNOWN if isinstance(a, ast.Starred) else evaluator.value(a, names) for a in node.args]
    keywords = {k.arg: evaluator.value(k.value, names) for k in node.keywords if k.arg is not None}
    name = (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
    if name in ("import_module", "__import__") and arguments:
        return _import(evaluator, arguments, keywords)
    if name == "define_import_structure":
        prefix = keywords.get("prefix", arguments[1] if len(arguments) > 1 else "")
        return Structure(prefix if isinstance(prefix, str) else "")
    if name in ("getenv", "get") and (asked := _environment(evaluator, function, names)):
        return evaluator.unset(arguments[0], arguments[1] if len(arguments) > 1 else None) if arguments else asked
    if isinstance(function, ast.Name):
        builtin = _BUILTINS.get(name)
        return builtin(evaluator, arguments) if builtin is not None else UNKNOWN
    if isinstance(function, ast.Attribute):
        of = evaluator.value(function.value, names)
        method = _METHODS.get(name)
        return method(evaluator, of, arguments) if method is not None else UNKNOWN
    called = evaluator.value(function, names)
    return evaluator.value(called.node.body, names) if isinstance(called, Function) and not arguments else UNKNOWN


def parameters(
    evaluator: Evaluator,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    call: ast.Call,
    names: dict[str, Any] | None = None,
) -> dict[str, Any] | None:
    """What a call gives to the parameters of a function, defaults included; None where it unpacks something."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    own = [p.arg for p in (*function.args.posonlyargs, *function.args.args)]
    given = dict(zip(reversed(own), reversed(function.args.defaults), strict=False))
    given.update(zip(own, call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return {name: evaluator.value(value, names or {}) for name, value in given.items()}


def makes_object(node: ast.expr) -> bool:
    """Whether an expression is the call of a class, by its name."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id.lstrip("_")[:1].isupper()


def _environment(evaluator: Evaluator, function: ast.expr, names: dict[str, Any]) -> bool:
    """Whether a function is `os.getenv` or `os.environ.get`."""
    called = evaluator.value(function, names)
    return isinstance(called, Ref) and called.path in ("os.getenv", "os.environ.get")


def _import(evaluator: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    path = arguments[0]
    if not isinstance(path, str):
        return UNKNOWN
    package = arguments[1] if len(arguments) > 1 else keywords.get("package", evaluator.package)
    if not isinstance(package, str):
        return UNKNOWN
    return Ref(evaluator.absolute(path, package))


def _getattr(evaluator: Evaluator, arguments: list[Any]) -> Any:
    if len(arguments) < 2 or not isinstance(arguments[1], str):
        return UNKNOWN
    of, name = arguments[:2]
    if isinstance(of, Globals):
        return evaluator.global_item(name)
    return Ref(f"{of.path}.{name}") if isinstance(of, Ref) else UNKNOWN


def _copied(evaluator: Evaluator, arguments: list[Any]) -> Any:
    if not arguments:
        return []
    items = evaluator.items(arguments[0])
    return UNKNOWN if items is None else list(items)


def _dict(_: Evaluator, arguments: list[Any]) -> Any:
    if not arguments:
        return {}
    return dict(arguments[0]) if isinstance(arguments[0], dict) else UNKNOWN


def _truth(evaluator: Evaluator, arguments: list[Any]) -> Any:
    truth = evaluator.truth(arguments[0]) if arguments else False
    return UNKNOWN if truth is None else truth


def _int(arguments: list[Any]) -> Any:
    """`int("0")`, `int(True)`"""
    given = arguments[0] if len(arguments) == 1 else UNKNOWN
    if isinstance(given, str):
        return int(given) if given.strip().lstrip("+-").isdecimal() and len(given) < 20 else UNKNOWN
    return int(given) if isinstance(given, int) else UNKNOWN


_BUILTINS: dict[str, Callable[[Evaluator, list[Any]], Any]] = {
    "getattr": _getattr,
    "list": _copied,
    "tuple": _copied,
    "set": _copied,
    "frozenset": _copied,
    "sorted": _copied,
    "dict": _dict,
    "globals": lambda *_: Globals(),
    "vars": lambda *_: Globals(),
    "locals": lambda *_: Globals(),
    "bool": _truth,
    "int": lambda _, arguments: _int(arguments),
    "str": lambda _, arguments: arguments[0] if arguments and isinstance(arguments[0], str) else UNKNOWN,
}


def _get(evaluator: Evaluator, of: Any, arguments: list[Any]) -> Any:
    """`.get(key, default)` and `.pop(key, default)`"""
    if not arguments or arguments[0] is UNKNOWN or not isinstance(arguments[0], str):
        return UNKNOWN
    default = arguments[1] if len(arguments) > 1 else None
    if isinstance(of, Globals):
        return evaluator.global_item(arguments[0]) if evaluator.has_global(arguments[0]) else default
    if not isinstance(of, dict):
        return UNKNOWN
    evaluator.ask(of)
    return of.get(arguments[0], UNKNOWN if UNKNOWN in of else default)


def _split(_: Evaluator, of: Any, arguments: list[Any], *, right: bool = False) -> Any:
    separator = arguments[0] if arguments else None
    limit = arguments[1] if len(arguments) > 1 else -1
    if not isinstance(of, str) or not (separator is None or (isinstance(separator, str) and separator)):
        return UNKNOWN
    if not isinstance(limit, int):
        return UNKNOWN
    return of.rsplit(separator, limit) if right else of.split(separator, limit)


def _partition(_: Evaluator, of: Any, arguments: list[Any], *, right: bool = False) -> Any:
    if not isinstance(of, str) or not arguments or not isinstance(arguments[0], str) or not arguments[0]:
        return UNKNOWN
    return list(of.rpartition(arguments[0]) if right else of.partition(arguments[0]))


def _text_test(of: Any, arguments: list[Any], ask: Callable[[str, str], bool]) -> Any:
    if not isinstance(of, str) or not arguments or not isinstance(arguments[0], str):
        return UNKNOWN
    return ask(of, arguments[0])


def _plain(of: Any, arguments: list[Any], change: Callable[[str], str]) -> Any:
    return change(of) if isinstance(of, str) and not arguments else UNKNOWN


def _join(_: Evaluator, of: Any, arguments: list[Any]) -> Any:
    parts = arguments[0] if arguments else UNKNOWN
    if not isinstance(of, str) or not isinstance(parts, list) or not all(isinstance(p, str) for p in parts):
        return UNKNOWN
    joined = of.join(parts)
    return joined if len(joined) <= 2000 else UNKNOWN


def _pairs(_: Evaluator, of: Any, __: list[Any]) -> Any:
    return [[k, v] for k, v in of.items()] if isinstance(of, dict) else UNKNOWN


def _fill(evaluator: Evaluator, of: Any, arguments: list[Any]) -> None:
    """`.extend(...)` and `.update(...)`"""
    added = arguments[0] if arguments else UNKNOWN
    if isinstance(of, Structure):
        of = of.extra
    if isinstance(of, dict):
        of.update(added if isinstance(added, dict) else {UNKNOWN: UNKNOWN})
    elif isinstance(of, list):
        evaluator.extend(of, added)


def _append(_: Evaluator, of: Any, arguments: list[Any]) -> None:
    if isinstance(of, list) and arguments:
        of.append(arguments[-1])


def _setdefault(_: Evaluator, of: Any, arguments: list[Any]) -> Any:
    if isinstance(of, dict) and len(arguments) == 2 and isinstance(arguments[0], str):
        return of.setdefault(arguments[0], arguments[1])
    return UNKNOWN


_METHODS: dict[str, Callable[[Evaluator, Any, list[Any]], Any]] = {
    "get": _get,
    "split": _split,
    "rsplit": lambda *given: _split(*given, right=True),
    "partition": _partition,
    "rpartition": lambda *given: _partition(*given, right=True),
    "startswith": lambda _, of, given: _text_test(of, given, str.startswith),
    "endswith": lambda _, of, given: _text_test(of, given, str.endswith),
    "lower": lambda _, of, given: _plain(of, given, str.lower),
    "upper": lambda _, of, given: _plain(of, given, str.upper),
    "strip": lambda _, of, given: _plain(of, given, str.strip),
    "removeprefix": lambda _, of, given: (
        of.removeprefix(given[0]) if isinstance(of, str) and given and isinstance(given[0], str) else UNKNOWN
    ),
    "join": _join,
    "items": _pairs,
    "keys": lambda _, of, __: list(of) if isinstance(of, dict) else of if isinstance(of, Globals) else UNKNOWN,
    "values": lambda _, of, __: list(of.values()) if isinstance(of, dict) else UNKNOWN,
    "copy": lambda _, of, __: dict(of) if isinstance(of, dict) else list(of) if isinstance(of, list) else UNKNOWN,
    "extend": _fill,
    "update": _fill,
    "append": _append,
    "add": _append,
    "insert": _append,
    "setdefault": _setdefault,
    "__getattr__": lambda evaluator, of, given: _getattr(evaluator, [of, *given]),
    "__getattribute__": lambda evaluator, of, given: _getattr(evaluator, [of, *given]),
}
