"""Tasks that wait do so at the same time; what they return or raise comes in their order."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Event

import pytest

from auditor.overlapping import overlapped


def test_tasks_wait_for_each_other() -> None:
    barrier = Barrier(3, timeout=10)

    def met(number: int) -> Callable[[], int]:
        def task() -> int:
            barrier.wait()
            return number

        return task

    assert overlapped([met(1), met(2), met(3)]) == [1, 2, 3]


def test_nothing_to_do() -> None:
    assert overlapped([]) == []


def test_the_first_error_is_raised_once_all_have_ended() -> None:
    done: list[int] = []

    def failing(kind: type[Exception]) -> Callable[[], None]:
        def task() -> None:
            raise kind

        return task

    with pytest.raises(KeyError):
        overlapped([lambda: done.append(1), failing(KeyError), failing(OSError), lambda: done.append(2)])
    assert sorted(done) == [1, 2]


def test_an_interrupt_waits_for_nobody():
    ended, waited = Event(), []

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        overlapped([interrupted, lambda: waited.append(ended.wait(10))])
    assert not waited
    ended.set()
