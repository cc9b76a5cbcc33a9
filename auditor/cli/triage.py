"""Decides which findings count: rule selection, the project's reasoned ignores, and the baseline."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from auditor.baseline import Baseline
from auditor.config import Config, Ignore, matches
from auditor.errors import ConfigError
from auditor.model import Finding, ProviderInfo, Report
from auditor.options import Selection


class Triage(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked to see, to leave out and to accept."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: dict[str, list[str]] = {}
    ignores: tuple[Ignore, ...] = ()
    baseline: Baseline = Baseline()
    error_on_warning: bool = False

    @classmethod
    def of(
        cls, config: Config, *, select: Sequence[str], ignore: Sequence[str], baseline: Baseline, error_on_warning: bool
    ) -> Triage:
        """What the command line and the configuration together ask for."""
        return cls(
            select=tuple(select),
            ignore=tuple(ignore),
            per_file_ignores=config.per_file_ignores,
            ignores=tuple(config.ignores()),
            baseline=baseline,
            error_on_warning=error_on_warning,
        )

    def __call__(self, report: Report) -> Report:
        """`report` with deselected findings left out and accepted ones marked; running it twice changes nothing."""
        selection = self.selection
        kept = (finding for finding in report.findings if selection.wants(finding.rule, finding.span.path))
        findings = tuple(self._judged(finding, report.providers) for finding in kept)
        return msgspec.structs.replace(report, findings=findings)

    @property
    def selection(self) -> Selection:
        """The rules that are asked for."""
        per_file = tuple((glob, tuple(rules)) for glob, rules in self.per_file_ignores.items())
        return Selection(select=self.select, ignore=self.ignore, per_file_ignores=per_file)

    def _judged(self, finding: Finding, providers: tuple[ProviderInfo, ...]) -> Finding:
        if self.error_on_warning and finding.severity == "warning":
            finding = msgspec.structs.replace(finding, severity="error")
        if finding.state != "open":
            return finding
        for entry in self.ignores:
            if _covers(entry, finding) and not _expired(entry, providers):
                return msgspec.structs.replace(finding, state="suppressed", state_reason=entry.reason)
        if finding.id in self.baseline.ids:
            return msgspec.structs.replace(finding, state="baselined")
        return finding


def _covers(entry: Ignore, finding: Finding) -> bool:
    below = entry.symbol is not None and finding.symbol.startswith(f"{entry.symbol}.")
    return (
        (entry.rule is None or matches(entry.rule, finding.rule))
        and (entry.symbol is None or below or matches(entry.symbol, finding.symbol))
        and (entry.path is None or matches(entry.path, finding.span.path))
    )


def _expired(entry: Ignore, providers: tuple[ProviderInfo, ...]) -> bool:
    """Whether this audit's target has reached the release until which the entry holds."""
    if entry.until is None:
        return False
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    try:
        until = Requirement(entry.until)
    except InvalidRequirement as error:
        hint = "Write a requirement such as `vllm>=0.17`"
        raise ConfigError(f"`until = {entry.until!r}` in [[tool.api-audit.ignore]]: {error}", hint=hint) from error
    for provider in providers:
        if canonicalize_name(provider.name) == canonicalize_name(until.name):
            try:
                return until.specifier.contains(Version(provider.new), prereleases=True)
            except InvalidVersion:
                return False
    return False
