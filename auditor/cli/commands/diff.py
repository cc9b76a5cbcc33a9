"""`api-audit diff`: what changed between two releases of a provider, all of it or what one consumer touches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from auditor.cli.app import Configured
from auditor.cli.options import configuration, exclude, sources, terminal
from auditor.cli.progress import progress
from auditor.cli.terminal import deliver, say, wants_color

if TYPE_CHECKING:
    from auditor.cli.comparison import Comparison
    from auditor.differences import Change
    from auditor.formats._style import Palette

EXAMPLES = """\b
Examples:
  api-audit diff vllm==0.11.0 vllm==0.16 --used-by speculators==0.3.0
  api-audit diff numpy==1.26.4 numpy==2.0.0 --used-by src/
  api-audit diff ./vllm@v0.16.0 ./vllm@main --grade breaking --json
\b
Grades: breaking (some use that fitted no longer does), altering (it fits and
means something else), additive (neither; shown with --grade additive).
\b
Exit code: 0 compared (1 with --exit-code and breaking or altering changes), 2 could not finish.
"""

_SHOWN = {"breaking": ("breaking",), "altering": ("breaking", "altering"), "additive": None}


_SECTIONS = {
    "What to compare": ("used_by", "exclude"),
    "How it is told": ("grade", "as_json", "exit_code"),
}


@click.command(
    cls=Configured, sections=_SECTIONS, epilog=EXAMPLES, short_help="What changed between two releases of a provider."
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--used-by", metavar="CONSUMER", help="Only what this consumer touches.")
@exclude
@click.option(
    "--grade",
    type=click.Choice(["breaking", "altering", "additive"]),
    default="altering",
    show_default=True,
    help="Show changes of this grade and worse.",
)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@click.option(
    "--exit-code",
    is_flag=True,
    allow_from_autoenv=False,
    help="Exit 1 where breaking or altering changes are found.",
)
@sources
@configuration
@terminal
@click.pass_context
def command(ctx: click.Context, /, old: str, new: str, **given: Any) -> None:
    """Compare the releases OLD and NEW of a provider, from their published files alone.

    With --used-by only changes of symbols that the consumer imports, calls, accesses or overrides are told, whether or
    not they break it: `api-audit scan` says which do.
    """
    from auditor.cli.comparison import compare

    with progress(quiet=given["quiet"] > 0) as on_progress:
        found = compare(old, new, given, on_progress)
    shown = _SHOWN[given["grade"]]
    changes = [change for change in found.changes if shown is None or change.grade in shown]
    if given["as_json"]:
        deliver(_json(found, changes), None)
    else:
        import sys

        from auditor.formats._style import Palette

        deliver(_text(found, changes, Palette(color=wants_color(given["color"], sys.stdout))), None)
    if not given["quiet"]:
        say(_summary(found))
    if given["exit_code"] and any(change.grade != "additive" for change in found.changes):
        ctx.exit(1)


def _json(found: Comparison, changes: Sequence[Change]) -> str:
    import msgspec

    from auditor.formats.json import encode

    return encode(
        {
            "schema": 1,
            "provider": found.provider,
            "old": found.old,
            "new": found.new,
            "used_by": found.used_by,
            "changes": msgspec.to_builtins(changes),
        }
    )


def _text(found: Comparison, changes: Sequence[Change], paint: Palette) -> str:
    from auditor.formats._escape import visible

    used = f", as used by {found.used_by}" if found.used_by else ""
    lines = [paint("bold", visible(f"{found.provider} {found.old} -> {found.new}{used}"))]
    by_symbol: dict[str, list[Change]] = {}
    for change in changes:
        by_symbol.setdefault(change.symbol, []).append(change)
    for symbol, of_symbol in by_symbol.items():
        lines += ["", paint("bold", visible(symbol))]
        for change in of_symbol:
            lines.append(f"  {paint(_COLOURS[change.grade], change.grade)}: {visible(change.message)}")
        for sign, signature in (("-", of_symbol[0].old), ("+", of_symbol[0].new)):
            if signature is not None:
                text = f"  {sign} {signature.text}  ({signature.path}:{signature.line})"
                lines.append(paint("red" if sign == "-" else "green", visible(text)))
    return "\n".join(lines) + "\n"


_COLOURS: dict[str, Any] = {"breaking": "red", "altering": "yellow", "additive": "green"}


def _summary(found: Comparison) -> str:
    from auditor.formats._tally import plural

    counts = {grade: sum(change.grade == grade for change in found.changes) for grade in _COLOURS}
    told = ", ".join(f"{number} {grade}" for grade, number in counts.items())
    return f"{told} in {plural(found.symbols, 'symbol')} compared"
