"""Examines every file of a consumer, those of a big one on all cores: what is asked and what is answered are data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from auditor.audit import Audit, Examined, open_audit
from auditor.consumer.analysis import FileAnalysis
from auditor.coverage import Coverage, together
from auditor.model import CallSite, Finding
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.resolution import Pair
from auditor.setting import Setting, setting_of

if TYPE_CHECKING:
    from auditor.pool import Work

_ALONE = 3_000_000
"""Bytes of source that have to do with a provider and are examined sooner than a helper is ready."""
_BATCH = 500
"""Uses that are worth a message."""

_Releases: TypeAlias = tuple[tuple[str | None, ...], ...]
"""Of each provider its name, and version and origin on both sides."""


class Examination(msgspec.Struct, frozen=True):
    """What is found in a consumer."""

    analyses: Sequence[FileAnalysis]
    findings: list[Finding]
    call_sites: list[CallSite]
    coverage: Coverage
    parsed: int = 0
    """Modules that helpers parsed."""


class _Task(msgspec.Struct, frozen=True):
    """The audit that helpers open, and how they tell that it is still the same."""

    setting: Setting
    releases: _Releases
    """What the providers' specifications have to lead to."""


class _Share(msgspec.Struct, frozen=True):
    """What one process found in some files, by path, and what that took."""

    files: dict[str, Examined]
    parsed: int = 0
    received: int = 0
    requests: int = 0


def examine(audit: Audit, options: Options, index: PackageIndex) -> Examination:
    """Everything that is to be said of a consumer before it is fixed.

    Args:
        audit: The consumer between the two releases of its providers.
        options: The arguments with which that audit was opened.
        index: Counts what helpers receive.
    """
    options.progress("reading the consumer", 0, len(audit.sources.modules))
    examiner = _Examiner(audit)
    helpers = _helpers(audit)
    shares = list(_spread(examiner, options, helpers) if helpers else _alone(examiner, options))
    for share in shares:
        index.traffic.add(received=share.received, requests=share.requests)
    found = {path: examined for share in shares for path, examined in share.files.items()}
    analyses = list(examiner.files.values())
    parts = [found[path] for path in examiner.files]
    findings = [finding for part in parts for finding in part.findings]
    return Examination(
        analyses,
        [*findings, *audit.migrations.dispatched(analyses, findings)],
        [site for part in parts for site in part.call_sites],
        together(part.coverage for part in parts),
        sum(share.parsed for share in shares),
    )


def _helpers(audit: Audit) -> int:
    """How many are worth their start; they need the store, which has what was read of the consumer."""
    modules = audit.sources.modules
    contents = audit.sources.read([modules[name] for name in audit.tree.touching])
    if audit.store.path is None or sum(map(len, contents.values())) <= _ALONE:
        return 0
    from auditor.pool import spare_cores  # not imported for the many that are small

    return spare_cores()


def _alone(examiner: _Examiner, options: Options) -> Iterator[_Share]:
    files = examiner.files
    options.progress("matching")
    yield _Share({path: examiner.audit.examined(analysis) for path, analysis in files.items()})


def _spread(examiner: _Examiner, options: Options, helpers: int) -> Iterator[_Share]:
    from auditor.pool import batched, spread

    audit = examiner.audit

    def batches() -> Iterator[bytes]:
        files = examiner.files  # read while the helpers start
        options.progress("matching", 0, len(files))
        for batch in batched(files.values(), lambda analysis: len(analysis.uses), helpers + 1, _BATCH):
            yield msgspec.msgpack.encode([analysis.path for analysis in batch])

    task = _Task(setting_of(options, audit.sources), _releases(audit.pairs))
    context = msgspec.msgpack.encode(task)
    decoder = msgspec.msgpack.Decoder(_Share)
    replies = spread(f"{__name__}:examiner", context, batches(), helpers=helpers, here=examiner)
    done = 0
    for reply in replies:
        share = decoder.decode(reply)
        done += len(share.files)
        options.progress("matching", done, len(examiner.files))
        yield share


class _Examiner:
    """Does batches of files in one process.

    Args:
        audit: Is asked about them.
        index: Of a helper: counts what this process receives.
    """

    def __init__(self, audit: Audit, index: PackageIndex | None = None) -> None:
        self.audit = audit
        self.index = index

    @cached_property
    def files(self) -> Mapping[str, FileAnalysis]:
        """The files that have to do with a provider, by path; read when first asked for."""
        read = self.audit.uses if self.index is None else self.audit.analyses  # a helper finds the rest in the store
        return {analysis.path: analysis for analysis in read()}

    def __call__(self, batch: bytes) -> bytes:
        before = self._counted()
        paths = msgspec.msgpack.decode(batch, type=list[str])
        found = {path: self.audit.examined(self.files[path]) for path in paths}
        counts = (now - then for now, then in zip(self._counted(), before, strict=True))
        return msgspec.msgpack.encode(_Share(found, *counts))

    def _counted(self) -> tuple[int, int, int]:
        if self.index is None:
            return 0, 0, 0
        return self.audit.parsed, self.index.traffic.received, self.index.traffic.requests


def _releases(pairs: Sequence[Pair]) -> _Releases:
    return tuple((p.name, p.old_version, p.old_origin, p.new_version, p.new_origin) for p in pairs)


def examiner(context: bytes) -> Work:
    """Examines batches in a process that opens the audit anew.

    Raises:
        AuditError: It cannot be opened.
        RuntimeError: What is there by now is not what was asked about.
    """
    from auditor.packages.store import Store

    task = msgspec.msgpack.decode(context, type=_Task)
    assert task.setting.consumer is not None
    options, sources = task.setting.options(""), task.setting.consumer.sources()
    store = Store.open(options.cache_dir)
    index = PackageIndex(store, index_url=options.index_url, offline=options.offline)
    audit = open_audit(options, sources, store, index)
    if _releases(audit.pairs) != task.releases:
        raise RuntimeError("the releases have changed meanwhile")
    return _Examiner(audit, index)
