"""The command `rehearse`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from auditor.runner import said
from auditor.runner.options import PATH, common, gathered, job_options, preflight_or_stop, settings_of, tell_overlay
from auditor.runner.overlay import overlaid
from auditor.runner.rehearse import Check, rehearse, shrink


@click.command("rehearse")
@common
@job_options
@click.option("--width", default="256", help="Width of the shrunken model: a number, or `real`.")
@click.option("--keep-layers", type=click.IntRange(1), default=4, help="Layers of the shrunken model.")
@click.option("--work", type=PATH, help="Keep the model and the samples here (default: a temporary folder).")
@click.option("-q", "--quiet", is_flag=True, help="Only the verdict.")
def command(python: Path, patches: Path, *, unsafe: bool, run_dir: Path | None, **given: Any) -> None:
    """Run the whole job twice on a shrunken model with random weights, and look at everything it writes."""
    patch_set, seen, target = gathered(python, patches)
    settings = settings_of(given)
    work = given["work"].expanduser().absolute() if given["work"] else Path(tempfile.mkdtemp(prefix="api-audit-"))
    with overlaid(patch_set, target, unsafe=unsafe, run_dir=run_dir) as overlay:
        tell_overlay(overlay, patch_set, seen)
        preflight_or_stop(patch_set, seen, overlay)
        small = shrink(
            overlay,
            settings.model,
            work / "model",
            width=given["width"],
            layers=given["keep_layers"],
            parallel=settings.tensor_parallel,
        )
        said.say(f"{small.architecture}: {small.layers} layers of width {small.width}, random weights")
        for out in ("first", "second"):
            shutil.rmtree(work / out, ignore_errors=True)
        checks = rehearse(settings, overlay, small, work, step=settings.batch_tokens, quiet=given["quiet"])
    failed = any(check.holds is False for check in checks)
    if not given["work"] and not failed:  # an error above, too, leaves it: the logs are in it
        shutil.rmtree(work, ignore_errors=True)
    for check in checks:
        said.tell(_line(check))
    if failed:
        said.tell(f"the rehearsal failed; what it wrote is in {work}")
        raise click.exceptions.Exit(1)
    said.tell("the rehearsal held")


def _line(check: Check) -> str:
    sign = {True: "holds", False: "FAILS", None: "noted"}[check.holds]
    return f"{sign:8}{check.name}: {check.said}"
