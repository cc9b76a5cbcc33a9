"""All of what a consumer declares: every release of each range in its own metadata."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.claims import claimed
from auditor.errors import SpecError
from auditor.guarding import Style
from auditor.model import Report
from auditor.options import Options
from auditor.ranges.ends import chosen_providers, merge_reports
from auditor.ranges.whole import scan_releases
from auditor.resolution import open_consumer, open_store


def scan_declared_ranges(options: Options, providers: Sequence[str] = (), style: Style | None = None) -> Report:
    """Audit a consumer against every release that it declares to support.

    Args:
        options: The arguments of an audit; `against` is not looked at.
        providers: Of which dependencies; by default all with an upper bound that the consumer imports.
        style: What guards ask for; by default what the consumer's own guards ask for.

    Raises:
        SpecError: Nothing is declared, or nothing but single releases.
    """
    with open_store(options) as (store, index):
        sources = open_consumer(options, store, index)
        names = chosen_providers(sources, options, providers, store, index)
        claims = {name: claimed(sources, name, index) for name in names}
    ranges = {name: claim for name, claim in claims.items() if len(claim.versions) > 1}
    if not ranges:
        pins = ", ".join(f"{name} {claim.versions[0]}" for name, claim in claims.items())
        raise SpecError(
            f"{sources.name} declares single releases, no ranges: {pins}",
            hint=f"Name the range to audit: `--against '{next(iter(claims))}>=...'`",
        )
    reports = [
        scan_releases(options, [f"{name}=={version}" for version in claim.versions], claim.shown, style)
        for name, claim in ranges.items()
    ]
    return reports[0] if len(reports) == 1 else merge_reports(reports)
