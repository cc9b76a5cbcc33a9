"""Reads `audit.json` beside the patches: the audited calls and findings that preflight asks the live library about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from auditor.errors import PatchError
from auditor.model import ByName, ConsumerInfo, Interval, ProviderInfo, Range
from auditor.patches.header import plain

MAX_BYTES = 64_000_000
SCHEMA = 1


class Site(msgspec.Struct, frozen=True):
    """One audited call, as written before any patch."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    positional: int
    keywords: tuple[str, ...]
    star: bool
    double_star: bool
    new_signature: str | None
    verdict: str
    releases: tuple[str, ...] = ()
    """Of a range: those that see the call so; none are all."""


class FixInfo(msgspec.Struct, frozen=True):
    """How a finding is repaired, if it is."""

    applicability: str
    patch: str | None = None


class FindingInfo(msgspec.Struct, frozen=True):
    """One finding, as far as a run needs it."""

    id: str
    rule: str
    severity: str
    symbol: str
    path: str
    line: int
    column: int
    message: str
    state: str = "open"
    argument: str | None = None
    old_signature: str | None = None
    new_signature: str | None = None
    fix: FixInfo | None = None
    unfixed: str | None = None
    provider: str = ""
    releases: tuple[Interval, ...] = ()
    """Of a range: in which it is how."""


class Audit(msgspec.Struct, frozen=True):
    """What the audit behind a set of patches saw."""

    schema: int
    consumer: ConsumerInfo
    providers: tuple[ProviderInfo, ...]
    findings: tuple[FindingInfo, ...]
    call_sites: tuple[Site, ...] = ()
    by_name: tuple[ByName, ...] = ()

    def of_installed(self, installed: Mapping[str, str | None]) -> Audit:
        """What was seen of the releases that are installed: of a range only the one of its releases that is there.

        Args:
            installed: Versions by distribution. Of a range that is not among them its newest release is taken.
        """
        audit = self
        for provider in self.providers:
            if provider.range is not None:
                audit = audit._of(provider, release_of(provider.range, installed.get(provider.name)))
        return audit

    def _of(self, provider: ProviderInfo, release: str) -> Audit:
        assert provider.range is not None
        order = provider.range.releases

        def concerns(finding: FindingInfo) -> bool:
            if finding.provider != provider.name or not finding.releases:
                return True
            return any(part.state == "broken" and release in _within(part, order) for part in finding.releases)

        def is_seen(site: Site) -> bool:
            theirs = site.symbol.partition(".")[0] in provider.packages
            return not (theirs and site.releases) or release in site.releases

        return msgspec.structs.replace(
            self,
            findings=tuple(filter(concerns, self.findings)),
            call_sites=tuple(filter(is_seen, self.call_sites)),
        )


def release_of(span: Range, installed: str | None) -> str:
    """The release of a range that stands for the installed version: the same, whatever its build; else the newest."""
    public = (installed or "").partition("+")[0]
    return next((label for label in span.releases if label.removeprefix("v") == public), span.releases[-1])


def _within(part: Interval, order: Sequence[str]) -> Sequence[str]:
    last = order.index(part.last) if part.last is not None else len(order)
    return order[order.index(part.first) : last + 1]


def read(folder: Path) -> Audit:
    """The audit that lies beside a set of patches."""
    file = folder / "audit.json"
    try:
        if file.stat().st_size > MAX_BYTES:
            raise PatchError(f"It is larger than {MAX_BYTES} bytes", where=str(file))
        audit = msgspec.json.decode(file.read_bytes(), type=Audit)
    except OSError as error:
        raise PatchError(
            f"It cannot be read: {error.strerror}", where=str(file), hint="`api-audit scan` writes it with the patches"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PatchError(f"It is not an audit of this tool: {plain(str(error))}", where=str(file)) from error
    if audit.schema != SCHEMA:
        raise PatchError(f"It has schema {audit.schema}; this runner reads schema {SCHEMA}", where=str(file))
    return audit
