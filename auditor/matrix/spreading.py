"""Spreads audits over processes, or over the machines of a Ray cluster: what is audited and what was found are data."""

from __future__ import annotations

import importlib
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import msgspec

from auditor.errors import AuditError
from auditor.matrix.line import Line, failed, label_of
from auditor.matrix.table import Column
from auditor.packages.index import PackageIndex
from auditor.packages.store import Store
from auditor.packages.traffic import Traffic
from auditor.pool import Work, spare_cores, spread
from auditor.resolution import open_consumer
from auditor.setting import Setting

Engine: TypeAlias = Literal["processes", "ray"]
_PATIENCE = 10.0
"""Seconds within which a cluster must answer."""
_EACH = 3
"""Batches for each process: neighbours in one, few enough to come and go, many enough that all end together."""


class Batch(msgspec.Struct, frozen=True):
    """Releases that one process audits one after the other."""

    specs: tuple[str, ...]
    useful: tuple[str, ...] = ()
    """Files of the provider that a neighbour was asked for."""
    consumer: str | None = None
    """A version on the index; None for the one that the setting holds."""


class Share(msgspec.Struct, frozen=True):
    """What became of a batch."""

    batch: Batch
    columns: tuple[Column, ...]
    useful: tuple[str, ...] = ()
    received: int = 0
    requests: int = 0


_SETTING = msgspec.msgpack.Decoder(Setting)
_BATCH = msgspec.msgpack.Decoder(Batch)
_SHARE = msgspec.msgpack.Decoder(Share)
_ENCODER = msgspec.msgpack.Encoder()


def shares(setting: Setting, batches: Sequence[Batch], engine: Engine, here: Work | None = None) -> Iterator[Share]:
    """Audit some batches, in any order.

    Args:
        setting: What they have in common.
        batches: What each process takes at a time.
        engine: Where they run.
        here: Does a batch in this process, which has read the consumer already.

    Raises:
        AuditError: There is no Ray, or its cluster does not answer or lost an audit.
    """
    encoded = [_ENCODER.encode(batch) for batch in batches]
    context = _ENCODER.encode(setting)
    if engine == "ray":
        replies = _on_ray(context, encoded)
    else:
        helpers = min(spare_cores(), len(encoded) - 1)
        replies = spread(f"{__name__}:auditor", context, encoded, helpers=helpers, here=here)
    yield from map(_SHARE.decode, replies)


def neighbours(specs: Sequence[str], useful: Sequence[str], engine: Engine) -> list[Batch]:
    """Batches of releases in a row, which have most in common."""
    processes = _cluster_cores() if engine == "ray" else spare_cores() + 1
    size = -(-len(specs) // (processes * _EACH))
    return [Batch(tuple(specs[n : n + size]), tuple(useful)) for n in range(0, len(specs), size)]


def auditor(context: bytes) -> Work:
    """Audits batches in this process, with a store of its own on this machine."""
    given = _SETTING.decode(context)
    store = Store.open(given.cache_dir)
    index = PackageIndex(store, index_url=given.index_url, offline=given.offline)
    lines: dict[str | None, Line] = {}

    def line(name: str | None) -> Line:
        if name not in lines:
            lines.clear()
            options = given.options(name or "")
            sources = given.consumer.sources() if given.consumer else open_consumer(options, store, index)
            lines[name] = Line(options, sources, store, index)
        return lines[name]

    return worker(line, index.traffic)


def worker(line: Callable[[str | None], Line], traffic: Traffic | None = None) -> Work:
    """Does a batch with a line; `traffic` counts what this process receives, if nobody else does."""

    def work(batch: bytes) -> bytes:
        from auditor.matrix.releases import beside

        asked = _BATCH.decode(batch)
        before = (traffic.received, traffic.requests) if traffic else (0, 0)
        try:
            mine = line(asked.consumer)
            mine.useful |= frozenset(asked.useful)
            columns = tuple(beside(mine, asked.specs))
            useful = tuple(mine.useful)
        except AuditError as error:
            useful = ()
            columns = tuple(failed(label_of(spec), error) for spec in asked.specs)
        after = (traffic.received, traffic.requests) if traffic else (0, 0)
        return _ENCODER.encode(Share(asked, columns, useful, after[0] - before[0], after[1] - before[1]))

    return work


def _on_ray(context: bytes, batches: Sequence[bytes]) -> Iterator[bytes]:
    """Each batch as a task; the context travels to a machine once."""
    ray = _ray()
    shared = ray.put(context)
    task = ray.remote(_task)
    waiting = [task.remote(shared, batch) for batch in batches]
    while waiting:
        done, waiting = ray.wait(waiting)
        try:
            replies = ray.get(done)
        except ray.exceptions.RayError as error:
            *_, last = str(error).strip().splitlines() or [type(error).__name__]
            hint = "Every machine needs this program; the same command goes on with what is kept"
            raise AuditError(f"the Ray cluster lost an audit: {last}", hint=hint) from error
        yield from replies


def _task(context: bytes, batch: bytes) -> bytes:
    return _kept(context)(batch)


_kept = lru_cache(maxsize=1)(auditor)
"""A worker of the cluster reads a consumer once, however many batches it gets."""


def _cluster_cores() -> int:
    return max(1, int(_ray().cluster_resources().get("CPU", 1)))


def _ray() -> Any:
    """Ray, connected: to the cluster that `RAY_ADDRESS` names, else to one on this machine."""
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise AuditError("Ray is not installed beside this program", hint="pip install 'api-audit[ray]'") from error
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS", "")
        try:
            _knock(address)
            ray.init(log_to_driver=False, logging_level="ERROR", include_dashboard=False)
        except (OSError, RuntimeError, ValueError) as error:
            raise AuditError(f"the Ray cluster does not answer: {error}", where=address or None) from error
    return ray


def _knock(address: str) -> None:
    """Raise an OSError where nobody listens at an address: Ray itself would go on trying for many minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
