"""Waits for several things at a time: the round trips of one overlap those of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


def overlapped(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """What some tasks return, in order.

    Raises:
        Exception: What the first of those that failed raised, once all have ended.
    """
    running = [_Running(task) for task in tasks]
    for one in running[1:]:
        one.start()
    for one in running[:1]:
        one.run()  # one of them needs no thread
    for one in running[1:]:
        one.join()
    return [one.result() for one in running]


class _Running(Thread, Generic[T]):
    """A task with what came of it."""

    def __init__(self, task: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._task = task
        self._results: list[T] = []
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            self._results.append(self._task())
        except Exception as error:  # noqa: BLE001 - raised where the result is asked for; Ctrl-C waits for nobody
            self._error = error

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]
