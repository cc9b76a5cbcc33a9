"""The program `api-audit-run`: its commands and their options."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from auditor.patches.reader import read_set
from auditor.patches.series import PatchSet
from auditor.runner import audit, said, witness
from auditor.runner.overlay import Overlay, overlaid
from auditor.runner.preflight import Result, preflight
from auditor.runner.target import Target, ask

PROGRAM = "api-audit-run"
SETTINGS = {"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "API_AUDIT_RUN", "max_content_width": 100}
F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)


def common(command: F) -> F:
    """The options that every command has."""
    for option in reversed(
        (
            click.option("--python", required=True, type=PATH, help="The target environment's interpreter."),
            click.option("--patches", required=True, type=PATH, help="A folder of patches, from `api-audit scan`."),
            click.option("--unsafe-fixes", "unsafe", is_flag=True, help="Also apply patches marked unsafe."),
            click.option("--run-dir", type=PATH, help="Keep the overlay here (default: a temporary folder)."),
        )
    ):
        command = option(command)
    return command


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


def gathered(python: Path, patches: Path) -> tuple[PatchSet, audit.Audit, Target]:
    """The patches, their audit and the environment; refuses what does not belong together."""
    patch_set = read_set(patches.expanduser())
    seen = audit.read(patches.expanduser())
    names = [patch_set.consumer, *(provider.name for provider in seen.providers)]
    return patch_set, seen, ask(python.expanduser().absolute(), patch_set.packages, names)


def tell_overlay(overlay: Overlay, patch_set: PatchSet, seen: audit.Audit) -> None:
    """What is being run, and where the environment is not the audited one."""
    outcome, there = overlay.outcome, overlay.target.distributions
    done = len(outcome.patches) + len(outcome.already)
    version = there.get(patch_set.consumer) or "?"
    said.say(f"{patch_set.consumer} {version} with {done} of {len(patch_set.patches)} patches, in an overlay")
    if outcome.left_out:
        said.say(f"left out as unsafe: {', '.join(outcome.left_out)} (--unsafe-fixes takes them in)")
    for provider in seen.providers:
        found = there.get(provider.name)
        if found and found.partition("+")[0] != provider.new:
            said.say(f"audited against {provider.name} {provider.new}; {found} is installed here")


def preflight_or_stop(patch_set: PatchSet, seen: audit.Audit, overlay: Overlay) -> Result:
    """Preflight before a job: anything that fails is told, and nothing is started."""
    result = preflight(patch_set, seen, overlay)
    if result.failing(patched=True):
        for line in said.preflight_lines(result, patched=True, every=False):
            said.tell(line)
        said.say("nothing was started")
        raise click.exceptions.Exit(1)
    said.say(f"preflight: nothing fails ({result.seconds:.1f} s)")
    return result
