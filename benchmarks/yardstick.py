#!/usr/bin/env python3
"""How this tool and a type checker differ: both asked what a provider's new release breaks, place by place.

    python benchmarks/yardstick.py [--cases FILE] [--packages all|none|NAME,...] [--checker ty,pyrefly]

A type checker runs over the consumer with the old and then the new provider sources on its search path; what it says
on the new side alone is compared with our errors and warnings. Needs `pip install api-audit[ty,pyrefly]`. Markdown goes
to standard output: a table, then every disagreement on a line of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from auditor.audit import Audit
from auditor.errors import AuditError
from auditor.migrations import packs_for
from auditor.model import Finding
from auditor.opinions import Diagnostic, Offer, checker, second_opinion
from auditor.options import Options
from auditor.packages.index import PackageIndex
from auditor.packages.store import Store
from auditor.resolution import open_consumer, open_pairs

PACKAGES = (
    ("speculators==0.3.0", "vllm==0.11.0", "vllm==0.12.0"),
    ("verl==0.6.1", "vllm==0.11.0", "vllm==0.12.0"),
    ("trl==0.25.1", "vllm==0.11.2", "vllm==0.12.0"),
    ("lm-eval==0.4.9.2", "vllm==0.10.2", "vllm==0.11.0"),
    ("lmcache==0.3.9", "vllm==0.11.0", "vllm==0.12.0"),
    ("xinference==1.16.0", "vllm==0.14.1", "vllm==0.15.1"),
    ("openrlhf==0.9.0", "vllm==0.11.0", "vllm==0.12.0"),
    ("outlines==1.1.1", "vllm==0.9.1", "vllm==0.12.0"),
    ("ray==2.52.0", "vllm==0.14.1", "vllm==0.15.1"),
    ("vllm-ascend==0.11.0", "vllm==0.11.0", "vllm==0.12.0"),
)
"""Each with the vLLM it was written for and the release that broke it."""


class Outcome(msgspec.Struct, frozen=True):
    """What both said of one consumer."""

    ours: list[Finding]
    theirs: dict[str, list[Diagnostic]]
    seconds: dict[str, float]


def compare(consumer: str, old: str, new: str, checkers: Sequence[str], cache: Path | None) -> Outcome:
    """Our errors and warnings, and what each checker says on the new side alone."""
    options = Options(consumers=(consumer,), against=(new,), from_=(old,), cache_dir=cache)
    seconds: dict[str, float] = {}
    with Store.open(cache) as store:
        index = PackageIndex(store)
        started = time.monotonic()
        sources = open_consumer(options, store, index)
        pairs = open_pairs(options, sources, store, index)
        names = {name for pair in pairs for name in (pair.name, *pair.packages)}
        audit = Audit(sources, pairs, store, packs_for((), sources, names, store))
        ours = [f for f in audit.findings(audit.uses()) if f.severity != "info"]
        seconds["ours"] = time.monotonic() - started
        offers = [Offer(pair.old.release, pair.new.release) for pair in pairs]
        theirs = {}
        for name in checkers:
            started = time.monotonic()
            theirs[name] = second_opinion(checker(name), sources, offers)
            seconds[name] = time.monotonic() - started
    return Outcome(ours, theirs, seconds)


def lines(found: Iterable[Finding | Diagnostic]) -> dict[tuple[str, int], list[str]]:
    """What is said about each line."""
    said: dict[tuple[str, int], list[str]] = defaultdict(list)
    for one in found:
        if isinstance(one, Finding):
            said[one.span.path, one.span.line].append(f"{one.rule}: {one.message}")
        else:
            said[one.path, one.line].append(f"{one.code}: {one.message}")
    return said


def by_case(cases: Path, checkers: Sequence[str], cache: Path | None) -> Iterator[str]:
    """A table of the cases: who finds what is broken there, and who is quiet where nothing is."""
    groups: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for line in cases.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        groups[case["provider"], case["old"], case["new"]].append(case)
    rows, right = [], dict.fromkeys(("ours", *checkers), 0)
    for (provider, old, new), members in sorted(groups.items()):
        with TemporaryDirectory() as folder:
            for case in members:
                (Path(folder) / f"{case['id']}.py").write_text(case["snippet"], encoding="utf-8")
            outcome = compare(folder, f"{provider}=={old}", f"{provider}=={new}", checkers, cache)
        for case in members:
            file = f"{case['id']}.py"
            said = {"ours": any(f.span.path == file for f in outcome.ours)}
            said |= {name: any(d.path == file for d in found) for name, found in outcome.theirs.items()}
            trap = case.get("expect") == "none"
            for name, spoke in said.items():
                right[name] += spoke != trap
            marks = " | ".join("yes" if said[name] else "no" for name in right)
            rows.append((case["id"], f"| {case['id']} | {case['kind']}{' (trap)' if trap else ''} | {marks} |"))
    yield f"| case | kind | {' | '.join(right)} |"
    yield f"|---|---|{'---|' * len(right)}"
    yield from (row for _, row in sorted(rows))
    yield f"| right | | {' | '.join(f'{number} of {len(rows)}' for number in right.values())} |"


def by_package(names: Sequence[str], checkers: Sequence[str], cache: Path | None) -> Iterator[str]:
    """A table of the real packages, and below it every line about which the two differ."""
    yield "| package | vLLM | checker | both | ours alone | theirs alone | seconds, ours / theirs |"
    yield "|---|---|---|---|---|---|---|"
    differing: list[str] = []
    for consumer, old, new in PACKAGES:
        if names != ["all"] and consumer.split("==")[0] not in names:
            continue
        try:
            outcome = compare(consumer, old, new, checkers, cache)
        except AuditError as error:
            print(f"{consumer}: {error}", file=sys.stderr)
            continue
        ours = lines(outcome.ours)
        for name in checkers:
            theirs = lines(outcome.theirs[name])
            counts = (len(ours.keys() & theirs), len(ours.keys() - theirs.keys()), len(theirs.keys() - ours.keys()))
            seconds = f"{outcome.seconds['ours']:.0f} / {outcome.seconds[name]:.0f}"
            versions = f"{old.split('==')[1]} -> {new.split('==')[1]}"
            yield f"| {consumer} | {versions} | {name} | {' | '.join(map(str, counts))} | {seconds} |"
            for who, mine, others in (("ours", ours, theirs), (name, theirs, ours)):
                for (path, line), texts in sorted(mine.items()):
                    if (path, line) not in others:
                        differing.append(
                            f"- {consumer}, {who} alone (not {name if who == 'ours' else 'ours'}): "
                            f"{path}:{line} {'; '.join(texts)}"
                        )
    yield ""
    yield from dict.fromkeys(differing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    handed = Path(__file__).parent.parent.parent / "shared" / "cases" / "handed.jsonl"
    parser.add_argument("--cases", type=Path, default=handed)
    parser.add_argument("--packages", default="all", help="`all`, `none` or names")
    parser.add_argument("--checker", default="ty,pyrefly")
    parser.add_argument("--cache-dir", type=Path)
    given = parser.parse_args()
    checkers = given.checker.split(",")
    if given.cases.is_file():
        for row in by_case(given.cases, checkers, given.cache_dir):
            print(row, flush=True)
        print(flush=True)
    if given.packages != "none":
        for row in by_package(given.packages.split(","), checkers, given.cache_dir):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
