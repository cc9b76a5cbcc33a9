"""One module's source -> `ModuleApi`, through griffe's visitor: every global name, class member and alternative."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import griffe
import msgspec

from auditor.api import ModuleApi
from auditor.decoding import MAX_BYTES, decode
from auditor.provider.blocks import BlockReader
from auditor.provider.lazy import read_lazy
from auditor.syntax import lines_with

_NO_EXTENSIONS = griffe.Extensions()


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
        reader = Reader(name, code, is_package=is_package, is_stub=is_stub)
        if tree is not None:
            reader.visit(tree)
        else:
            reader.get_module()
        return reader.result()
    except SyntaxError as error:
        from auditor.provider.legacy import recover

        recovery = recover(code, error)
        if recovery is None:
            raise
    reader = Reader(name, recovery.code, is_package=is_package, is_stub=is_stub)
    reader.get_module()
    api = reader.result()
    problems = (recovery.problem, *api.problems)
    return msgspec.structs.replace(api, lazy_open=api.lazy_open or recovery.is_open, problems=problems)


def _unread(name: str, is_package: bool, problem: str) -> ModuleApi:
    return ModuleApi(name, is_package, lazy_open=True, problems=(problem,))


def _first_line(error: BaseException) -> str:
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return (str(message).splitlines() or [""])[0][:200].encode("utf-8", "replace").decode()


class Reader(griffe.Visitor):
    """griffe's visitor, which compiles the source and walks modules and classes.

    Statements that it does not follow (branches, `try`, `with`, loops, deletions) and function bodies are handed to a
    `BlockReader`.
    """

    def __init__(self, name: str, code: str, *, is_package: bool, is_stub: bool) -> None:
        file = Path(("__init__" if is_package else "module") + (".pyi" if is_stub else ".py"))
        super().__init__(name, file, code, _NO_EXTENSIONS)
        self.is_package = is_package
        self.blocks = BlockReader(
            module=name,
            package=name if is_package else name.rpartition(".")[0],
            is_stub=is_stub,
            yields=lines_with(code, "yield"),
            asks="environ" in code or "getenv" in code,
            enter_class=super().visit,
        )

    def generic_visit(self, node: ast.AST) -> None:
        """Read the statements of a module or class body."""
        if isinstance(node, ast.Module | ast.ClassDef):
            self.blocks.read(node.body)

    def result(self) -> ModuleApi:
        """What was read."""
        blocks = self.blocks
        lazy = read_lazy(blocks, self.code)
        exports = lazy.exports if lazy.exports is not None else blocks.exports.names()
        return ModuleApi(
            name=self.module_name,
            is_package=self.is_package,
            names=blocks.namespace.definitions(),
            wildcards=tuple(dict.fromkeys([*blocks.wildcards, *lazy.wildcards])),
            exports=exports,
            lazy=lazy.names,
            lazy_open=lazy.is_open or bool(blocks.problems),
            lazy_deprecated=lazy.deprecated,
            problems=tuple(blocks.problems),
            conditions=blocks.namespace.conditions(blocks.tests),
            presets=lazy.presets,
        )
