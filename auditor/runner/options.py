"""The options that commands share, and what every command does before its own work."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from auditor.model import ProviderInfo
from auditor.patches.reader import read_set
from auditor.patches.series import PatchSet
from auditor.runner import audit, said
from auditor.runner.overlay import Overlay
from auditor.runner.preflight import Result, preflight
from auditor.runner.settings import Settings
from auditor.runner.target import Target, ask

F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
WRITERS = max(1, min(6, (os.cpu_count() or 2) // 2))
"""Six keep up with one H200 (docs/gpu-results.md); the job itself needs cores as well."""


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


def job_options(command: F) -> F:
    """The options of commands that run a job."""
    for option in reversed(
        (
            click.option("--model", required=True, help="The model: a folder, or a name that the environment knows."),
            click.option("--layers", help="Layer numbers, ascending: 2,30,58,60."),
            click.option("--job", type=PATH, help="A script to run in place of the hidden-state job."),
            click.option("--job-argument", "extra", multiple=True, help="An argument for --job, passed on as it is."),
            click.option("--max-length", type=click.IntRange(1), default=2048, help="Longer prompts are cut."),
            click.option("--batch-tokens", type=click.IntRange(1), default=8192, help="Tokens of a batch at most."),
            click.option("--batch-prompts", type=click.IntRange(1), default=32, help="Prompts of a batch at most."),
            click.option("--tensor-parallel", type=click.IntRange(1), default=1, help="GPUs of one engine."),
            click.option("--gpu-memory", type=click.FloatRange(0.05, 1), default=0.8, help="Share of GPU memory."),
            click.option(
                "--pipeline", type=click.Choice(["staged", "plain"]), default="staged", help="Way to the disk."
            ),
            click.option("--writers", type=click.IntRange(1), default=WRITERS, help="Processes that write samples."),
            click.option(
                "--sync",
                type=click.Choice(["batch", "each", "never"]),
                default="batch",
                help="When to bring samples to the disk.",
            ),
        )
    ):
        command = option(command)
    return command


def settings_of(given: dict[str, Any], **changed: Any) -> Settings:
    """The settings that the options make; paths are made absolute, for the job starts elsewhere."""
    folder = Path(given["model"]).expanduser()
    names = ("layers", "extra", "max_length", "batch_tokens", "batch_prompts", "tensor_parallel", "gpu_memory")
    values = {name: given[name] for name in (*names, "pipeline", "writers", "sync")}
    values["model"] = str(folder.absolute()) if folder.exists() else given["model"]
    values["data"] = given["data"].expanduser().absolute() if "data" in given else Path()
    values["job"] = given["job"].expanduser().absolute() if given["job"] else None
    values["limit"] = given.get("limit")
    return Settings(**{**values, **changed})


def gathered(python: Path, patches: Path) -> tuple[PatchSet, audit.Audit, Target]:
    """The patches, their audit and the environment; refuses what does not belong together."""
    patch_set = read_set(patches.expanduser())
    seen = audit.read(patches.expanduser())
    names = [patch_set.consumer, *(provider.name for provider in seen.providers)]
    target = ask(python.expanduser().absolute(), patch_set.packages, names)
    return patch_set, seen.of_installed(target.distributions), target


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
        if found and (doubt := _doubt(provider, found)):
            said.say(f"{doubt}; {found} is installed here")


def _doubt(provider: ProviderInfo, installed: str) -> str | None:
    """How far what is installed is from what was audited."""
    version, span = installed.partition("+")[0], provider.range
    if span is None:
        return None if version == provider.new else f"audited against {provider.name} {provider.new}"
    release = audit.release_of(span, installed)
    if release.removeprefix("v") != version:
        return f"audited against {provider.name} {span.releases[0]} to {span.releases[-1]}, not this release"
    if release not in span.proven:
        return f"the patches are proven for {span.widest_patched or f'no release of {provider.name}'}"
    return None


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
