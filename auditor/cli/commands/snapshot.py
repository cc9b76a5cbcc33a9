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
  api-audit snapshot --used-by .      # all that an audit of this project will ask for
"""

_SECTIONS = {"For a consumer": ("used_by", "against", "from_")}


@click.command(cls=Configured, sections=_SECTIONS, epilog=EXAMPLES, short_help="Read a release whole into the cache.")
@click.argument("spec", required=False)
@click.option("--used-by", metavar="CONSUMER", help="Both releases of whatever this consumer is audited against.")
@click.option("--against", multiple=True, metavar="SPEC", help="With --used-by: the releases to run on.")
@click.option(
    "--from",
    "from_",
    multiple=True,
    metavar="SPEC",
    envvar="API_AUDIT_FROM",
    help="With --used-by: the releases it was written for. [default: what its metadata pins]",
)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@sources
@configuration
@terminal
@click.pass_context
def command(ctx: click.Context, /, spec: str | None, *, as_json: bool, **given: Any) -> None:
    """Read the release SPEC whole into the cache, and say how much it offers.

    With --used-by instead of SPEC it reads both releases of every provider that an audit of the consumer compares, so
    that `api-audit scan --offline` lacks nothing.
    """
    if (spec is None) == (given["used_by"] is None):
        raise click.UsageError("name one release, or a consumer with --used-by", ctx)
    if spec is None:
        _fill(ctx, given, as_json=as_json)
        return
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


def _fill(ctx: click.Context, given: dict[str, Any], *, as_json: bool) -> None:
    if not given["against"]:
        raise click.UsageError("nothing to read. Pass --against, or set `against` in [tool.api-audit]", ctx)
    from auditor.cli.filling import fill

    with progress(quiet=given["quiet"] > 0) as on_progress:
        filled = fill(given, on_progress)
    if as_json:
        from auditor.formats.json import encode

        deliver(encode([{"release": name, "modules": modules} for name, modules in filled.items()]), None)
        return
    deliver("".join(f"{visible(name)}: {plural(modules, 'module')}\n" for name, modules in filled.items()), None)
