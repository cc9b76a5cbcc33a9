"""One command that measures api-audit beside its peers, on the same inputs in the same run, and prints ratios.

python benchmarks/run.py --page docs/benchmarks.md    everything, medians of five, into the page: some 12 minutes
python benchmarks/run.py --quick                      medians of two, without the slowest peers and the big consumer
python benchmarks/run.py --smoke                      a made-up provider, no peers, no network, under a minute
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from inputs import BIG, ROOT, Inputs, extents, prepare
from measuring import Measure, machine, measure
from ours import Ours, audit, environment
from peers import checkers, detected, rivals
from smoke import smoke
from telling import Results, inserted, page


def main() -> int:
    arguments = _arguments()
    sys.path.append(str(ROOT))
    if arguments.smoke:
        return smoke(audit, environment)
    work, cache = arguments.work.absolute(), Path(os.environ.get("API_AUDIT_CACHE_DIR", arguments.work / "cache"))
    work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(work / "cold", ignore_errors=True)
    where = machine()
    print(where, file=sys.stderr)
    inputs = apart(prepare, work, cache, arguments.consumer, arguments.old, arguments.new)
    ours = Ours(arguments.consumer, arguments.old, arguments.new, cache=cache, work=work, runs=arguments.runs)
    ours.fill()
    costs = [ours.warm(), ours.touched(inputs.consumer)]
    costs += checkers(inputs, arguments.runs, ("ty", "pyrefly") if arguments.quick else ("ty", "pyrefly", "pyright"))
    costs += [ours.snapshot(), griffe_load(inputs, arguments), *ours.empty()]
    results = Results(where, arguments, inputs, costs)
    if not arguments.quick:
        big_consumer(results, cache)
    if arguments.range:
        results.neighbours += ours.neighbours(arguments.range)
    if not arguments.no_rivals:
        costs += rivals(inputs, arguments.rival_runs, arguments.package, arguments.rival_limit)
    results.found = detected(costs, extents(inputs.consumer), inputs)
    text = page(results)
    print(text)
    if arguments.page is not None:
        written = inserted(arguments.page.read_text(encoding="utf-8"), text)
        arguments.page.write_text(written, encoding="utf-8")
    return 0


def apart(function: Callable[..., Inputs], *arguments: object, **more: object) -> Inputs:
    """Run a function in another process: what this one grows to is what the next command seems to use at least."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **more).result()


def big_consumer(results: Results, cache: Path) -> None:
    """A consumer of a thousand files: cold, warm, after an edit, beside ty; and parts of it."""
    arguments = results.arguments
    inputs = apart(prepare, arguments.work.absolute(), cache, *BIG, whole=True)
    big = Ours(inputs.consumer, *BIG[1:], cache=cache, work=inputs.work, runs=arguments.runs)
    big.fill()
    results.big += [
        big.cold("api-audit scan, cold"),
        big.warm("api-audit scan, warm"),
        big.touched(inputs.consumer, "api-audit scan, one file edited"),
        *checkers(inputs, arguments.runs, ("ty",), warm_up=False),
    ]
    results.growth += big.growth(inputs.consumer)


def griffe_load(inputs: Inputs, arguments: argparse.Namespace) -> Measure:
    command = [inputs.tool("python"), ROOT / "benchmarks" / "rivals.py", "griffe", inputs.new, arguments.package]
    return measure("griffe.load, static", command, runs=arguments.runs, warm_up=False)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--consumer", default="speculators==0.3.0")
    parser.add_argument("--old", default="vllm==0.11.0")
    parser.add_argument("--new", default="vllm==0.16.0")
    parser.add_argument("--package", default="vllm", help="the provider's import name")
    parser.add_argument("--range", default="vllm>=0.11", help="releases of the matrix; empty leaves it out")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rival-runs", type=int, default=1)
    parser.add_argument("--rival-limit", type=float, default=150.0, help="seconds after which a rival is ended")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / ".work", help="trees, tools, caches")
    parser.add_argument("--page", type=Path, help="write the results between this page's marks")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.runs = min(arguments.runs, 2)
    return arguments


if __name__ == "__main__":
    sys.exit(main())
