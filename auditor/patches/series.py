"""A set of patches for one consumer: its name on disk, the order of its patches, and what it makes of the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from auditor.errors import PatchError
from auditor.model import ConsumerInfo, Patch, PatchedFile, ProviderInfo
from auditor.patches import hunks

_ODD = re.compile(r"[^A-Za-z0-9._+!-]+")


class PatchSet(msgspec.Struct, frozen=True):
    """Patches that build on each other, in the order of their `series` file: the safe ones first."""

    consumer: str
    version: str | None
    providers: tuple[str, ...]
    """For people: `vllm 0.11.0 -> 0.16.0`."""
    patches: tuple[Patch, ...]

    @property
    def packages(self) -> tuple[str, ...]:
        """The top-level names that the patches edit."""
        return tuple(sorted({package(file.path) for patch in self.patches for file in patch.files}))

    def chains(self) -> dict[str, list[tuple[Patch, PatchedFile]]]:
        """For each file, the steps that lead from its published to its final content."""
        chains: dict[str, list[tuple[Patch, PatchedFile]]] = {}
        for patch in self.patches:
            for file in patch.files:
                steps = chains.setdefault(file.path, [])
                if steps and steps[-1][1].after != file.before:
                    raise PatchError(f"`{patch.name}` does not continue from `{steps[-1][0].name}`", where=file.path)
                steps.append((patch, file))
        return chains


def package(path: str) -> str:
    """The top-level name that a path belongs to; `src/` is only a folder around it."""
    parts = PurePosixPath(path).parts
    return parts[1] if parts[0] == "src" and len(parts) > 1 else parts[0]


def folder_name(consumer: ConsumerInfo, providers: Sequence[ProviderInfo]) -> str:
    """`<consumer>-<version>--<provider>-<version>`, in characters that every file system takes."""
    parts = [_joined(consumer.name, consumer.version), *(_joined(p.name, _version(p)) for p in providers)]
    return "--".join(parts)[:200]


def _version(provider: ProviderInfo) -> str:
    """The release, or the first and the last of a range."""
    span = provider.range.releases if provider.range is not None else ()
    return f"{span[0]}-{span[-1]}" if len(span) > 1 else provider.new


def _joined(name: str, version: str | None) -> str:
    text = f"{name}-{version}" if version else name
    return _ODD.sub("-", text).strip(".-") or "unnamed"


def provider_text(provider: ProviderInfo) -> str:
    """One provider with both ends, for people."""
    if (whole := provider.range) is not None and len(whole.releases) > 1:
        reach = f"{whole.releases[0]} to {whole.releases[-1]} ({len(whole.releases)} releases)"
        return f"{provider.name} {' and '.join(whole.old)} -> {reach}"
    return f"{provider.name} {provider.old} -> {provider.new}" if provider.old else f"{provider.name} {provider.new}"


def patched(patches: Sequence[Patch], sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """The sources after these patches, in order."""
    result = dict(sources)
    for patch in patches:
        for file in patch.files:
            if file.path not in result:
                raise PatchError(f"`{patch.name}` edits a file that is not there", where=file.path)
            result[file.path] = hunks.apply(result[file.path], file)
    return result
