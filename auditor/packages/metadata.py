"""Core metadata of a release: from METADATA, PKG-INFO and requires.txt."""

from __future__ import annotations

from auditor.packages.listing import Metadata


def parse_metadata(raw: bytes, *, requires: bytes | None = None, entry_points: bytes | None = None) -> Metadata:
    """Core metadata from METADATA or PKG-INFO; old releases keep their requirements in `requires.txt`."""
    from packaging.metadata import parse_email

    found, _ = parse_email(raw)
    needed = list(found.get("requires_dist", ()))
    extras = list(found.get("provides_extra", ()))
    if requires is not None and not needed:
        needed, extras = _parse_requires(requires.decode("utf-8", "replace"))
    return Metadata(
        name=found.get("name", ""),
        version=found.get("version"),
        requires_python=found.get("requires_python"),
        requires_dist=tuple(needed),
        provides_extra=tuple(extras),
        entry_points=_parse_entry_points(entry_points.decode("utf-8", "replace")) if entry_points else (),
    )


def _parse_requires(text: str) -> tuple[list[str], list[str]]:
    """Requirements and extras from setuptools' old format: sections `[extra:marker]`."""
    needed: list[str] = []
    extras: list[str] = []
    marker = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("[") and line.endswith("]"):
            extra, _, condition = line[1:-1].partition(":")
            if extra and extra not in extras:
                extras.append(extra)
            parts = [f"({condition})"] if condition else []
            marker = " and ".join([*parts, f'extra == "{extra}"'] if extra else parts)
        elif not line.startswith("#"):
            needed.append(f"{line}; {marker}" if marker else line)
    return needed, extras


def _parse_entry_points(text: str) -> tuple[str, ...]:
    group = ""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif "=" in line and line[0] not in "#;":
            name, _, target = line.partition("=")
            found.append(f"{group}: {name.strip()} = {target.strip()}")
    return tuple(found)
