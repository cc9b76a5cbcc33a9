"""The program `api-audit-run` and its commands."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from auditor.runner import extraction, rehearsal, said, witness
from auditor.runner.options import PATH, common, gathered, tell_overlay
from auditor.runner.overlay import overlaid
from auditor.runner.preflight import preflight

PROGRAM = "api-audit-run"
SETTINGS = {"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "API_AUDIT_RUN", "max_content_width": 100}


@click.group(name=PROGRAM, context_settings=SETTINGS)
def program() -> None:
    """Run a job on patched packages: checked in seconds, rehearsed in a minute, then for real.

    The target environment is only ever read: the package is copied, patched in the copy, and the copy comes first on
    the path of the job and of all its workers.
    """


@program.command("preflight")
@common
@click.option("--unpatched", is_flag=True, help="Judge the package as it is installed, not as patched.")
@click.option("--json", "report", type=PATH, help="Write every row to this file as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Tell of what fits, too.")
def preflight_command(
    python: Path,
    patches: Path,
    *,
    unsafe: bool,
    run_dir: Path | None,
    unpatched: bool,
    report: Path | None,
    verbose: bool,
) -> None:
    """Bind every audited call against the live library, in seconds, without a model or a GPU."""
    patch_set, seen, target = gathered(python, patches)
    with overlaid(patch_set, target, unsafe=unsafe, run_dir=run_dir) as overlay:
        tell_overlay(overlay, patch_set, seen)
        result = preflight(patch_set, seen, overlay)
    if report:
        report.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")
    for line in said.preflight_lines(result, patched=not unpatched, every=verbose):
        said.tell(line)
    if result.failing(patched=not unpatched):
        raise click.exceptions.Exit(1)


@program.command("witness")
@common
@click.argument("finding")
@click.option("--out", type=PATH, required=True, help="The script to write.")
def witness_command(
    python: Path, patches: Path, finding: str, *, unsafe: bool, run_dir: Path | None, out: Path
) -> None:
    """Write a script that shows FINDING's TypeError on the unpatched code and its absence on the patched."""
    patch_set, seen, target = gathered(python, patches)
    chosen = witness.choose(seen, finding)
    with overlaid(patch_set, target, unsafe=unsafe, run_dir=run_dir) as overlay:
        witness.write(out, witness.render(seen, chosen, overlay))
    said.say(f"{out}: run it with {python}")


program.add_command(extraction.command)
program.add_command(rehearsal.command)
