"""`api-audit bisect`: which release, or which commit of a checkout, brought each drift."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from auditor.cli.app import Configured
from auditor.cli.options import asked, configuration, exclude, sources, terminal
from auditor.cli.progress import progress
from auditor.cli.terminal import deliver, say, wants_color
from auditor.formats._escape import visible
from auditor.formats._style import Palette
from auditor.formats._tally import plural

if TYPE_CHECKING:
    from auditor.bisection import Bisection, Origin

_SHORT = 9
"""Characters of a commit's name that people are shown."""

EXAMPLES = """\b
Examples:
  api-audit bisect speculators==0.3.0 --provider vllm --from 0.11.0 --to 0.17.0
  api-audit bisect . --provider ./vllm --from v0.16.0 --to main
  api-audit bisect . --provider ./vllm --from v0.11.0 --to v0.17.0 --tags
\b
Exit code: 0 no drift at the end, 1 findings, 2 could not finish, 130 interrupted.
"""


@click.command(cls=Configured, epilog=EXAMPLES, short_help="Name the release or commit that brought a drift.")
@click.argument("consumers", nargs=-1, metavar="[CONSUMER]...")
@click.option("--provider", required=True, metavar="NAME|PATH", help="Distribution, or a git checkout of it.")
@click.option("--from", "start", required=True, metavar="A", help="Version or reference that CONSUMER was written for.")
@click.option("--to", "end", required=True, metavar="B", help="Version or reference whose drifts are traced.")
@click.option("--finding", metavar="ID", help="Trace this finding alone; its first characters are enough.")
@click.option("--tags", is_flag=True, help="In a checkout: tags instead of commits.")
@click.option("--pre", "prereleases", is_flag=True, help="Pre-releases too.")
@exclude
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@sources
@configuration
@terminal
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find the first release between A and B that has each drift of B. With a checkout the first commit, where a
    merge counts as one.

    CONSUMER is a package, a folder or files; by default the current folder.
    """
    from auditor.bisection import Asked, bisect

    wanted = Asked(**{name: given[name] for name in Asked.__struct_fields__})
    with progress(quiet=given["quiet"] > 0) as on_progress:
        found = bisect(asked(given, against=(), on_progress=on_progress), wanted)
    if given["as_json"]:
        deliver(_json(found), None)
    else:
        notes = given["verbose"] > 0 or given["finding"] is not None
        deliver(_text(found, Palette(color=wants_color(given["color"], sys.stdout)), notes=notes), None)
    if not given["quiet"]:
        say(f"{found.audited} of {plural(found.steps, found.unit)} audited, {found.stats['seconds']:.1f} s")
    ctx.exit(1 if any(origin.finding.severity != "info" for origin in found.origins) else 0)


def _text(found: Bisection, paint: Palette, *, notes: bool) -> str:
    """What each release or commit brought, in order; with or without what is merely noted."""
    told = [origin for origin in found.origins if notes or origin.finding.severity != "info"]
    blocks = [paint("bold", visible(f"{found.consumer}: {found.provider} {found.start} -> {found.end}"))]
    for first, origins in groupby(told, key=lambda origin: origin.first):
        blocks.append("\n".join(_brought(first, list(origins), found, paint)))
    if not found.origins:
        blocks.append("No drift.")
    if len(told) < len(found.origins):
        blocks.append(paint("dim", f"{plural(len(found.origins) - len(told), 'note')} not shown; -v shows them"))
    return "\n\n".join(blocks) + "\n"


def _brought(first: str, origins: Sequence[Origin], found: Bisection, paint: Palette) -> Iterator[str]:
    name = origins[0].title or first
    last_fine = origins[0].last_fine
    if found.unit == "release" and name != first:
        name = f"{first}: {name}"
    elif found.unit == "commit":
        last_fine = last_fine[:_SHORT] if last_fine != found.start else last_fine
    yield paint("bold", visible(name)) + paint("dim", visible(f" ({last_fine} was fine)"))
    for origin in origins:
        finding = origin.finding
        title = paint.severity(finding.severity, f"{finding.severity}[{finding.rule}]")
        yield f"    {title}{paint('bold', visible(f': {finding.message}'))}"
        yield f"        {visible(finding.span.path)}:{finding.span.line}  {paint('dim', finding.id)}"


def _json(found: Bisection) -> str:
    from auditor.formats.json import encode

    origins = [
        {
            "id": origin.finding.id,
            "rule": origin.finding.rule,
            "severity": origin.finding.severity,
            "symbol": origin.finding.symbol,
            "argument": origin.finding.argument,
            "path": origin.finding.span.path,
            "line": origin.finding.span.line,
            "message": origin.finding.message,
            "first": origin.first,
            "last_fine": origin.last_fine,
            "title": origin.title,
        }
        for origin in found.origins
    ]
    about = {"consumer": found.consumer, "provider": found.provider, "start": found.start, "end": found.end}
    return encode({"schema": 1, "kind": "bisection", **about, "origins": origins, "steps": found.steps})
