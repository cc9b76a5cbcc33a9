"""Findings with fixes -> proven patch files on disk; and the machine-readable audit beside them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from auditor.consumer.source import Sources
from auditor.model import CallSite, Finding, Report

Rescan = Callable[[Mapping[str, bytes]], tuple[Sequence[Finding], Sequence[CallSite]]]
"""Audits the sources with some files replaced: its findings and its calls."""


class Release(NamedTuple):
    """One release in which the patches must hold."""

    findings: Sequence[Finding]
    """What is found there before."""
    rescan: Rescan
    label: str = ""
    kind: Hashable = None
    """What is the same in releases that are alike."""
    leaks: Callable[[Mapping[str, bytes]], Sequence[Finding]] | None = None
    """What some changed files do there that only other releases know."""


def write_patches(report: Report, sources: Sources, releases: Sequence[Release], patch_dir: Path) -> Report:
    """Build, prove and write the patches of a report.

    Args:
        report: The report whose findings have fixes.
        sources: The consumer's files.
        releases: Where the patches must hold; every proof is made in each.
        patch_dir: Folder that holds one folder for each consumer and provider release.

    Returns:
        The report with its patches; findings whose fix failed a proof say why instead.
    """
    from auditor.patches.series import PatchSet, folder_name, provider_text
    from auditor.patches.writer import write_set
    from auditor.verify import Ground, build_patches

    name = folder_name(report.consumer, report.providers)
    fixable = [f for f in report.findings if f.fix is not None and f.fix.applicability != "display-only"]
    if not fixable and not (patch_dir / name).exists():
        return report
    contents = sources.read(sources.modules.values())

    def changed(files: Mapping[str, bytes]) -> dict[str, bytes]:
        return {path: data for path, data in files.items() if contents.get(path) != data}

    def ground(release: Release) -> Ground:
        known: dict[tuple[tuple[str, bytes], ...], tuple[Sequence[Finding], Sequence[CallSite]]] = {}
        leaks = release.leaks

        def audited(files: Mapping[str, bytes]) -> tuple[Sequence[Finding], Sequence[CallSite]]:
            key = tuple(sorted(changed(files).items()))
            if key not in known:
                known[key] = release.rescan(dict(key))
            return known[key]

        return Ground(
            release.findings,
            lambda files: audited(files)[0],
            lambda files: audited(files)[1],
            release.label,
            release.kind,
            (lambda files: leaks(changed(files))) if leaks is not None else None,
        )

    patches, findings = build_patches(
        (patch_dir / name).as_posix(), contents, report.findings, [ground(release) for release in releases]
    )
    report = msgspec.structs.replace(report, patches=patches, findings=findings)
    providers = tuple(provider_text(p) for p in report.providers)
    write_set(patch_dir, name, PatchSet(report.consumer.name, report.consumer.version, providers, patches))
    return report


def write_audit(report: Report, patch_dir: Path) -> None:
    """Write the report beside its patches, if there are any: the contract for machines, and what the runner needs.

    Args:
        report: What `write_patches` gave back, and what else became known since.
        patch_dir: As it was given there.
    """
    from auditor.formats.json import contract, encode
    from auditor.patches.series import folder_name

    folder = patch_dir / folder_name(report.consumer, report.providers)
    if not folder.exists():
        return
    temporary = folder / ".audit.json.tmp"
    temporary.write_text(encode(contract(report, for_runner=True)), encoding="utf-8")
    temporary.replace(folder / "audit.json")
