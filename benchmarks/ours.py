"""What of api-audit is measured: scans warm, after an edit and cold, whole releases, bytes, neighbours, growth."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from zlib import crc32

from inputs import ROOT
from measuring import Measure, measure
from sampling import Profile, sampled

WARM = "api-audit scan, warm"
TOUCHED = "api-audit scan, one file edited"
COLD = "api-audit scan, cold"
READ = "api-audit snapshot, cold"
FIRST = "api-audit scan, empty store"
WHOLE = "api-audit snapshot, empty store"
_COMPUTED = ("api", "consumer", "search", "matrix")
"""All kinds of records that are computed from sources."""
SIZES = (10, 100, 1000, 2000)


def audit(*arguments: str | Path) -> list[str | Path]:
    return [sys.executable, "-m", "auditor", *arguments]


def environment(cache: Path) -> dict[str, str]:
    """Bytecode is kept as it is for an installed program, also where the caller's settings forbid that."""
    bytecode = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "api-audit-pyc"),
    }
    return {"PYTHONPATH": str(ROOT), "API_AUDIT_CACHE_DIR": str(cache), "CI": "1", **bytecode}


@dataclass(frozen=True)
class Case:
    """A command, and what must not be known when it starts."""

    name: str
    command: Sequence[str | Path]
    forgotten: tuple[str, ...] = ()
    """Kinds of records that are taken out of a copy of the store before each run; where there are none, the store."""


class Ours:
    """Our program on one consumer between two releases.

    Args:
        consumer: A specification, or a folder.
        old: The release it was written for.
        new: The one it must run on.
        cache: A store that holds all sources.
        work: Where copies lie.
        runs: How often a command counts.
    """

    def __init__(self, consumer: str | Path, old: str, new: str, *, cache: Path, work: Path, runs: int) -> None:
        self.consumer, self.old, self.new = consumer, old, new
        self.cache, self.work, self.runs = cache, work, runs
        self.copy = work / "cold" / Path(consumer).name
        """Where a copy of the store lies, of which parts are forgotten."""

    def scan(self, consumer: str | Path | None = None) -> list[str | Path]:
        command = audit("scan", consumer or self.consumer, "--against", self.new, "--from", self.old, "--no-patches")
        return [*command, "--isolated", "--offline", "-qq", "--output-format", "json"]

    def fill(self) -> None:
        """A scan that is not measured and may fetch what is missing."""
        command = [word for word in self.scan() if word != "--offline"]
        measure("filling the store", command, runs=1, warm_up=False, environment=environment(self.cache), cwd=ROOT)

    @property
    def warm(self) -> Case:
        return Case(WARM, self.scan())

    @property
    def cold(self) -> Case:
        """A scan with all sources in the store and nothing read from them, neither the consumer's nor a release's."""
        return Case(COLD, self.scan(), _COMPUTED)

    @property
    def whole(self) -> Case:
        """Every module of the new release parsed into a store that has the sources."""
        return Case(READ, audit("snapshot", self.new, "--offline", "--isolated", "-qq"), ("api",))

    def measured(self, case: Case, runs: int = 0) -> Measure:
        return measure(
            case.name, case.command, runs=runs or self.runs, warm_up=not case.forgotten, **self._circumstances(case)
        )

    def sampled(self, case: Case, name: str, sampler: Path, runs: int) -> Profile:
        return sampled(name, case.command, sampler=sampler, runs=runs, **self._circumstances(case))

    def _circumstances(self, case: Case) -> dict[str, Any]:
        if not case.forgotten:
            return {"environment": environment(self.cache), "cwd": ROOT}
        before = forgetting(self.cache, self.copy, case.forgotten)
        return {"before": before, "environment": environment(self.copy), "cwd": ROOT}

    def touched(self, folder: Path) -> Measure:
        """As a commit hook meets it: the largest file that uses the provider has a new line in every run."""
        copy = self.work / "touched" / folder.name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        package = self.old.partition("=")[0].encode()
        file = max((f for f in copy.rglob("*.py") if package in f.read_bytes()), key=lambda f: f.stat().st_size)
        text, edits = file.read_bytes(), count()
        return measure(
            TOUCHED,
            self.scan(copy),
            runs=self.runs,
            before=lambda: file.write_bytes(text + b"# edit %d\n" % next(edits)),
            environment=environment(self.cache),
            cwd=ROOT,
        )

    def empty(self) -> Iterator[Measure]:
        """What is received for a first scan, and for a release read whole."""
        first = audit("scan", self.consumer, "--against", self.new, "--no-patches", "--isolated", "-qq")
        whole = audit("snapshot", self.new, "--isolated", "--json", "-qq")
        for name, command in ((FIRST, [*first, "--output-format", "json"]), (WHOLE, whole)):
            with tempfile.TemporaryDirectory() as folder:
                store = Path(folder, "store")
                yield self._with_facts(
                    measure(
                        name,
                        command,
                        runs=self.runs,
                        warm_up=False,
                        before=partial(shutil.rmtree, store, ignore_errors=True),
                        environment=environment(store),
                        cwd=ROOT,
                    )
                )

    def neighbours(self, releases: str) -> Iterator[Measure]:
        """A range of releases: nothing read before, nothing matched, then everything; the way to the first break."""
        shared = ("--isolated", "-qq", "--output-format", "json")
        command = audit("matrix", self.consumer, "--against", releases, *shared)
        measure("filling the store", command, runs=1, warm_up=False, environment=environment(self.cache), cwd=ROOT)
        yield self._with_facts(self.measured(Case("api-audit matrix, nothing read", command, _COMPUTED)))
        yield self._with_facts(self.measured(Case("api-audit matrix, nothing matched", command, ("matrix",))))
        yield self._with_facts(self.measured(Case("api-audit matrix, run again", command)))
        name, _, version = self.new.partition("==")
        command = audit("bisect", self.consumer, "--provider", name, "--from", self.old.partition("==")[2])
        command += ["--to", version, "--isolated", "-qq", "--json"]
        yield self.measured(Case("api-audit bisect, nothing matched", command, ("matrix",)))

    def growth(self, folder: Path) -> Iterator[Measure]:
        """Scans of parts of a consumer, none of whose files was read before; the releases were."""
        files = sorted(folder.rglob("*.py"), key=lambda file: crc32(str(file.relative_to(folder)).encode()))
        for size in SIZES:
            part = self.work / "parts" / str(size)
            shutil.rmtree(part, ignore_errors=True)
            for file in files[:size]:
                target = part / file.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
            number = min(size, len(files))
            one = self._with_facts(self.measured(Case(f"{number} files", self.scan(part), ("consumer",)), 1))
            one.facts["files"] = number
            yield one
            if size >= len(files):
                return

    @staticmethod
    def _with_facts(one: Measure) -> Measure:
        one.facts.update(stats(one.output))
        return one


def forgetting(cache: Path, cold: Path, kinds: tuple[str, ...]) -> Callable[[], None]:
    """Makes a copy of a store, once, and removes what was computed from its sources."""

    def forget() -> None:
        file = cold / "store" / "store.sqlite"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(cache / "store" / "store.sqlite") as one, sqlite3.connect(file) as other:
                one.backup(other)
        with sqlite3.connect(file) as database:
            database.executemany("DELETE FROM record WHERE kind = ?", [(kind,) for kind in kinds])

    return forget


def stats(output: str) -> dict[str, float]:
    """The figures that a JSON report holds."""
    try:
        found = json.loads(output)["stats"]
    except (ValueError, KeyError):
        return {}
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}
