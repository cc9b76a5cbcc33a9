"""`api-audit explain`: what a rule is about, and what its fix does."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from auditor.cli.options import FOLDER
from auditor.cli.rulebook import Entry, find, rulebook
from auditor.cli.terminal import deliver, width


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    return [rule for rule in rulebook() if rule.startswith(incomplete)]


@click.command(epilog="Example: api-audit explain missing-argument", short_help="Explain a rule.")
@click.argument("rule", required=False, shell_complete=_complete)
@click.option("--rules", multiple=True, type=FOLDER, metavar="DIR", help="A folder with further rules.")
def command(rule: str | None, rules: tuple[Path, ...]) -> None:
    """Explain RULE; without it, list all rules."""
    if rule is None:
        deliver("".join(f"{one}\n" for one in rulebook(rules)), None)
    else:
        deliver(_page(find(rule, rules)), None)


def _page(entry: Entry) -> str:
    lines = [entry.id, "=" * len(entry.id), "", entry.summary, ""]
    for key, value in entry.fields.items():
        if key not in ("id", "summary", "title"):
            lines += [f"{key}:", *_indented(value), ""]
    lines.append(f"Written in {entry.origin}")
    return "\n".join(lines) + "\n"


def _indented(value: Any) -> list[str]:
    from auditor.formats._escape import visible

    if isinstance(value, str):
        lines = [visible(line) for line in value.splitlines()]
        if len(lines) == 1:  # prose; what stands on several may be code
            lines = wrap(lines[0], width() - 2, break_long_words=False, break_on_hyphens=False)
        return [f"  {line}" for line in lines]
    from io import StringIO

    from ruamel.yaml import YAML

    stream = StringIO()
    YAML(typ="safe", pure=True).dump(value, stream)
    return [f"  {visible(line)}" for line in stream.getvalue().splitlines() if line != "..."]
