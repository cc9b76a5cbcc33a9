"""Progress on standard error, only where a person watches: a terminal, outside CI."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from auditor.cli.terminal import under_ci

Callback: TypeAlias = Callable[[str, int, int | None], None]
"""What is being done, how much of it is done, and of how much, where known. Names that start with `Download` count
bytes, all others things."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callback | None]:
    """A callback that draws bars while the block runs; None where nobody would see them."""
    if quiet or under_ci() or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # costs 50 ms that a pipe need not pay
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def report(what: str, done: int, total: int | None) -> None:
        if what not in tasks:
            for earlier in bars.tasks:
                # A stage of unknown length is over when the next one starts.
                if earlier.total is None:
                    bars.update(earlier.id, visible=False)
            tasks[what] = bars.add_task(_plain(what), total=total, count="")
        task = tasks[what]
        speed = next(one.speed for one in bars.tasks if one.id == task)
        bars.update(task, completed=done, total=total, count=_count(what, done, total, speed))

    with bars:
        yield report


def _plain(text: str) -> str:
    """Text that rich does not read as markup."""
    return text.replace("[", "\\[")


def _count(what: str, done: int, total: int | None, speed: float | None) -> str:
    if not what.startswith("Download"):
        return f"{done}/{total}" if total else str(done)
    size = f"{_megabytes(done)} of {_megabytes(total)}" if total else _megabytes(done)
    return f"{size}, {_megabytes(speed)}/s" if speed else size


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"
