"""The measured part of the results page: goals, costs with ratios, detection, bytes, neighbours, growth."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inputs import BIG, ROWS, Inputs
from measuring import Measure
from ours import COLD, FIRST, TOUCHED, WARM, WHOLE

BEGIN, END = "<!-- measured: benchmarks/run.py writes what follows -->", "<!-- end of what was measured -->"


@dataclass
class Results:
    """All that one run measured."""

    where: str
    arguments: argparse.Namespace
    inputs: Inputs
    costs: list[Measure]
    big: list[Measure] = field(default_factory=list)
    growth: list[tuple[int, Measure]] = field(default_factory=list)
    neighbours: list[Measure] = field(default_factory=list)
    found: dict[str, tuple[set[int], int]] = field(default_factory=dict)

    def cost(self, name: str) -> Measure:
        return next(one for one in self.costs if one.name.startswith(name))


def page(results: Results) -> str:
    """The measured part as markdown."""
    arguments = results.arguments
    title = f"{results.where}; medians of {arguments.runs}, rivals of {arguments.rival_runs}."
    small = f"{arguments.consumer}, {arguments.old} -> {arguments.new}"
    parts: list[str] = [title, "", "## Goals", "", *_goals(results), "", f"## Costs: {small}", ""]
    parts += [*_costs(results.costs, WARM), "", "## Found", "", *_detection(results.found), "", "## Bytes", ""]
    parts += _bytes(results)
    if results.big:
        parts += ["", f"## A big consumer: {BIG[0]}, {BIG[1]} -> {BIG[2]}", "", *_costs(results.big, "")]
        parts += ["", "Parts of it, none of whose files was read before:", "", *_growth(results.growth)]
    if results.neighbours:
        parts += ["", "## Neighbours", "", *_neighbours(results)]
    return "\n".join(parts)


def inserted(text: str, measured: str) -> str:
    """A page with the measured part in the place of the last one."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{measured}\n\n{END}{rest.partition(END)[2]}"


def _goals(results: Results) -> Iterator[str]:
    warm, ty, cold = (results.cost(name) for name in (WARM, "ty", COLD))
    griffe = results.cost("griffe")
    yield "| goal | measured (by the clock) | by CPU | met |"
    yield "|---|---:|---:|---|"
    yield _goal("warm scan: at most two ty runs", warm, ty, 1.0)
    yield _goal("cold read of the release: at most 0.4 of griffe's static load", cold, griffe, 0.4)
    most = max(cold.megabytes, warm.megabytes)
    yield f"| memory below 300 MB (each process) | {most:.0f} MB | | {'yes' if most < 300 else 'no'} |"
    yield _goal("a scan after an edit: about a warm one", results.cost(TOUCHED), warm, 1.25)
    first, whole = results.cost(FIRST).facts, results.cost(WHOLE).facts
    if first and whole:
        requests, received = first["requests"], first["traffic_bytes"]
        yield f"| first scan: some dozens of requests | {requests:.0f} | | {'yes' if requests < 60 else 'no'} |"
        yield _size("first scan: fewer bytes than both releases read whole", received, 2 * whole["traffic_bytes"])
        yield _size("release read whole: no more than its sources", whole["traffic_bytes"], results.inputs.source_bytes)
    if results.big:
        cold, warm, touched, ty = results.big
        yield _goal("big consumer, cold: at most three times ty's two runs", cold, ty, 3.0)
        yield _goal("big consumer, one file edited: about the warm case", touched, warm, 1.25)


def _goal(text: str, one: Measure, other: Measure, limit: float) -> str:
    if one.failure or other.failure:
        return f"| {text} | {one.failure or other.failure} | | |"
    clock, cpu = one.median / other.median, one.work / other.work
    return f"| {text} | {clock:.2f} | {cpu:.2f} | {'yes' if clock <= limit else 'no'} |"


def _size(text: str, received: float, most: float) -> str:
    return f"| {text} | {received / 1e6:.1f} of {most / 1e6:.1f} MB | | {'yes' if received <= most else 'no'} |"


def _costs(measures: Sequence[Measure], warm: str) -> Iterator[str]:
    reference = next((one for one in measures if one.name == warm), None)
    yield "| what | seconds (median) | range | CPU s | MB at most | our warm scan takes of it |"
    yield "|---|---:|---:|---:|---:|---:|"
    for one in measures:
        if one.failure:
            yield f"| {one.name} | {one.failure} | | | | |"
            continue
        ratio = ""
        if reference is not None and not one.name.startswith(("api-audit", "griffe")):
            ratio = f"{reference.median / one.median:.2f} ({reference.work / one.work:.2f} by CPU)"
        yield f"| {one.name} | {one.median:.2f} | {one.spread} | {one.work:.2f} | {one.megabytes:.0f} | {ratio} |"


def _detection(found: dict[str, tuple[set[int], int]]) -> Iterator[str]:
    names = list(found)
    yield f"| row | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for number, (file, line, words) in ROWS.items():
        cells = " | ".join("yes" if number in found[name][0] else "-" for name in names)
        yield f"| {number}. {words} (`{file}:{line}`) | {cells} |"
    yield f"| **found** | {' | '.join(f'{len(found[name][0])} of {len(ROWS)}' for name in names)} |"
    yield f"| said elsewhere | {' | '.join(str(found[name][1]) for name in names)} |"


def _bytes(results: Results) -> Iterator[str]:
    inputs = results.inputs
    yield (
        f"- The wheel: {inputs.wheel_bytes / 1e6:.1f} MB; its Python sources: {inputs.source_bytes / 1e6:.1f} MB, "
        f"{inputs.packed_bytes / 1e6:.1f} MB as packed in it."
    )
    for name, what in ((WHOLE, "read whole"), (FIRST, "first scan, both sides together")):
        facts = results.cost(name).facts
        parsed = f", {facts['modules_parsed']:.0f} modules parsed" if "modules_parsed" in facts else ""
        if facts:
            received = f"{facts.get('traffic_bytes', 0) / 1e6:.1f} MB in {facts.get('requests', 0):.0f} requests"
            yield f"- {what}: {received}{parsed}."


def _growth(growth: Sequence[tuple[int, Measure]]) -> Iterator[str]:
    yield "| files | touching | uses | seconds | CPU s | CPU ms a use | CPU ms a file |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for size, one in growth:
        if one.failure:
            yield f"| {size} | {one.failure} | | | | | |"
            continue
        uses = one.facts.get("uses", 0)
        touching = one.facts.get("files_touching", 0)
        each = f"{1000 * one.work / max(uses, 1):.2f} | {1000 * one.work / size:.0f}"
        yield f"| {size} | {touching:.0f} | {uses:.0f} | {one.median:.1f} | {one.work:.1f} | {each} |"


def _neighbours(results: Results) -> Iterator[str]:
    yield "| what | seconds | CPU s | MB at most | releases | parsed | received |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    share = ""
    for one in results.neighbours:
        if one.failure:
            yield f"| {one.name} | {one.failure} | | | | | |"
            continue
        facts = one.facts
        known = ["", "", ""]
        if facts:
            received = f"{facts['traffic_bytes'] / 1e6:.1f} MB"
            known = [f"{facts['releases']:.0f}", f"{facts['modules_parsed']:.0f} modules", received]
            same = 1 - facts["modules_different"] / max(facts["modules_needed"], 1)
            share = (
                f"{facts['modules_needed']:.0f} modules were needed over all releases, {same:.0%} of them unchanged."
            )
        yield f"| {one.name} | {one.median:.1f} | {one.work:.1f} | {one.megabytes:.0f} | {' | '.join(known)} |"
    yield ""
    yield share
