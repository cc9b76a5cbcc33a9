"""`api-audit rules`: list every rule."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli.options import FOLDER
from auditor.cli.rulebook import rulebook
from auditor.cli.terminal import deliver


@click.command(epilog="Example: api-audit rules --rules our-rules/", short_help="List all rules.")
@click.option("--rules", multiple=True, type=FOLDER, metavar="DIR", help="A folder with further rules.")
@click.option("--json", "as_json", is_flag=True, help="For machines: a JSON list.")
def command(rules: tuple[Path, ...], *, as_json: bool) -> None:
    """List all rules with a sentence each."""
    entries = rulebook(rules).values()
    if as_json:
        from auditor.formats.json import encode

        deliver(encode([{"id": one.id, "summary": one.summary, "origin": one.origin} for one in entries]), None)
        return
    width = max((len(entry.id) for entry in entries), default=0)
    deliver("".join(f"{entry.id:<{width}}  {entry.summary.splitlines()[0]}\n" for entry in entries), None)
