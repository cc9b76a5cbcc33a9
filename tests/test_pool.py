"""Work spread over helpers is done once, whatever its size and whatever becomes of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from auditor import pool
from auditor.pool import Work, batched, spread

HERE = os.getpid()


def echo(context: bytes) -> Work:
    """Gives each batch back, with what all have in common and the process that did it."""
    return lambda batch: b"%s:%s:%d" % (context, batch, os.getpid())


def inflating(context: bytes) -> Work:
    """Replies far larger than any pipe."""
    return lambda batch: batch * int(context)


def mortal(context: bytes) -> Work:
    """A helper that dies over its second batch."""
    done: list[bytes] = []

    def work(batch: bytes) -> bytes:
        done.append(batch)
        if str(os.getpid()) != context.decode() and len(done) > 1:
            os._exit(1)
        return batch

    return work


def slow(context: bytes) -> Work:
    """Takes its time in this process, so that helpers do the rest."""

    def work(batch: bytes) -> bytes:
        time.sleep(0.3 if str(os.getpid()) == context.decode() else 0)
        return b"%d" % os.getpid()

    return work


BATCHES = [b"%d" % number for number in range(40)]


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_every_batch_is_done_once(helpers: int) -> None:
    replies = [reply.split(b":") for reply in spread(f"{__name__}:echo", b"c", BATCHES, helpers=helpers)]
    assert sorted(batch for _, batch, _ in replies) == sorted(BATCHES)
    assert {context for context, _, _ in replies} == {b"c"}


def test_this_process_may_bring_what_it_has() -> None:
    replies = list(spread("no_such:module", b"", BATCHES, helpers=1, here=lambda batch: batch))
    assert sorted(replies) == sorted(BATCHES)


def test_helpers_work_while_this_process_is_busy() -> None:
    replies = list(spread(f"{__name__}:slow", b"%d" % HERE, BATCHES, helpers=1))
    assert len(replies) == len(BATCHES)
    assert replies.count(b"%d" % HERE) < len(BATCHES) // 2


@pytest.mark.parametrize("size", [1, 3_000_000])
def test_no_message_is_too_large_for_the_pipes(size: int) -> None:
    batches = [bytes([number]) * size for number in range(8)]
    replies = list(spread(f"{__name__}:inflating", b"2", batches, helpers=2))
    assert sorted(replies) == [batch * 2 for batch in batches]


@pytest.mark.parametrize("helpers", [1, 3])
def test_a_helper_that_dies_gives_back_all_that_it_had(helpers: int) -> None:
    replies = list(spread(f"{__name__}:mortal", b"%d" % HERE, BATCHES, helpers=helpers))
    assert sorted(replies) == sorted(BATCHES)


def test_an_error_here_ends_the_helpers() -> None:
    def failing(batch: bytes) -> bytes:
        raise ZeroDivisionError(batch)

    with pytest.raises(ZeroDivisionError):
        list(spread(f"{__name__}:echo", b"", BATCHES, helpers=2, here=failing))


def test_a_helper_with_ordinary_pipes_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    start = pool.subprocess.Popen

    def strict(*given: object, pipesize: int, **others: object) -> object:
        if pipesize > 0:
            raise PermissionError("pipes may not be that large")
        return start(*given, **others)  # type: ignore[call-overload]

    monkeypatch.setattr(pool.subprocess, "Popen", strict)
    replies = list(spread(f"{__name__}:slow", b"%d" % HERE, BATCHES, helpers=1))
    assert set(replies) - {b"%d" % HERE}


def weights() -> Iterator[int]:
    yield from (7, 900, 3, 3, 12, 5, 100, 40, 1, 1, 1)


def test_batches_get_lighter_and_hold_everything_once() -> None:
    batches = list(batched(weights(), lambda weight: weight, 2, 10))
    assert sorted(item for batch in batches for item in batch) == sorted(weights())
    assert batches[0] == [900]
    assert all(sum(batch) >= 10 for batch in batches[:-1])
    assert [max(batch) for batch in batches] == sorted((max(batch) for batch in batches), reverse=True)


def test_equal_work_falls_into_batches_for_all() -> None:
    sizes = [len(batch) for batch in batched([1] * 1000, lambda weight: weight, 2, 5)]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 1000
    assert sizes[0] < 1000 / 2 / 2


def test_nothing_makes_no_batch() -> None:
    assert list(batched([], len, 2, 1)) == []
