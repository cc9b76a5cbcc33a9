"""Import packages and the namespaces that distributions share: which of some a dotted path lies in."""

from __future__ import annotations

from collections.abc import Container, Iterable


def portion(path: str, packages: Container[str]) -> str | None:
    """The import package that a dotted path lies in: mostly its first name, more of it in a namespace.

    >>> portion("google.protobuf.json_format", {"google.protobuf"})
    'google.protobuf'
    """
    end = path.find(".")
    while end > 0:
        if path[:end] in packages:
            return path[:end]
        end = path.find(".", end + 1)
    return path if path in packages else None


def tops(packages: Iterable[str]) -> frozenset[str]:
    """The top-level names of import packages."""
    return frozenset(package.split(".", 1)[0] for package in packages)


def namespaces(packages: Iterable[str]) -> frozenset[str]:
    """What lies above import packages: `google` and `google.cloud` above `google.cloud.storage`."""
    return frozenset(
        package[:end] for package in packages for end in range(len(package)) if package[end] == "." and package[:end]
    )
