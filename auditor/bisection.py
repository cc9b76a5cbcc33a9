"""Finds, for each drift of an end release, the first release or commit that has it, by halving the way there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from packaging.version import Version

from auditor.errors import AuditError, SpecError
from auditor.git import ask
from auditor.matrix import Column, Line
from auditor.matrix.line import label_of
from auditor.matrix.releases import Range, expanded
from auditor.model import Finding
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import find_versions
from auditor.packages.spec import FolderSpec, IndexSpec, parse_spec
from auditor.resolution import open_consumer, open_store


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Between which releases to look, and for what."""

    provider: str
    """A distribution on the index, or a folder that git keeps."""
    start: str
    """The release or reference that the consumer was written for."""
    end: str
    """The one whose drifts are traced."""
    finding: str | None = None
    """The id, or its first characters, of the one finding of interest."""
    tags: bool = False
    """In a git folder: look at tags alone, not at every commit."""
    prereleases: bool = False


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where one drift came from."""

    finding: Finding
    first: str
    """The first release or commit that has it."""
    last_fine: str
    """The one before."""
    title: str = ""
    """A commit's short name and subject."""


class Bisection(msgspec.Struct, frozen=True, kw_only=True):
    """Every drift of the end release with its origin, in the order in which they came; those that break first."""

    consumer: str
    provider: str
    start: str
    end: str
    origins: tuple[Origin, ...]
    unit: Literal["release", "commit"]
    """What the way from one end to the other consists of."""
    steps: int
    """How many of them there are, both ends included."""
    audited: int
    """How many of them had to be audited."""
    stats: dict[str, int | float] = {}


def bisect(options: Options, asked: Asked) -> Bisection:
    """Trace the drifts of a release.

    Raises:
        AuditError: A release on the way could not be had, or there is no such finding.
    """
    started = time.monotonic()
    with open_store(options) as (store, index):
        steps = way(asked, index)
        options = msgspec.structs.replace(options, from_=(steps[0],), against=(steps[-1],))
        line = Line(options, open_consumer(options, store, index), store, index)
        columns: dict[int, Column] = {}

        def column(number: int) -> Column:
            if number not in columns:
                columns[number] = _audited(line, steps[number])
                options.progress("auditing releases", len(columns))
            return columns[number]

        wanted = _wanted(column(len(steps) - 1), asked)
        firsts = [(_first(finding, len(steps) - 1, column, columns), finding) for finding in wanted]
        origins = [
            Origin(
                finding=finding,
                first=label_of(steps[first]),
                last_fine=label_of(steps[first - 1]),
                title=_title(steps[first]),
            )
            for first, finding in sorted(firsts, key=itemgetter(0))
        ]
        in_git = isinstance(parse_spec(steps[-1]), FolderSpec)
        return Bisection(
            consumer=" ".join(filter(None, (line.consumer.name, line.consumer.version))),
            provider=column(len(steps) - 1).name,
            start=label_of(steps[0]),
            end=asked.end if in_git else label_of(steps[-1]),
            origins=tuple(origins),
            unit="commit" if in_git and not asked.tags else "release",
            steps=len(steps),
            audited=len(columns),
            stats={"traffic_bytes": index.traffic.received, "seconds": round(time.monotonic() - started, 3)},
        )


Look: TypeAlias = Callable[[int], Column]
"""Audits one step of the way, once."""


def _first(finding: Finding, last: int, column: Look, known: Mapping[int, Column]) -> int:
    """The first step that has a drift, given that the start has none: halving from what is known already."""
    high = min((number for number, seen in known.items() if _has(seen, finding)), default=last)
    low = max((number for number, seen in known.items() if number < high and not _has(seen, finding)), default=0)
    while high - low > 1:
        middle = (low + high) // 2
        if _has(column(middle), finding):
            high = middle
        else:
            low = middle
    return high


def _has(column: Column, finding: Finding) -> bool:
    """Whether a release has a drift: the same finding, or another rule's about the same thing at the same place."""
    subject = (finding.span, finding.symbol, finding.argument)
    return any(f.id == finding.id or (f.span, f.symbol, f.argument) == subject for f in column.open)


def _wanted(column: Column, asked: Asked) -> list[Finding]:
    """The findings to trace, those that break things first."""
    found = sorted(column.open, key=lambda finding: ("error", "warning", "info").index(finding.severity))
    if asked.finding is None:
        return found
    named = [finding for finding in found if finding.id.startswith(asked.finding)]
    if not named:
        hint = "`api-audit matrix` and the JSON of a scan show ids"
        raise SpecError(f"{column.release} has no finding {asked.finding}", hint=hint)
    return named


def _audited(line: Line, spec: str) -> Column:
    column = line.column(line.prepare(spec))
    if column.failure is not None:
        raise AuditError(column.failure, where=column.release)
    return column


def way(asked: Asked, index: PackageIndex) -> list[str]:
    """Every release or commit between both ends, these included, as specifications in order."""
    provider = parse_spec(asked.provider)
    if isinstance(provider, FolderSpec):
        return _commits(provider.path, asked)
    if not isinstance(provider, IndexSpec) or provider.specifier:
        raise SpecError(
            "not a distribution or a folder", where=asked.provider, hint="Write `vllm`, or a checkout's path"
        )
    start, end = (text.rpartition("==")[2].strip() for text in (asked.start, asked.end))
    for version in (start, end):
        find_versions(f"{provider.name}=={version}", index=index)  # or says which there are
    if Version(start) >= Version(end):
        raise SpecError(f"{start} is no earlier release than {end}", hint="Swap --from and --to")
    steps = expanded([f"{provider.name}>={start},<={end}"], index, Range(prereleases=asked.prereleases))
    if len(steps) < 2:
        raise SpecError(f"no release of {provider.name} lies between {start} and {end}")
    return steps


def _commits(folder: Path, asked: Asked) -> list[str]:
    """The commits that touch Python files (or the tags) after the start, up to the end, oldest first."""
    start, end = _commit(folder, asked.start), _commit(folder, asked.end)
    if _git(folder, "merge-base", start, end) == end:
        raise SpecError(f"{asked.start} is no earlier than {asked.end}", where=str(folder), hint="Swap --from and --to")
    if asked.tags:
        listed = _git(folder, "tag", "--merged", end, "--no-merged", start, "--sort=creatordate").split()
        listed = [tag for tag in listed if tag != asked.end]
        listed.append(asked.end)
    else:
        reach = ("rev-list", "--first-parent", "--reverse", f"{start}..{end}")
        listed = _git(folder, *reach, "--", "*.py", "*.pyi").split()
    if not listed:
        raise SpecError(f"no Python file changed from {asked.start} to {asked.end}", where=str(folder))
    return [f"{folder}@{asked.start}", *(f"{folder}@{ref}" for ref in listed)]


def _commit(folder: Path, ref: str) -> str:
    if ref.startswith("-"):
        raise SpecError(f"not a git reference: {ref!r}", where=str(folder))
    found = _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if not found:
        raise SpecError(f"git knows no commit {ref!r}", where=str(folder))
    return found


def _title(spec: str) -> str:
    parsed = parse_spec(spec)
    if not isinstance(parsed, FolderSpec) or parsed.ref is None:
        return ""
    return _git(parsed.path, "log", "-1", "--abbrev=9", "--format=%h %s", parsed.ref)


def _git(folder: Path, *arguments: str) -> str:
    """What git says, "" where it fails."""
    done = ask(folder, *arguments)
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
