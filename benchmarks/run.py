"""One command that measures api-audit beside its peers, on the same inputs in the same run, and prints ratios.

python benchmarks/run.py --page docs/benchmarks.md    everything, medians of five, into the page: some 20 minutes
python benchmarks/run.py --go-on                      what an interrupted run has not measured yet
python benchmarks/run.py --quick                      medians of two, without the slowest peers and the big consumer
python benchmarks/run.py --smoke                      a made-up provider, no peers, no network, under a minute
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from inputs import BIG, ROOT, Inputs, extents, prepare, versions
from measuring import Measure, machine, measure
from ours import Ours, audit, environment
from peers import checkers, rivals
from results import Results
from smoke import smoke
from telling import inserted, page

_FEW, _MANY = 2, 10
"""How often a command is sampled: enough that a short one gives a thousand samples."""


def main() -> int:
    arguments = _arguments()
    sys.path.append(str(ROOT))
    if arguments.smoke:
        return smoke(audit, environment)
    work, cache = arguments.work.absolute(), Path(os.environ.get("API_AUDIT_CACHE_DIR", arguments.work / "cache"))
    work.mkdir(parents=True, exist_ok=True)
    inputs = apart(prepare, work, cache, arguments.consumer, arguments.old, arguments.new)
    sizes = {"wheel": inputs.wheel_bytes, "sources": inputs.source_bytes, "packed": inputs.packed_bytes}
    begun = Results(machine(), _settings(arguments), versions(inputs.tools), sizes)
    results = begun.going_on(work / "results.json") if arguments.go_on else begun
    print(results.where, file=sys.stderr)
    for name, stage in stages(arguments, inputs, cache).items():
        if name not in results.stages:
            shutil.rmtree(work / "cold", ignore_errors=True)
            results.add(name, stage())
            results.write(work / "results.json")
    text = page(results, extents(inputs.consumer))
    print(text)
    if arguments.page is not None:
        written = inserted(arguments.page.read_text(encoding="utf-8"), text)
        arguments.page.write_text(written, encoding="utf-8")
    return 0


def stages(arguments: argparse.Namespace, inputs: Inputs, cache: Path) -> dict[str, Callable[[], Iterable[object]]]:
    """What is measured, in order; each part is written down when it is done."""
    runs, sampler = arguments.runs, inputs.tool("py-spy")
    ours = Ours(arguments.consumer, arguments.old, arguments.new, cache=cache, work=inputs.work, runs=runs)

    def small() -> Iterable[Measure]:
        ours.fill()
        yield ours.measured(ours.warm)
        yield ours.touched(inputs.consumer)

    def whole() -> Iterable[Measure]:
        yield ours.measured(ours.whole)
        yield griffe_load(inputs, arguments)
        yield from ours.empty()

    found: dict[str, Callable[[], Iterable[object]]] = {
        "small": small,
        "checkers": lambda: checkers(inputs, runs, ("ty", "pyrefly", *(() if arguments.quick else ("pyright",)))),
        "whole": whole,
    }
    if not arguments.quick:
        found["profiles"] = lambda: [
            ours.sampled(ours.warm, "scan, warm", sampler, _MANY),
            ours.sampled(ours.whole, "release read, cold", sampler, _FEW),
        ]
        found |= big_consumer(arguments, cache)
    if arguments.range:
        found["neighbours"] = lambda: ours.neighbours(arguments.range)
    if not arguments.no_rivals:
        found["rivals"] = lambda: rivals(inputs, arguments.rival_runs, arguments.package, arguments.rival_limit)
    return found


def big_consumer(arguments: argparse.Namespace, cache: Path) -> dict[str, Callable[[], Iterable[object]]]:
    """A consumer of a thousand files: cold, warm, after an edit, beside ty; parts of it; where its time goes."""
    inputs = apart(prepare, arguments.work.absolute(), cache, *BIG, whole=True)
    big = Ours(inputs.consumer, *BIG[1:], cache=cache, work=inputs.work, runs=arguments.runs)

    def costs() -> Iterable[Measure]:
        big.fill()
        ours = (big.measured(big.cold), big.measured(big.warm), big.touched(inputs.consumer))
        yield from (replace(one, output="") for one in ours)
        yield from checkers(inputs, arguments.runs, ("ty",), warm_up=False)

    def profiles() -> Iterable[object]:
        yield big.sampled(big.warm, "big consumer, warm", inputs.tool("py-spy"), 1)
        yield big.sampled(big.cold, "big consumer, cold", inputs.tool("py-spy"), 1)

    def growth() -> Iterable[Measure]:
        return (replace(one, output="") for one in big.growth(inputs.consumer))

    return {"big": costs, "growth": growth, "big profiles": profiles}


def apart(function: Callable[..., Inputs], *arguments: object, **more: object) -> Inputs:
    """Run a function in another process: what this one grows to is what the next command seems to use at least."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **more).result()


def griffe_load(inputs: Inputs, arguments: argparse.Namespace) -> Measure:
    command = [inputs.tool("python"), ROOT / "benchmarks" / "rivals.py", "griffe", inputs.new, arguments.package]
    return measure("griffe.load, static", command, runs=arguments.runs, warm_up=False)


def _settings(arguments: argparse.Namespace) -> dict[str, str | int]:
    return {name: getattr(arguments, name) for name in ("consumer", "old", "new", "range", "runs", "rival_runs")}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--consumer", default="speculators==0.3.0")
    parser.add_argument("--old", default="vllm==0.11.0")
    parser.add_argument("--new", default="vllm==0.16.0")
    parser.add_argument("--package", default="vllm", help="the provider's import name")
    parser.add_argument("--range", default="vllm>=0.11", help="releases of the matrix; empty leaves it out")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rival-runs", type=int, default=5)
    parser.add_argument("--rival-limit", type=float, default=150.0, help="seconds after which a rival is ended")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--go-on", action="store_true", help="keep what an interrupted run with these options measured")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / ".work", help="trees, tools, results")
    parser.add_argument("--page", type=Path, help="write the results between this page's marks")
    arguments = parser.parse_args()
    if arguments.page is not None and not arguments.page.is_file():
        parser.error(f"there is no page {arguments.page}")
    if arguments.quick:
        arguments.runs = min(arguments.runs, 2)
        arguments.rival_runs = 1
    return arguments


if __name__ == "__main__":
    sys.exit(main())
