"""`api-audit matrix`: one consumer against every release of a range, or every version of it against one release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli.app import Configured
from auditor.cli.options import (
    asked,
    configuration,
    exclude,
    exit_code,
    sources,
    terminal,
    told_as,
    which_rules,
    written_for,
)
from auditor.cli.progress import progress
from auditor.cli.terminal import deliver, refuse_nowhere, rendering, say
from auditor.config import Located

if TYPE_CHECKING:
    from auditor.matrix import Fits, Table

EXAMPLES = """\b
Examples:
  api-audit matrix speculators==0.3.0 --against 'vllm>=0.11'
  api-audit matrix . --against 'vllm>=0.12,<0.17' --output-format markdown
  api-audit matrix src/ --from ./lib@v1 --against ./lib@v2 --against ./lib@main
  api-audit matrix 'speculators>=0.2' --against vllm==0.16.0
\b
Results are kept release by release: a run that was stopped goes on where it ended.
Exit code: 0 no drift, 1 findings, 2 could not finish, 130 interrupted.
"""


def _formats() -> tuple[str, ...]:
    from auditor.matrix.formats import names

    return names()


@click.command(cls=Configured, epilog=EXAMPLES, short_help="Audit against every release of a range.")
@click.argument("consumers", nargs=-1, metavar="[CONSUMER]...")
@click.option("--against", multiple=True, metavar="RANGE", help="Releases to audit against; may be repeated.")
@written_for
@click.option("--consumers", "by_version", is_flag=True, help="Compare all versions of CONSUMER on one release.")
@click.option("--pre", "prereleases", is_flag=True, help="Pre-releases too.")
@exclude
@which_rules
@told_as(_formats, "table")
@click.option(
    "--engine", type=click.Choice(["processes", "ray"]), default="processes", show_default=True,
    help="Where the audits run: on this machine, or on the Ray cluster that RAY_ADDRESS names (the extra `ray`).",
)  # fmt: skip
@exit_code
@click.option("--strict", is_flag=True, help="Notes and unaudited places fail too.")
@sources
@configuration
@terminal
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find in which releases of a range CONSUMER (package, folder or files; else the current folder) breaks, and
    which part is clean.

    With a range of CONSUMER's own versions, or with --consumers, find the version that fits one release best.
    """
    refuse_nowhere(given["output_file"])
    if not given["against"]:
        raise click.UsageError("nothing to audit against. Pass --against, for example: --against 'vllm>=0.12'", ctx)
    from auditor import matrix
    from auditor.cli.rulebook import refuse_unknown
    from auditor.matrix.formats import teller

    located: Located = ctx.obj
    refuse_unknown(given, located.config)
    options = rendering(given)
    told = teller(given["output_format"])
    chosen = matrix.Range(prereleases=given["prereleases"])
    with progress(quiet=given["quiet"] > 0) as on_progress:
        wanted = _options(given, located, on_progress)
        if given["by_version"] or _is_range(given["consumers"]):
            fits = matrix.fits(wanted, chosen, given["engine"])
            deliver(told.fits(fits, options), given["output_file"])
            ctx.exit(_fits_code(fits, given))
        table = matrix.matrix(wanted, chosen, given["engine"])
    deliver(told.table(table, options), given["output_file"])
    if not given["quiet"]:
        from auditor.matrix.formats._words import economy

        say(economy(table))
    if given["quiet"] < 2 and (further := _further(table, given["consumers"])) is not None:
        say(further)
    ctx.exit(_table_code(table, given))


def _options(given: dict[str, Any], located: Located, on_progress: Any) -> Any:
    from auditor.baseline import Baseline
    from auditor.cli.triage import Triage

    triage = Triage.of(
        located.config,
        select=given["select"],
        ignore=given["ignore"],
        baseline=Baseline(),
        error_on_warning=given["error_on_warning"],
    )
    return asked(given, selection=triage.selection, on_progress=on_progress, triage=triage)


def _is_range(consumers: tuple[str, ...]) -> bool:
    """Whether what is audited is one consumer in several versions."""
    from auditor.packages.spec import is_range

    return len(consumers) == 1 and not Path(consumers[0]).exists() and is_range(consumers[0])


def _further(table: Table, consumers: tuple[str, ...]) -> str | None:
    """What to ask next: another version of a published consumer may fit where this one does not."""
    from auditor.packages.spec import IndexSpec, parse_spec

    broken = [column for column in table.columns if column.failure is None and not column.clean and column.version]
    if not broken or len(consumers) != 1 or not isinstance(parse_spec(consumers[0]), IndexSpec):
        return None
    release = f"{table.provider}=={broken[-1].version}"
    command = f"api-audit matrix {table.consumer} --consumers --against {release}"
    return f"Which version of {table.consumer} fits {release} best: {command}"


def _table_code(table: Table, given: dict[str, Any]) -> int:
    if table.failed:
        return 2
    if given["exit_zero"]:
        return 0
    if given["strict"]:
        return 1 if table.rows or table.problems else 0
    return 0 if all(column.clean for column in table.columns) else 1


def _fits_code(fits: Fits, given: dict[str, Any]) -> int:
    best = next((fit for fit in fits.versions if fit.version == fits.best), None)
    if best is None:
        return 2
    if given["exit_zero"]:
        return 0
    return 1 if best.errors or best.warnings or (given["strict"] and best.notes) else 0
