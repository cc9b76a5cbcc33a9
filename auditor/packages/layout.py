"""Which files of a release are its import packages, and under which root they lie."""

from __future__ import annotations

from collections.abc import Iterable

_STUBS = "-stubs"


def import_packages(paths: Iterable[str]) -> tuple[str, ...]:
    """The import names that files (relative to their root) provide: top-level packages and modules.

    A folder without `__init__.py` that holds only further folders is a namespace which other distributions share; its
    portions are named instead: `google.cloud.storage`.
    """
    children: dict[str, set[str]] = {}
    for path in paths:
        parent, _, name = path.rpartition("/")
        children.setdefault(parent, set()).add(name)
        while parent:
            above, _, folder = parent.rpartition("/")
            siblings = children.setdefault(above, set())
            if f"{folder}/" in siblings:
                break
            siblings.add(f"{folder}/")
            parent = above
    names: list[str] = []

    def visit(folder: str) -> None:
        for child in sorted(children.get(folder, ())):
            path = f"{folder}/{child}".strip("/")
            if not child.endswith("/"):
                if not folder:
                    names.append(dotted(path))
                continue
            inside = children.get(path, set())
            if any(not name.endswith("/") for name in inside):
                names.append(dotted(path))
            else:
                visit(path)

    visit("")
    return tuple(dict.fromkeys(name for name in names if name))


def dotted(path: str) -> str:
    """The module name of a file or folder path relative to its import root, "" if it has none.

    >>> dotted("vllm/config/__init__.py")
    'vllm.config'
    """
    stem = path.removesuffix(".pyi") if path.endswith(".pyi") else path.removesuffix(".py")
    parts = stem.removesuffix("/__init__").split("/")
    parts[0] = parts[0].removesuffix(_STUBS)
    return ".".join(parts) if all(map(str.isidentifier, parts)) else ""
