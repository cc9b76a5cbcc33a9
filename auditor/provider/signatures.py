"""One module's source -> `ModuleApi`: every global name, class member and alternative."""

from __future__ import annotations

import ast
import warnings

import msgspec

from auditor.api import ModuleApi
from auditor.decoding import MAX_BYTES, decode
from auditor.provider.blocks import BlockReader
from auditor.provider.lazy import read_lazy
from auditor.syntax import lines_with


def read_module(
    name: str, source: bytes, *, is_package: bool, is_stub: bool = False, tree: ast.Module | None = None
) -> ModuleApi:
    """Read one module; whatever cannot be read becomes an entry in `problems`, never an exception.

    Args:
        name: Its dotted name.
        source: Its bytes.
        is_package: Whether it is an `__init__` file.
        is_stub: Whether it is a `.pyi` file.
        tree: Its syntax tree, where somebody has parsed it already.
    """
    if len(source) > MAX_BYTES:
        return _unread(name, is_package, f"larger than {MAX_BYTES // 2**20} MiB")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _read(name, decode(source), tree, is_package=is_package, is_stub=is_stub)
    except SyntaxError as error:
        return _unread(name, is_package, f"syntax error: {_first_line(error)} (line {error.lineno or 0})")
    except (UnicodeError, LookupError) as error:
        return _unread(name, is_package, f"cannot be decoded: {_first_line(error)}")
    except (RecursionError, MemoryError):
        return _unread(name, is_package, "nested too deeply")
    except Exception as error:  # noqa: BLE001 - strangers' sources: one odd file must not stop an audit
        return _unread(name, is_package, f"cannot be read: {type(error).__name__}: {_first_line(error)}")


def _read(name: str, code: str, tree: ast.Module | None, *, is_package: bool, is_stub: bool) -> ModuleApi:
    try:
        return _of_tree(name, code, tree or ast.parse(code), is_package=is_package, is_stub=is_stub)
    except SyntaxError as error:
        from auditor.provider.legacy import recover

        recovery = recover(code, error)
        if recovery is None:
            raise
    code = recovery.code
    api = _of_tree(name, code, ast.parse(code), is_package=is_package, is_stub=is_stub)
    problems = (recovery.problem, *api.problems)
    return msgspec.structs.replace(api, lazy_open=api.lazy_open or recovery.is_open, problems=problems)


def _of_tree(name: str, code: str, tree: ast.Module, *, is_package: bool, is_stub: bool) -> ModuleApi:
    blocks = BlockReader(
        module=name,
        package=name if is_package else name.rpartition(".")[0],
        is_stub=is_stub,
        yields=lines_with(code, "yield"),
        asks="environ" in code or "getenv" in code,
    )
    blocks.read(tree.body)
    lazy = read_lazy(blocks, code)
    return ModuleApi(
        name=name,
        is_package=is_package,
        names=blocks.namespace.definitions(),
        wildcards=tuple(dict.fromkeys([*blocks.wildcards, *lazy.wildcards])),
        exports=lazy.exports if lazy.exports is not None else blocks.exports.names(),
        lazy=lazy.names,
        lazy_open=lazy.is_open or bool(blocks.problems),
        lazy_deprecated=lazy.deprecated,
        problems=tuple(blocks.problems),
        conditions=blocks.namespace.conditions(blocks.tests),
        presets=lazy.presets,
    )


def _unread(name: str, is_package: bool, problem: str) -> ModuleApi:
    return ModuleApi(name, is_package, lazy_open=True, problems=(problem,))


def _first_line(error: BaseException) -> str:
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return (str(message).splitlines() or [""])[0][:200].encode("utf-8", "replace").decode()
