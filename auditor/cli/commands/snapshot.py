"""`api-audit snapshot`: read a release whole, so that audits against it can run offline."""

from __future__ import annotations

from typing import Any

import click

from auditor.cli.app import Configured
from auditor.cli.options import configuration, sources, terminal
from auditor.cli.progress import progress
from auditor.cli.terminal import deliver, say
from auditor.formats._escape import visible
from auditor.formats._tally import plural

EXAMPLES = """\b
Examples:
  api-audit snapshot vllm==0.16
  api-audit snapshot ./vllm@main --json
"""


@click.command(cls=Configured, epilog=EXAMPLES, short_help="Read a release whole into the cache.")
@click.argument("spec")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@sources
@configuration
@terminal
def command(spec: str, *, as_json: bool, **given: Any) -> None:
    """Read the release SPEC whole into the cache, and say how much it offers."""
    import msgspec

    from auditor.scan import snapshot

    with progress(quiet=given["quiet"] > 0) as on_progress:
        taken = snapshot(
            spec,
            index_url=given["index_url"],
            cache_dir=given["cache_dir"],
            offline=given["offline"],
            on_progress=on_progress,
        )
    if as_json:
        from auditor.formats.json import encode

        deliver(encode(msgspec.to_builtins(taken)), None)
        return
    counts = f"{plural(taken.modules, 'module')}, {plural(taken.symbols, 'symbol')}"
    deliver(f"{visible(f'{taken.name} {taken.version}')}: {counts}\n", None)
    if given["quiet"]:
        return
    received = taken.stats.get("traffic_bytes", 0)
    say(f"Read from {visible(taken.origin)}; {received / 1e6:.1f} MB received")
    for problem in taken.problems if given["verbose"] else ():
        say(visible(f"{problem.path}: {problem.message}"))
    if taken.problems and not given["verbose"]:
        say(f"{plural(len(taken.problems), 'module')} could not be read in full; -v lists them")
