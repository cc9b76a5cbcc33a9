"""One command that measures api-audit beside its peers, on the same inputs in the same run, and prints ratios.

python benchmarks/run.py            everything, medians of five
python benchmarks/run.py --quick    medians of two, without the slowest peers
python benchmarks/run.py --smoke    a made-up provider, no peers, no network, under a minute
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from inputs import ROOT, Inputs, extents, prepare
from measuring import Measure, machine, measure
from peers import checkers, detected, rivals
from smoke import smoke
from telling import page


def audit(*arguments: str | Path) -> list[str | Path]:
    return [sys.executable, "-m", "auditor", *arguments]


def environment(cache: Path) -> dict[str, str]:
    """Bytecode is kept as it is for an installed program, also where the caller's settings forbid that."""
    bytecode = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "api-audit-pyc"),
    }
    return {"PYTHONPATH": str(ROOT), "API_AUDIT_CACHE_DIR": str(cache), "CI": "1", **bytecode}


def warm_scan(arguments: argparse.Namespace, cache: Path) -> Measure:
    command = audit("scan", arguments.consumer, "--against", arguments.new, "--from", arguments.old, "--no-patches")
    command += ["--isolated", "--offline", "-qq", "--output-format", "json"]
    return measure("api-audit scan, warm", command, runs=arguments.runs, environment=environment(cache), cwd=ROOT)


def cold_read(arguments: argparse.Namespace, cache: Path, work: Path) -> Measure:
    """Every module of the new release parsed into a store that holds the sources but nothing read from them."""
    import sqlite3

    cold = work / "cold"

    def forget() -> None:
        file = cold / "store" / "store.sqlite"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(cache / "store" / "store.sqlite") as one, sqlite3.connect(file) as other:
                one.backup(other)
        with sqlite3.connect(file) as database:
            database.execute("DELETE FROM record WHERE kind = 'api'")

    command = audit("snapshot", arguments.new, "--offline", "--isolated", "-qq")
    return measure(
        "api-audit snapshot, cold",
        command,
        runs=arguments.runs,
        warm_up=not arguments.quick,
        before=forget,
        environment=environment(cold),
        cwd=ROOT,
    )


def first_scan(arguments: argparse.Namespace) -> Measure:
    """A scan that finds nothing in its store: what it downloads and parses."""
    with tempfile.TemporaryDirectory() as empty:
        command = audit("scan", arguments.consumer, "--against", arguments.new, "--no-patches", "--isolated", "-qq")
        command += ["--output-format", "json"]
        found = measure(
            "api-audit scan, empty store",
            command,
            runs=1,
            warm_up=False,
            environment=environment(Path(empty)),
            cwd=ROOT,
        )
        found.facts.update(stats(found.output))
        return found


def whole_download(arguments: argparse.Namespace) -> Measure:
    """A release read whole into an empty store: its bytes."""
    with tempfile.TemporaryDirectory() as empty:
        command = audit("snapshot", arguments.new, "--isolated", "--json", "-qq")
        found = measure(
            "api-audit snapshot, empty store",
            command,
            runs=1,
            warm_up=False,
            environment=environment(Path(empty)),
            cwd=ROOT,
        )
        found.facts.update(stats(found.output))
        return found


def neighbours(arguments: argparse.Namespace, cache: Path) -> Measure:
    """The consumer against a range of releases, none of which was matched before."""
    command = audit("matrix", arguments.consumer, "--against", arguments.range, "--isolated", "-qq")
    command += ["--output-format", "json"]
    found = measure("api-audit matrix", command, runs=1, warm_up=False, environment=environment(cache), cwd=ROOT)
    found.facts.update(stats(found.output))
    return found


def stats(output: str) -> dict[str, float]:
    try:
        return {
            name: float(value) for name, value in json.loads(output)["stats"].items() if isinstance(value, int | float)
        }
    except (ValueError, KeyError):
        return {}


def griffe_load(inputs: Inputs, arguments: argparse.Namespace) -> Measure:
    command = [inputs.tool("python"), ROOT / "benchmarks" / "rivals.py", "griffe", inputs.new, arguments.package]
    return measure("griffe.load, static", command, runs=arguments.runs, warm_up=not arguments.quick)


def main() -> int:
    arguments = _arguments()
    sys.path.append(str(ROOT))
    if arguments.smoke:
        return smoke(audit, environment)
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    cache = Path(os.environ.get("API_AUDIT_CACHE_DIR", work / "cache"))
    where = machine()
    print(where, file=sys.stderr)
    inputs = prepare(work, cache, arguments.consumer, arguments.old, arguments.new)
    measure(
        "api-audit scan, filling the store",
        audit("scan", arguments.consumer, "--against", arguments.new, "--from", arguments.old, "--no-patches", "-qq"),
        runs=1,
        warm_up=False,
        environment=environment(cache),
        cwd=ROOT,
    )
    measures = [warm_scan(arguments, cache), cold_read(arguments, cache, work), griffe_load(inputs, arguments)]
    measures += [first_scan(arguments), whole_download(arguments)]
    if arguments.range:
        measures.append(neighbours(arguments, cache))
    measures += checkers(inputs, arguments.runs, quick=arguments.quick)
    if not arguments.no_rivals:
        runs = 1 if arguments.quick else arguments.rival_runs
        measures += rivals(inputs, runs, arguments.package, arguments.rival_limit)
    found = detected(measures, extents(inputs.consumer), inputs)
    text = page(where, arguments, inputs, measures, found)
    print(text)
    if arguments.output is not None:
        arguments.output.write_text(text, encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--consumer", default="speculators==0.3.0")
    parser.add_argument("--old", default="vllm==0.11.0")
    parser.add_argument("--new", default="vllm==0.16.0")
    parser.add_argument("--package", default="vllm", help="the provider's import name")
    parser.add_argument("--range", default="", help="also a matrix over this range, e.g. 'vllm>=0.11'")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rival-runs", type=int, default=5)
    parser.add_argument("--rival-limit", type=float, default=900.0, help="seconds after which a rival is ended")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / ".work", help="trees, tools, caches")
    parser.add_argument("--output", type=Path, help="write the page there too")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.runs = min(arguments.runs, 2)
    return arguments


if __name__ == "__main__":
    sys.exit(main())
