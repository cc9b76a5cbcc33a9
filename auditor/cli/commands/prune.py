"""`api-audit prune`: take out the guards that no release of the declared range needs any more."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from auditor import formats
from auditor.cli.app import Configured
from auditor.cli.options import asked, configuration, exclude, exit_code, patches, sources, terminal, told_as
from auditor.cli.progress import progress
from auditor.cli.terminal import deliver, refuse_nowhere, rendering, say
from auditor.config import Located
from auditor.model import Report

EXAMPLES = """\b
Examples:
  api-audit prune .
  api-audit prune . --provider vllm --diff
  api-audit prune src/ --against 'vllm>=0.16,<0.24'
  api-audit apply generated_patches/mine-1.0--vllm-0.23.0--prune --to .
\b
A guard is a version test, a try/except ImportError, a hasattr or signature
test, or `**({...} if new else {})`. It goes if it comes out the same in every
release of the range, those not yet published included; whatever is not fully
understood stays.
\b
Exit code: 0 nothing to prune, 1 guards found, 2 could not finish, 130 interrupted.
"""

SECTIONS = {
    "What to prune": ("range_", "provider", "prereleases", "exclude"),
    "How it is told": ("output_format", "output_file", "diff"),
    "Patches": ("no_patches", "patch_dir"),
    "Exit code": ("exit_zero", "error_on_warning"),
}


@click.command(cls=Configured, sections=SECTIONS, epilog=EXAMPLES, short_help="Take out guards nobody needs.")
@click.argument("consumers", nargs=-1, metavar="[CONSUMER]...")
@click.option(
    "--against",
    "range_",
    multiple=True,
    metavar="RANGE",
    allow_from_autoenv=False,
    help="Releases that must still work; may be repeated. [default: what CONSUMER declares]",
)
@click.option("--provider", multiple=True, metavar="NAME", help="Only this dependency; may be repeated.")
@click.option("--pre", "prereleases", is_flag=True, help="Pre-releases too.")
@exclude
@told_as(formats.names)
@patches
@exit_code
@sources
@configuration
@terminal
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find the guards in CONSUMER (package, folder or files; else the current folder) that the range of releases it
    declares no longer needs, and write patches without them.

    The branch that always runs stays, with its comments; imports, constants and helpers that only the guards used go
    with them. Sources are never touched (see `api-audit apply`).
    """
    refuse_nowhere(given["output_file"])
    if given["range_"] and given["provider"]:
        raise click.UsageError("--provider names a dependency of the declared range: leave out --against", ctx)
    report = _pruned(given, ctx.obj)
    if given["diff"]:
        from auditor.patches.hunks import joined

        deliver(joined(file for patch in report.patches for file in patch.files), given["output_file"])
    else:
        deliver(formats.renderer(given["output_format"])(report, rendering(given)), given["output_file"])
    if not given["quiet"]:
        _close(report, given)
    opened = any(finding.state == "open" for finding in report.findings)
    ctx.exit(0 if given["exit_zero"] or not opened else 1)


def _pruned(given: dict[str, Any], located: Located) -> Report:
    from auditor.baseline import Baseline
    from auditor.cli.triage import Triage
    from auditor.prune import prune

    triage = Triage.of(
        located.config, select=(), ignore=(), baseline=Baseline(), error_on_warning=given["error_on_warning"]
    )
    with progress(quiet=given["quiet"] > 0) as on_progress, TemporaryDirectory(prefix="api-audit-") as nowhere:
        options = asked(
            given,
            against=given["range_"],
            patch_dir=Path(nowhere) if given["diff"] else None if given["no_patches"] else given["patch_dir"],
            on_progress=on_progress,
            triage=triage,
        )
        return prune(options, given["provider"], prereleases=given["prereleases"])


def _close(report: Report, given: dict[str, Any]) -> None:
    """The last lines: what was found in which range, and how to go on."""
    from auditor.formats._escape import visible
    from auditor.formats._tally import plural

    opened = [finding for finding in report.findings if finding.state == "open"]
    count = plural(len(opened), "guard") if opened else "No guard"
    kept = [finding for finding in opened if finding.fix is None]
    unsafe = [finding for finding in opened if finding.fix is not None and finding.fix.applicability == "unsafe"]
    parts = [f"{len(unsafe)} with --unsafe-fixes"] if unsafe else []
    parts += [f"{len(kept)} without a patch"] if kept else []
    said = f" ({', '.join(parts)})" if parts else ""
    ranges = "; ".join(provider.old_reason.removeprefix("the range ") for provider in report.providers)
    say(visible(f"{count} that no release needs{said}, in {plural(len(report.files), 'file')}. {ranges}"))
    folders = {f.fix.patch.rpartition("/")[0] for f in opened if f.fix is not None and f.fix.patch}
    if given["output_format"] == "full" and not given["diff"] and not given["no_patches"]:
        for folder in sorted(folders):
            say(f"Apply them: api-audit apply {visible(folder)} --to PATH")
