"""Compiles what an import is going to need, on all cores and ahead of it: on a fresh machine that is most of its time.

`python -m auditor.runner.inside.compiling MODULE...` follows the import statements from these modules on, and lets
Python keep each module's bytecode where the import will look for it. A module that is compiled already is not followed:
it was imported before, and with it all that it needs. Nothing is imported, and what cannot be followed is left alone.
"""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType
from typing import Any

MOST = 16
"""Processes at most; beyond that they wait for each other's imports."""


def main(arguments: list[str]) -> int:
    """Compile the closure of these modules."""
    seen: set[str] = set()
    with ProcessPoolExecutor(max(1, min(MOST, cores() - 1))) as pool:
        waiting: set[Future[list[str]]] = set()
        found = list(arguments)
        while found or waiting:
            for name in found:
                for module in _with_parents(name):
                    if module not in seen:
                        seen.add(module)
                        if path := _find(module):
                            waiting.add(pool.submit(compile_one, module, path))
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            found = [name for future in done for name in future.result()]
    return 0


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_one(module: str, path: str) -> list[str]:
    """Compile a module unless that is done, and say what it imports when it is imported itself."""
    try:
        if is_compiled(path):
            return []
        code = SourceFileLoader(module, path).get_code(module)
        return list(dict.fromkeys(_imports(module, path, code))) if isinstance(code, CodeType) else []
    except Exception:  # noqa: BLE001 - a source that no import can compile either: the import tells of it
        return []


def is_compiled(path: str) -> bool:
    """Whether the bytecode that Python keeps of a source is there and of the source as it is."""
    try:
        with open(cache_from_source(path), "rb") as file:  # noqa: PTH123 - thousands of times
            head = file.read(16)
        status = os.stat(path)  # noqa: PTH116
    except (OSError, NotImplementedError):
        return False
    expected = (int(status.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (status.st_size & 0xFFFFFFFF).to_bytes(
        4, "little"
    )
    return head[4:8] == b"\0\0\0\0" and head[8:16] == expected


def _imports(module: str, path: str, code: CodeType) -> Iterator[str]:
    """Absolute names of what the module's own level imports, and of what it takes from there: that may be modules."""
    package = module if Path(path).name == "__init__.py" else module.rpartition(".")[0]
    parts = package.split(".")
    for level, names, name in import_statements(code):
        base = ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])]) if level else name
        yield base
        yield from (f"{base}.{taken}" for taken in names if taken != "*")


def import_statements(code: CodeType) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Level, names and module of each import that a module makes itself; what only type checkers read is left out."""
    loaded: list[Any] = []
    guarded, resume = False, 0
    for step in dis.get_instructions(code):
        if step.offset < resume:
            continue
        if step.opname.startswith("LOAD_"):
            loaded = [*loaded[-1:], step.argval]
            guarded = step.argval == "TYPE_CHECKING"
        elif guarded and "IF_FALSE" in step.opname:
            guarded, resume = False, step.argval
        elif step.opname == "IMPORT_NAME" and len(loaded) == 2:
            level, names = loaded
            yield int(level), tuple(names or ()), step.argval


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


_folders: dict[str, list[str]] = {}


def _find(module: str) -> str | None:
    """The source of a module, where the path leads to one."""
    package, _, last = module.rpartition(".")
    places = [place or "." for place in sys.path] if not package else _folders.get(package, [])
    for place in places:
        folder = os.path.join(place, last)  # noqa: PTH118
        for path in (os.path.join(folder, "__init__.py"), f"{folder}.py"):  # noqa: PTH118
            if os.path.isfile(path):  # noqa: PTH113
                if path != f"{folder}.py":
                    _folders[module] = [folder]
                return path
        if os.path.isdir(folder):  # noqa: PTH112 - a namespace package
            _folders.setdefault(module, []).append(folder)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
