"""`api-audit apply`: bring the files of a target to what a folder of patches asks for, or back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli.options import FOLDER, Sectioned, terminal
from auditor.cli.terminal import deliver, say, wants_color
from auditor.errors import PatchError
from auditor.formats._escape import visible
from auditor.formats._style import Paint, Palette

if TYPE_CHECKING:
    from auditor.model import Patch
    from auditor.patches.apply import Mode, Outcome
    from auditor.patches.series import PatchSet
    from auditor.patches.target import Target

EXAMPLES = """\b
Examples:
  api-audit apply generated_patches/speculators-0.3.0--vllm-0.16.0 --to ./speculators --check
  api-audit apply generated_patches/speculators-0.3.0--vllm-0.16.0 --to env:.venv/bin/python
  api-audit apply generated_patches/speculators-0.3.0--vllm-0.16.0 --to ./speculators --revert
\b
Exit code: 0 done (or nothing to do), 2 refused or could not finish; then no file was changed.
"""


_SIGNS: dict[str, Paint] = {"+": "green", "-": "red", "@": "cyan"}


_SECTIONS = {
    "What to patch": ("target", "unsafe_fixes", "interactive"),
    "What to do": ("check", "diff", "revert"),
    "Version control": ("allow_dirty", "allow_no_vcs"),
}


@click.command(
    cls=Sectioned,
    sections=_SECTIONS,
    epilog=EXAMPLES,
    short_help="Apply patches that scan has written, or take them back.",
)
@click.argument("folder", type=FOLDER, metavar="DIR")
@click.option("--to", "target", required=True, metavar="PATH|env:PYTHON", help="What to patch.")
@click.option("--unsafe-fixes", is_flag=True, allow_from_autoenv=False, help="Also apply patches marked unsafe.")
@click.option("--check", is_flag=True, allow_from_autoenv=False, help="Only say what would be done.")
@click.option("--diff", is_flag=True, allow_from_autoenv=False, help="Only print what would change.")
@click.option("--revert", is_flag=True, allow_from_autoenv=False, help="Take applied patches back.")
@click.option("-i", "--interactive", is_flag=True, allow_from_autoenv=False, help="Ask about each patch.")
@click.option("--allow-dirty", is_flag=True, help="Also where git has uncommitted changes.")
@click.option("--allow-no-vcs", is_flag=True, help="No hint where the target is not under version control.")
@terminal
@click.pass_context
def command(ctx: click.Context, /, folder: Path, target: str, **given: Any) -> None:
    """Apply the patches in DIR (made by `api-audit scan`) to a checkout, an unpacked package or an environment.

    All files are changed or none. A file that is not the one the patches were made for is refused.
    """
    from auditor.patches.apply import apply
    from auditor.patches.reader import read_set

    mode = _mode(ctx, given)
    chosen = read_set(folder)
    if given["interactive"]:
        chosen = _asked(chosen, target, given)
        if not chosen.patches:
            say("No patch was chosen; nothing was changed")
            return
    if mode in ("apply", "revert"):
        _look_at_git(target, chosen, given)
    outcome = apply(chosen, target, unsafe=given["unsafe_fixes"], mode=mode)
    if mode == "diff":
        deliver(outcome.diff, None)
    if given["quiet"]:
        return
    lines = [visible(line) for line in outcome.sentences()]
    if mode == "diff":
        say("\n".join(lines))
    else:
        deliver("".join(f"{line}\n" for line in lines), None)
        _say_what_is_next(outcome, chosen, folder, target, unsafe=given["unsafe_fixes"])


def _mode(ctx: click.Context, given: dict[str, Any]) -> Mode:
    modes: list[Mode] = ["check", "diff", "revert"]
    asked = [mode for mode in modes if given[mode]]
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} exclude each other", ctx)
    if asked and given["interactive"]:
        raise click.UsageError(f"--interactive and --{asked[0]} exclude each other", ctx)
    return asked[0] if asked else "apply"


def _asked(patches: PatchSet, target: str, given: dict[str, Any]) -> PatchSet:
    """The patches that are applied already and those the user takes; what builds on a declined one is left out."""
    import msgspec

    from auditor.patches.apply import apply

    if not sys.stdin.isatty():
        raise PatchError("--interactive needs a terminal to ask on")
    plan = apply(patches, target, unsafe=given["unsafe_fixes"], mode="check")
    paint = Palette(color=wants_color(given["color"], sys.stderr))
    taken, declined, stopped = [], set[str](), False
    for patch in patches.patches:
        files = {file.path for file in patch.files}
        if patch.name in plan.already:
            taken.append(patch)
        elif patch.name not in plan.patches:
            declined |= files
        elif files & declined:
            say(f"{patch.name}: left out, since it builds on a patch that was declined")
            declined |= files
        elif not stopped and (answer := _ask(patch, paint)) != "n":
            stopped = answer == "q"
            taken += [] if stopped else [patch]
            declined |= files if stopped else set()
        else:
            declined |= files
    return msgspec.structs.replace(patches, patches=tuple(taken))


def _ask(patch: Patch, paint: Palette) -> str:
    for line in "".join(file.diff for file in patch.files).splitlines():
        say(paint(_SIGNS[line[0]], visible(line)) if line[:1] in _SIGNS else visible(line))
    say(f"{paint('bold', patch.name)}: {visible(patch.reason)} ({patch.applicability})")
    choice = click.Choice(["y", "n", "q"])
    answer: str = click.prompt("Apply this patch?", type=choice, default="y", show_choices=True, err=True)
    return answer


def _look_at_git(target: str, patches: PatchSet, given: dict[str, Any]) -> None:
    """Refuse a checkout with uncommitted changes other than the patches' own, so that a patch can be told from them."""
    from auditor.cli.git import changed_files
    from auditor.patches.target import locate

    place = locate(target, patches)
    changed = changed_files(place.root)
    if changed is None:
        if not (given["allow_no_vcs"] or given["quiet"] or given["revert"]):
            say(f"{visible(str(place.root))} is not under version control; --revert takes the patches back")
    elif not given["allow_dirty"] and (foreign := [name for name in changed if not _is_ours(name, place, patches)]):
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise PatchError(
            f"the git tree has uncommitted changes: {foreign[0]}{more}",
            where=str(place.root),
            hint="Commit them, or pass --allow-dirty",
        )


def _is_ours(name: str, place: Target, patches: PatchSet) -> bool:
    """Whether a changed file is just as the patches expect or leave it."""
    from auditor.patches.hunks import digest

    chains = patches.chains()
    known = {
        each
        for path, renamed in place.names.items()
        if renamed == name
        for _, file in chains[path]
        for each in (file.before, file.after)
    }
    try:
        return bool(known) and digest((place.root / name).read_bytes()) in known
    except OSError:
        return False


def _say_what_is_next(outcome: Outcome, patches: PatchSet, folder: Path, target: str, *, unsafe: bool) -> None:
    if outcome.mode == "apply" and outcome.changed:
        say(f"Undo: api-audit apply {visible(str(folder))} --to {visible(target)} --revert")
        from auditor.cli.recheck import recheck

        if call := recheck(patches, folder, outcome.root):
            say(f"Check: {visible(call)}")
    elif outcome.mode == "check" and outcome.patches:
        more = " --unsafe-fixes" if unsafe else ""
        say(f"Do it: api-audit apply {visible(str(folder))} --to {visible(target)}{more}")
