"""`api-audit scan`: audit consumers against provider releases, report, and write the patches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from auditor import formats
from auditor.cli.app import Configured
from auditor.cli.options import (
    configuration,
    exclude,
    exit_code,
    patches,
    sources,
    terminal,
    told_as,
    which_rules,
    written_for,
)
from auditor.cli.terminal import deliver, refuse_nowhere, rendering, say
from auditor.config import Located
from auditor.errors import AuditError, OfflineError
from auditor.model import Report

EXAMPLES = """\b
Examples:
  api-audit scan speculators==0.3.0 --against vllm==0.16
  api-audit scan src/ --against vllm --against transformers
  api-audit scan . --against 'vllm>=0.12,<0.24'
  api-audit scan . --provider vllm
  api-audit scan . --from vllm==0.11.0 --against ./vllm --no-patches
  api-audit scan . --output-format sarif -o audit.sarif --exit-zero
\b
Releases: name==1.2, name (the latest), name>=1,<2 (every release of that range),
a folder, folder@gitref, a .whl or .tar.gz file, env:PYTHON (what that interpreter has installed).
\b
Exit code: 0 no drift, 1 findings, 2 could not finish, 130 interrupted.
"""


SECTIONS = {
    "What to audit": ("against", "provider", "from_", "prereleases", "exclude", "second_opinion"),
    "Which findings count": ("rules", "select", "ignore", "baseline", "no_baseline", "write_baseline"),
    "How it is told": ("output_format", "output_file", "diff", "statistics", "show_files"),
    "Patches": ("no_patches", "patch_dir", "guard"),
    "Exit code": ("exit_zero", "error_on_warning", "strict"),
}


@click.command(cls=Configured, sections=SECTIONS, epilog=EXAMPLES, short_help="Find drift, and write patches for it.")
@click.argument("consumers", nargs=-1, metavar="[CONSUMER]...")
@click.option(
    "--against",
    multiple=True,
    metavar="SPEC",
    help="Release or range to audit against, or `declared` for every declared release; may be repeated. [default: the "
    "ends of each declared range, and the latest release]",
)
@click.option(
    "--provider",
    "provider",
    multiple=True,
    metavar="NAME",
    help="Without `--against`, or with `declared`: only this dependency; may be repeated. [default: all with an upper "
    "bound]",
)
@written_for
@click.option("--pre", "prereleases", is_flag=True, help="Of a range, pre-releases too.")
@exclude
@which_rules
@click.option("--baseline", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Known findings.")
@click.option("--no-baseline", is_flag=True, help="Show the known findings too.")
@click.option("--write-baseline", is_flag=True, help="Accept today's findings into the baseline file.")
@told_as(formats.names)
@click.option(
    "--second-opinion",
    type=click.Choice(["ty", "pyrefly"]),
    help="Ask a type checker too, and tell where it agrees and what only it sees.",
)
@click.option("--statistics", is_flag=True, help="Count findings per rule.")
@patches
@click.option(
    "--guard",
    type=click.Choice(["auto", "capability", "version"]),
    default="auto",
    show_default=True,
    help="How patches for a range tell its releases apart; `auto`: as the consumer does. Imports are always tried.",
)
@exit_code
@click.option("--strict", is_flag=True, help="Notes, unaudited places, stale ignores and baseline entries fail too.")
@click.option("--show-files", is_flag=True, help="List the files that were read, instead of a report.")
@click.option("--show-settings", is_flag=True, help="Show what flags, environment and files add up to, and stop.")
@sources
@configuration
@terminal
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find where CONSUMER (package, folder or files; else the current folder) no longer fits newer releases of what it
    uses.

    Every use of a provider is bind-checked against the release it was written for and against the one given with
    --against. Patches are written to --patch-dir; sources are never touched (see `api-audit apply`).
    """
    located: Located = ctx.obj
    refuse_nowhere(given["output_file"])
    if given["show_settings"]:
        deliver(_settings(ctx, located), given["output_file"])
        return
    given["declared"] = given["against"] in ((), ("declared",))
    if not given["declared"] and "declared" in given["against"]:
        raise click.UsageError("`--against declared` stands alone", ctx)
    if not given["declared"] and given["provider"]:
        raise click.UsageError(
            "--provider names a dependency for runs without --against, or with `--against declared`", ctx
        )
    from auditor.cli.audit import audit  # the pipeline is needed only from here on

    try:
        outcome = audit(given, located)
    except OfflineError as error:
        raise _advised(error) from error
    report = outcome.report
    if not report.consumer.files:
        raise AuditError("no Python files were found", where=", ".join(given["consumers"]) or ".")
    if given["show_files"]:
        deliver("".join(f"{path}\n" for path in report.files), given["output_file"])
    elif given["diff"]:
        from auditor.patches.hunks import joined

        deliver(joined(file for patch in report.patches for file in patch.files), given["output_file"])
    else:
        deliver(_render(report, given), given["output_file"])
    _close(report, outcome.remarks, given)
    ctx.exit(_exit_code(report, outcome.stale, given))


def _advised(error: OfflineError) -> OfflineError:
    """In a pre-commit hook the program is not on the path of whoever reads the message."""
    if os.environ.get("PRE_COMMIT") != "1":
        return error
    hint = "Fill the store once: pre-commit run api-audit-fill --hook-stage manual --all-files"
    return OfflineError(error.what, where=error.where, hint=hint)


def _render(report: Report, given: dict[str, Any]) -> str:
    return formats.renderer(given["output_format"])(report, rendering(given))


def _close(report: Report, remarks: tuple[str, ...], given: dict[str, Any]) -> None:
    """The last lines, on standard error: what is worth knowing, how to go on, and the summary."""
    if given["quiet"] >= 2:
        return
    from auditor.formats._escape import visible
    from auditor.formats._tally import claims, summary

    for remark in remarks:
        say(f"api-audit: {visible(remark)}")
    if given["quiet"]:
        return
    say(visible(summary(report)))
    if given["output_format"] != "full":
        for claim in claims(report):
            say(visible(claim))
    patches = [finding.fix.patch for finding in report.findings if finding.fix and finding.fix.patch]
    if given["output_format"] == "full" and not given["diff"]:
        for folder in sorted({patch.rpartition("/")[0] for patch in patches}):
            say(f"Apply them: api-audit apply {visible(folder)} --to PATH")


def _exit_code(report: Report, stale: int, given: dict[str, Any]) -> int:
    if given["exit_zero"]:
        return 0
    opened = [finding for finding in report.findings if finding.state == "open"]
    if given["diff"]:
        return 1 if report.patches else 0
    if given["strict"]:
        return 1 if opened or report.problems or stale else 0
    return 1 if any(finding.severity != "info" for finding in opened) else 0


def _settings(ctx: click.Context, located: Located) -> str:
    """Each setting with its value and where it came from."""
    lines = [f"configuration file: {located.file or 'none'}"]
    for name, value in sorted(ctx.params.items()):
        source = ctx.get_parameter_source(name)
        shown = [str(item) for item in value] if isinstance(value, tuple) else value
        origin = source.name.lower().replace("_", " ") if source else "default"
        lines.append(f"{name.rstrip('_').replace('_', '-')} = {shown!r}  # {origin}")
    lines += [f"per-file-ignores: {glob} = {rules}" for glob, rules in located.config.per_file_ignores.items()]
    lines += [f"ignore: {entry!r}" for entry in located.config.ignores()]
    return "\n".join(lines) + "\n"
