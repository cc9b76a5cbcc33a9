"""The command `extract`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auditor.errors import AuditError
from auditor.patches.series import PatchSet
from auditor.runner import audit, manifest
from auditor.runner.extract import Engine, Local, extract
from auditor.runner.options import PATH, common, gathered, job_options, preflight_or_stop, settings_of, tell_overlay
from auditor.runner.overlay import Overlay, overlaid
from auditor.runner.settings import Settings


@click.command("extract")
@common
@job_options
@click.option("--data", type=PATH, required=True, help="Prompts: JSON lines with input_ids, prompt or conversations.")
@click.option("--out", type=PATH, required=True, help="The folder for the samples; an unfinished one is resumed.")
@click.option("--replicas", type=click.IntRange(1), default=1, help="Copies of the engine; they share the prompts.")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", help="Where the copies run.")
@click.option("--ray-address", help="The Ray cluster to join (default: a local one is started).")
@click.option("--limit", type=click.IntRange(1), help="Take only so many prompts.")
@click.option("--no-preflight", is_flag=True, help="Start without asking the live library first.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(python: Path, patches: Path, *, unsafe: bool, run_dir: Path | None, **given: Any) -> None:
    """Extract hidden states (or run a job of your own): resumable, each sample checked, written whole or not at all."""
    patch_set, seen, target = gathered(python, patches)
    settings = settings_of(given).checked()
    out = given["out"].expanduser().absolute()
    with overlaid(patch_set, target, unsafe=unsafe, run_dir=run_dir) as overlay:
        tell_overlay(overlay, patch_set, seen)
        if not given["no_preflight"]:
            preflight_or_stop(patch_set, seen, overlay)
        about = about_run(patch_set, seen, overlay, patches, settings)
        engine = _engine(given["engine"], given["ray_address"])
        extract(settings, overlay, out, about, replicas=given["replicas"], engine=engine, quiet=given["quiet"])


def about_run(
    patch_set: PatchSet, seen: audit.Audit, overlay: Overlay, patches: Path, settings: Settings
) -> dict[str, Any]:
    """What the manifest says of where the samples come from."""
    outcome, there = overlay.outcome, overlay.target.distributions
    return {
        "consumer": {"name": patch_set.consumer, "version": there.get(patch_set.consumer) or patch_set.version},
        "providers": {provider.name: there.get(provider.name) or provider.new for provider in seen.providers},
        "model_digest": manifest.digest_of_model(Path(settings.model)),
        **manifest.identity(patch_set, (*outcome.patches, *outcome.already), patches.expanduser()),
    }


def _engine(name: str, address: str | None) -> Engine:
    if name == "local":
        if address:
            raise AuditError("--ray-address belongs to --engine ray")
        return Local()
    from auditor.runner.cluster import Cluster

    return Cluster(address)
