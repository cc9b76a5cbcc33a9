"""Shows how far an extraction is: a bar where a person watches, a line now and then where a log is kept."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

INTERVAL = 10.0
"""Seconds between two lines in a log."""


ENOUGH = 5
"""Samples of which the time left can be told."""


class Progress:
    """Samples and tokens done, tokens a second, time left."""

    def __init__(self, *, samples: int | None, tokens: int | None, done: int = 0, quiet: bool = False) -> None:
        self.samples, self.tokens = samples, tokens
        self.done, self.new, self.new_tokens = done, 0, 0
        self.begun: float | None = None
        self.last = time.monotonic()
        self.quiet = quiet
        self.bar: Any = None
        self.task: Any = None

    def __enter__(self) -> Progress:
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("extract"), BarColumn(), TextColumn("{task.fields[text]}"))
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task("extract", total=self.samples, completed=self.done, text="starting")
            self.bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.bar is not None:
            self.bar.stop()

    def ready(self) -> None:
        """The engine is up: the clock of the speed starts."""
        if self.begun is None:
            self.begun = self.last = time.monotonic()

    def add(self, tokens: int) -> None:
        """One sample more."""
        self.ready()
        self.done += 1
        self.new += 1
        self.new_tokens += tokens
        self.show()

    def show(self, *, now: bool = False) -> None:
        """Draw, or print a line if it is time."""
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, text=self.text())
        elif not self.quiet and (now or time.monotonic() - self.last >= INTERVAL):
            self.last = time.monotonic()
            sys.stderr.write(f"extract: {self.text()}\n")
            sys.stderr.flush()

    @property
    def speed(self) -> float:
        """Tokens a second since the engine was up."""
        passed = time.monotonic() - self.begun if self.begun else 0.0
        return self.new_tokens / passed if passed > 0 else 0.0

    def text(self) -> str:
        """`120/200 samples, 5.2k tok/s, 0:41 left`"""
        count = f"{self.done}/{self.samples} samples" if self.samples is not None else f"{self.done} samples"
        if not self.new:
            return count
        text = f"{count}, {amount(self.speed)} tok/s"
        if self.samples is not None and self.speed and self.new >= ENOUGH:
            left = (self.samples - self.done) * (self.new_tokens / self.new) / self.speed
            text += f", {clock(left)} left"
        return text


def amount(value: float) -> str:
    """`950`, `5.2k`, `1.3M`"""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.1f}{letter}"
    return f"{value:.0f}"


def clock(seconds: float) -> str:
    """`0:41`, `1:02:03`"""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
