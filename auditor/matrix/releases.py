"""Audits one consumer against a whole range of releases: prefetching, matching and keeping side by side."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec

from auditor.errors import AuditError, SpecError
from auditor.matrix.line import Line, Prepared, failed, label_of, modules_shared, triaged
from auditor.matrix.spreading import Engine, neighbours, shares, worker
from auditor.matrix.table import Column, Table, clean_part, rows_of, settled
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.release import find_versions
from auditor.packages.spec import FolderSpec, IndexSpec, parse_spec
from auditor.resolution import open_consumer, open_store
from auditor.setting import setting_of

_THREADS = 4
_FEW = 6
"""Releases that are audited sooner than another process has read the consumer."""
_AHEAD = 8
"""Releases that are fetched before they are matched: enough to hide the network, few enough for the memory."""


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Which releases a table is about."""

    prereleases: bool = False
    """Whether release candidates and development releases count."""


FINAL = Range()


def matrix(options: Options, chosen: Range = FINAL, engine: Engine = "processes") -> Table:
    """Audit a consumer against every release that `options.against` names, by ranges or one by one.

    Args:
        options: The arguments of the audit.
        chosen: Which releases of a range count.
        engine: Where the audits run.

    Raises:
        AuditError: The consumer or the list of releases could not be had; a release that cannot be read is a column.
    """
    started = time.monotonic()
    with open_store(options) as (store, index):
        line = Line(options, open_consumer(options, store, index), store, index)
        specs = expanded(options.against, index, chosen)
        _refuse_several({name for name in map(_named, specs) if name is not None})
        columns = []
        for column in audited(line, specs, engine):
            columns.append(column)
            options.progress("auditing releases", len(columns), len(specs))
        return assembled(line, columns, options.against[0], index, started)


def assembled(line: Line, columns: Sequence[Column], asked: str, index: PackageIndex, started: float) -> Table:
    """The table that some columns make.

    Args:
        line: What was audited.
        columns: The releases, in order.
        asked: What was asked for, where no column says the provider's name.
        index: Counts the traffic.
        started: When that began, by the monotonic clock.
    """
    columns = settled(columns)
    names = {column.name for column in columns if column.name}
    _refuse_several(names)
    return Table(
        consumer=line.consumer.name,
        version=line.consumer.version,
        provider=next(iter(names), _named(asked) or asked),
        columns=tuple(columns),
        rows=rows_of(columns),
        clean=clean_part(columns),
        problems=line.problems,
        stats=_stats(columns, index, started),
    )


def _named(text: str) -> str | None:
    """The provider that a specification names."""
    return parse_spec(text).name


def _refuse_several(providers: Collection[str]) -> None:
    if len(providers) > 1:
        raise SpecError(f"releases of one provider make a table, not of {', '.join(sorted(providers))}")


def expanded(texts: Sequence[str], index: PackageIndex, chosen: Range) -> list[str]:
    """Each release that some specifications allow, as a specification of its own, in order."""
    found: dict[str, None] = {}
    for text in texts:
        spec = parse_spec(text)
        if isinstance(spec, IndexSpec) and not spec.exact:
            versions = find_versions(spec, index=index, prereleases=chosen.prereleases)
            found.update(dict.fromkeys(f"{spec.name}=={version}" for version in versions))
        elif isinstance(spec, FolderSpec) and spec.ends is not None:
            from auditor.packages.gittree import tags_between

            named = f"{spec.name} @ " if spec.name else ""
            tags = tags_between(spec.path, *spec.ends, prereleases=chosen.prereleases)
            found.update(dict.fromkeys(f"{named}{spec.path}@{tag}" for tag in tags))
        else:
            found[text] = None
    return list(found)


def audited(line: Line, specs: Sequence[str], engine: Engine = "processes") -> Iterator[Column]:
    """The columns of some releases, in order.

    Until one is not known the releases are asked one after the other; that one, alone, tells which modules its
    neighbours will need. The rest is spread.
    """
    rest = deque(specs)
    while rest:
        column = _column(line, rest.popleft(), None)
        yield column
        if not column.kept:
            break
    if len(rest) < _FEW and engine == "processes":
        yield from beside(line, tuple(rest))
        return
    batches = neighbours(tuple(rest), sorted(line.useful), engine)
    here = worker(lambda _: line)
    found: dict[str, Column] = {}
    for share in shares(setting_of(line.options, line.sources), batches, engine, here):
        line.index.traffic.add(received=share.received, requests=share.requests)
        found.update(zip(share.batch.specs, share.columns, strict=True))
        while rest and rest[0] in found:
            yield triaged(found[rest.popleft()], line.options.triage)


def beside(line: Line, specs: Sequence[str]) -> Iterator[Column]:
    """The columns of some releases, in order; the next ones are fetched while one is matched."""
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="prefetch") as threads:
        waiting: deque[tuple[str, Future[Prepared]]] = deque()
        try:
            for spec in specs:
                waiting.append((spec, threads.submit(line.prepare, spec)))
                if len(waiting) >= _AHEAD:
                    yield _column(line, *waiting.popleft())
            while waiting:
                yield _column(line, *waiting.popleft())
        finally:
            for _, future in waiting:
                future.cancel()


def _column(line: Line, spec: str, future: Future[Prepared] | None) -> Column:
    try:
        return line.column(future.result() if future is not None else line.prepare(spec))
    except AuditError as error:
        return failed(label_of(spec), error)


def _stats(columns: Sequence[Column], index: PackageIndex, started: float) -> dict[str, int | float]:
    needed, different = modules_shared(columns)
    return {
        "releases": len(columns),
        "releases_kept": sum(column.kept for column in columns),
        "modules_needed": needed,
        "modules_different": different,
        "modules_parsed": sum(column.parsed for column in columns if not column.kept),
        "traffic_bytes": index.traffic.received,
        "requests": index.traffic.requests,
        "seconds": round(time.monotonic() - started, 3),
    }
