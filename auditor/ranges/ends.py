"""The consumer's own claim, audited: of each provider the ends of the declared range, and the latest release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from packaging.requirements import Requirement

from auditor.claims import claimed, requirements
from auditor.consumer.source import Sources
from auditor.errors import AuditError, SpecError
from auditor.model import Finding, Problem, Report
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import find_versions, open_release
from auditor.packages.spec import normalise
from auditor.packages.store import Store
from auditor.resolution import open_consumer, open_store
from auditor.scan import scan

_UPPER = frozenset({"<", "<=", "==", "===", "~="})


class Target(msgspec.Struct, frozen=True):
    """One release to audit against, and which part of the claim it stands for."""

    provider: str
    version: str
    end: str
    """`latest`, `highest declared`, `lowest declared`, or two of them."""

    @property
    def spec(self) -> str:
        """As `--against` takes it."""
        return f"{self.provider}=={self.version}"

    def __str__(self) -> str:
        return f"{self.provider} {self.version} ({self.end})"


def scan_declared(options: Options, providers: Sequence[str] = ()) -> Report:
    """Audit a consumer against what it declares to support itself, one release after the other, as one report.

    Patches are made for the latest release of each provider alone: the way back is not one that code should go.

    Args:
        options: The arguments of an audit; `against` is not looked at.
        providers: Of which dependencies; by default all with an upper bound that the consumer imports.

    Raises:
        AuditError: There is nothing to audit, or none of it could be.
    """
    with open_store(options) as (store, index):
        sources = open_consumer(options, store, index)
        chosen = chosen_providers(sources, options, providers, store, index)
        targets = [target for name in chosen for target in _targets(sources, name, index)]
    if not targets:
        raise SpecError(f"{sources.name} pins the latest release of {_listed(chosen)}", hint=_NAME_ONE)
    done: list[tuple[Target, Report]] = []
    failed: list[tuple[Target, AuditError]] = []
    for target in targets:
        patch_dir = options.patch_dir if "latest" in target.end else None
        try:
            done.append((target, scan(msgspec.structs.replace(options, against=(target.spec,), patch_dir=patch_dir))))
        except AuditError as error:
            failed.append((target, error))
    if not done:
        raise failed[0][1]
    report = merge(done)
    problems = [Problem(str(target), f"was not audited: {error}") for target, error in failed]
    return msgspec.structs.replace(report, problems=(*report.problems, *problems))


def chosen_providers(
    sources: Sources, options: Options, providers: Sequence[str], store: Store, index: PackageIndex
) -> list[str]:
    """The dependencies whose declared ranges are audited: those named, else all with an upper bound that are imported.

    Raises:
        AuditError: There are none, or none that could be had.
    """
    if providers:
        return [normalise(name) for name in providers]
    stated = requirements(sources.requires, sources.name)
    bounded = [name for name, each in stated.items() if _operators(each) & _UPPER]
    chosen: list[str] = []
    missing: list[AuditError] = []
    for name in bounded:
        try:
            release = open_release(name, store=store, index=index, offline=options.offline)
        except AuditError as error:  # such as not on this index: nothing to audit against
            missing.append(error)
            continue
        if sources.imports(release.packages):
            chosen.append(name)
    if chosen:
        return chosen
    if missing:
        raise missing[0]
    raise _nothing_declared(sources.name, list(stated), bounded)


_NAME_ONE = "Name a release: `--against NAME==VERSION`"


def _nothing_declared(consumer: str, stated: Sequence[str], bounded: Sequence[str]) -> SpecError:
    if not stated:
        return SpecError(f"{consumer} states no dependencies", hint=_NAME_ONE)
    why = f"gives no dependency an upper bound ({_listed(stated)})"
    if bounded:
        why = f"imports none of the dependencies that it gives an upper bound ({_listed(bounded)})"
    return SpecError(
        f"{consumer} {why}",
        hint=f"Name a dependency, such as `--provider {stated[0]}`, or a release: `--against NAME==VERSION`",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _operators(stated: Iterable[Requirement]) -> set[str]:
    return {each.operator for requirement in stated for each in requirement.specifier}


def _targets(sources: Sources, name: str, index: PackageIndex) -> Iterator[Target]:
    """The latest release, the highest declared one and the lowest, each once; a pin is an old side and no target."""
    claim = claimed(sources, name, index)
    ordered = claim.versions
    latest = find_versions(name, index=index)[-1]
    ends: dict[str, list[str]] = {latest: ["latest"]}
    if len(ordered) > 1:
        ends.setdefault(str(ordered[-1]), []).append("highest declared")
        if claim.begins:
            ends.setdefault(str(ordered[0]), []).append("lowest declared")
    for version, names in ends.items():
        if [version] != [str(v) for v in ordered]:
            yield Target(name, version, ", ".join(names))


def merge(reports: Sequence[tuple[Target, Report]]) -> Report:
    """Several audits of one consumer as one report: each finding once, with a note of the releases it is met with."""
    met: dict[str, list[Target]] = {}
    kept: dict[str, Finding] = {}
    for target, report in reports:
        for finding in report.findings:
            kept.setdefault(finding.id, finding)
            met.setdefault(finding.id, []).append(target)
    findings = [
        msgspec.structs.replace(f, notes=(f"with {', '.join(map(str, met[id_]))}", *f.notes)) for id_, f in kept.items()
    ]
    merged = merge_reports([report for _, report in reports])
    return msgspec.structs.replace(merged, findings=_sorted(findings))


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.span.path, f.span.line, f.span.column, f.rule)))


def merge_reports(every: Sequence[Report]) -> Report:
    """Several audits of one consumer as one report, each finding once."""
    first = every[0]
    stats = dict(first.stats)
    for name in ("seconds", "traffic_bytes", "requests", "modules_parsed"):
        stats[name] = round(sum(report.stats.get(name, 0) for report in every), 3)
    kept: dict[str, Finding] = {}
    for report in every:
        for finding in report.findings:
            kept.setdefault(finding.id, finding)
    return msgspec.structs.replace(
        first,
        providers=tuple(provider for report in every for provider in report.providers),
        findings=_sorted(kept.values()),
        problems=tuple(dict.fromkeys(problem for report in every for problem in report.problems)),
        call_sites=tuple(dict.fromkeys(site for report in every for site in report.call_sites)),
        by_name=tuple(dict.fromkeys(one for report in every for one in report.by_name)),
        patches=tuple(patch for report in every for patch in report.patches),
        stats=stats,
        sources={path: text for report in every for path, text in report.sources.items()},
    )
