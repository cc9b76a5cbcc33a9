"""The call that audits a target again once patches are applied: the same releases, named so that they can be opened."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from auditor.model import ProviderInfo, Range
from auditor.patches.series import PatchSet


class _Audit(msgspec.Struct, frozen=True):
    """What is needed of the `audit.json` beside a set of patches."""

    providers: tuple[ProviderInfo, ...]


def recheck(patches: PatchSet, folder: Path, root: str) -> str | None:
    """`api-audit scan ...` for the folder in which patches were applied; None where a release cannot be named."""
    sides = _audited(folder) or _told(patches)
    if not sides or any(new is None for _, new in sides):
        return None
    words = ["api-audit", "scan", *_consumers(patches, Path(root))]
    for old, new in sides:
        words += ["--from", old] if old is not None else []
        words += ["--against", new or ""]
    # without --no-patches the scan of the patched code would replace the very set that --revert needs
    return shlex.join([*words, "--no-patches"])


def _consumers(patches: PatchSet, root: Path) -> list[str]:
    """The folder, or of one that many distributions share the packages that were patched."""
    shared = sum(1 for _ in root.glob("*.dist-info")) > 1
    return [str(root / package) for package in patches.packages] if shared else [str(root)]


def _audited(folder: Path) -> list[tuple[str | None, str | None]]:
    """Both sides of each provider, as the audit that made the patches says where they came from."""
    try:
        audit = msgspec.json.decode((folder / "audit.json").read_bytes(), type=_Audit)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return []
    sides: list[tuple[str | None, str | None]] = []
    for provider in audit.providers:
        if provider.range is not None:
            sides.append(_range(provider, provider.range))
            continue
        old = _spec(provider.name, provider.old, provider.old_origin) if provider.old_origin else None
        if old is None and provider.old_origin:
            return [(None, None)]
        sides.append((old, _spec(provider.name, provider.new, provider.new_origin)))
    return sides


def _range(provider: ProviderInfo, whole: Range) -> tuple[str | None, str | None]:
    """The old side, where it is the same for all releases of a range, and the range."""
    old = _spec(provider.name, provider.old, provider.old_origin or "") if len(whole.old) == 1 else None
    first, last = whole.releases[0], whole.releases[-1]
    if " from " in provider.new_origin:
        return old, f"{provider.name}>={first},<={last}"
    folder, at, _ = provider.new_origin.partition(" at ")
    return old, f"{provider.name} @ {folder}@{first}..{last}" if at and _is_folder(folder) else None


def _told(patches: PatchSet) -> list[tuple[str | None, str | None]]:
    """Both sides as the patches themselves tell them: `vllm 0.11.0 -> 0.16.0`."""
    told = [text.replace(" -> ", " ").split(" ") for text in patches.providers]
    return [(f"{words[0]}=={words[1]}", f"{words[0]}=={words[2]}") for words in told if len(words) == 3]


def _spec(name: str, version: str | None, origin: str) -> str | None:
    """What opens a release again: its version on the index, else the folder, reference or environment it came from."""
    if " from " in origin and version:
        return f"{name}=={version}"
    place, _, ref = origin.partition(" at ")
    folder = next((each for each in (place, origin.rpartition(" (")[0]) if each and _is_folder(each)), None)
    if folder is None:
        return None
    return f"{name} @ {folder}@{ref}" if ref else f"{name} @ {folder}"


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):  # a name that no folder can have
        return False
