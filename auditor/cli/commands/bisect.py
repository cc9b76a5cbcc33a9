"""`api-audit bisect`: which release, or which commit of a checkout, brought each drift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from auditor.cli.app import Configured
from auditor.cli.options import asked, configuration, exclude, sources, terminal
from auditor.cli.progress import progress
from auditor.cli.terminal import deliver, say
from auditor.formats._escape import visible
from auditor.formats._tally import plural

if TYPE_CHECKING:
    from auditor.bisection import Bisection

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
    """Find the first release between A and B (with a checkout: commit) that has each drift of B.

    CONSUMER is a package, a folder or files; by default the current folder.
    """
    from auditor.bisection import Asked, bisect

    wanted = Asked(**{name: given[name] for name in Asked.__struct_fields__})
    with progress(quiet=given["quiet"] > 0) as on_progress:
        found = bisect(asked(given, against=(), on_progress=on_progress), wanted)
    deliver(_json(found) if given["as_json"] else _text(found), None)
    if not given["quiet"]:
        say(f"{found.audited} of {plural(found.steps, 'step')} audited, {found.stats['seconds']:.1f} s")
    ctx.exit(1 if any(origin.finding.severity != "info" for origin in found.origins) else 0)


def _text(found: Bisection) -> str:
    lines = [visible(f"{found.consumer}: {found.provider} {found.start} -> {found.end}"), ""]
    for origin in found.origins:
        finding = origin.finding
        lines.append(visible(f"{finding.severity}[{finding.rule}]: {finding.message}"))
        lines.append(visible(f"    {finding.span.path}:{finding.span.line}  {finding.id}"))
        title = f" ({origin.title})" if origin.title else ""
        lines.append(visible(f"    first in {origin.first}{title}; {origin.last_fine} was fine"))
    if not found.origins:
        lines.append("No drift.")
    return "\n".join(lines) + "\n"


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
