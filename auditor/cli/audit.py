"""Runs the pipeline for a command: options in, progress shown, findings triaged, baseline kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from auditor import baseline as baselines
from auditor.cli.options import asked
from auditor.cli.progress import progress
from auditor.cli.rulebook import refuse_unknown
from auditor.cli.triage import Triage
from auditor.config import Located
from auditor.errors import ConfigError
from auditor.formats._tally import plural
from auditor.model import Report
from auditor.scan import Options, scan

BASELINE = Path("api-audit-baseline.jsonl")


class Outcome(msgspec.Struct, frozen=True):
    """A triaged report, and what the run has to say about comments and baseline entries that accept nothing."""

    report: Report
    remarks: tuple[str, ...] = ()
    stale: int = 0
    """How many those are; under --strict they fail."""


def audit(given: dict[str, Any], located: Located) -> Outcome:
    """Scan as the command line asks."""
    refuse_unknown(given, located.config)
    known, file = _baseline(given)
    triage = Triage.of(
        located.config,
        select=given["select"],
        ignore=given["ignore"],
        baseline=known,
        error_on_warning=given["error_on_warning"],
    )
    with progress(quiet=given["quiet"] > 0) as on_progress, _patch_dir(given) as patch_dir:
        options = asked(given, selection=triage.selection, patch_dir=patch_dir, on_progress=on_progress, triage=triage)
        report = _report(options, given)
    unused = [problem for problem in report.problems if problem.kind == "suppression"]
    stale = known.stale(report.findings, set(report.files), _rules(report, given))
    remarks = [f"{one.path}:{one.line}: {one.message}" for one in unused]
    if given["write_baseline"]:
        opened = [finding for finding in report.findings if finding.state != "suppressed"]
        renewed = baselines.accept(opened, known, stale)
        baselines.write(file, renewed)
        accepted = plural(len(renewed.entries), "finding")
        remarks.append(f"{accepted} accepted in {file}" + (f", {len(stale)} stale removed" if stale else ""))
        report = msgspec.structs.replace(triage, baseline=renewed)(report)
        stale = ()
    elif stale:
        remarks.append(f"stale in {file}: {len(stale)}. Renew it with --write-baseline")
    return Outcome(report, tuple(remarks), len(stale) + len(unused))


def _report(options: Options, given: dict[str, Any]) -> Report:
    from auditor.packages.spec import is_range, parse_spec

    whole = given["against"] == ("declared",) or any(map(is_range, options.against))
    if whole and options.second_opinion is not None:
        named = () if given.get("declared") else map(parse_spec, options.against)
        name = next((spec.name for spec in named if spec.name), "NAME")
        raise ConfigError(
            "--second-opinion is asked about one release, not about a range",
            hint=f"Audit the release in question with it: `--against {name}==VERSION`, or the range without it",
        )
    style = None if given["guard"] == "auto" else given["guard"]
    if given.get("declared"):
        from auditor.ranges import scan_declared, scan_declared_ranges

        if given["against"]:
            return scan_declared_ranges(options, given["provider"], style)
        return scan_declared(options, given["provider"])
    if not whole:
        return scan(options)
    from auditor.matrix import Range
    from auditor.ranges import scan_ranges

    return scan_ranges(options, Range(prereleases=given["prereleases"]), style)


@contextmanager
def _patch_dir(given: dict[str, Any]) -> Iterator[Path | None]:
    """Where patches go: for `--diff` a folder that is gone afterwards, since they are only shown."""
    if given["diff"]:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="api-audit-") as folder:
            yield Path(folder)
    else:
        yield None if given["no_patches"] or given["show_files"] else given["patch_dir"]


def _baseline(given: dict[str, Any]) -> tuple[baselines.Baseline, Path]:
    """The known findings and the file they are in, or would be written to."""
    file: Path = given["baseline"] or BASELINE
    if given["no_baseline"] and given["write_baseline"]:
        raise ConfigError("--no-baseline and --write-baseline exclude each other")
    if given["no_baseline"] or not (given["baseline"] or given["write_baseline"]):
        return baselines.Baseline(), file
    if given["write_baseline"] and not file.exists():
        return baselines.Baseline(), file
    return baselines.read(file), file


def _rules(report: Report, given: dict[str, Any]) -> frozenset[str]:
    """The rules whose absence means something: none named, all of them; else those that were found or selected."""
    if not (given["select"] or given["ignore"]):
        return frozenset()
    return frozenset(finding.rule for finding in report.findings) | frozenset(given["select"])
