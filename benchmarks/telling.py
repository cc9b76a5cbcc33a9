"""The measured part of the results page: goals, costs with ratios, detection, bytes, growth, neighbours, profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inputs import BIG, ROWS
from measuring import Measure
from ours import FIRST, READ, TOUCHED, WARM, WHOLE
from peers import detected
from results import Results
from sampling import HERTZ, Profile

BEGIN, END = "<!-- measured: benchmarks/run.py writes what follows -->", "<!-- end of what was measured -->"


_SHARE = 0.03
"""Rooms that take less than this of every case are told together."""


def page(results: Results, rows: Mapping[int, tuple[str, int, int]]) -> str:
    """The measured part as markdown.

    Args:
        results: What was measured.
        rows: For each row of the cascade its file and lines.
    """
    settings, stages = results.settings, results.stages
    parts = [f"{results.where}; medians of {settings['runs']}, rivals of {settings['rival_runs']}.", ""]
    parts += [f"Peers: {', '.join(f'{name} {version}' for name, version in results.tools.items())}.", ""]
    parts += ["## Goals", "", *_goals(results), ""]
    parts += [f"## Costs: {settings['consumer']}, {settings['old']} -> {settings['new']}", ""]
    parts += [*_costs(results.costs, WARM), "", "## Found", "", *_detection(detected(results.costs, rows)), ""]
    parts += ["## Bytes", "", *_bytes(results)]
    if "big" in stages:
        parts += ["", f"## A big consumer: {BIG[0]}, {BIG[1]} -> {BIG[2]}", "", *_costs(stages["big"], "")]
    if "growth" in stages:
        parts += ["", "Parts of it, none of whose files was read before, each once:", "", *_growth(stages["growth"])]
    if "neighbours" in stages:
        parts += ["", "## Neighbours", "", *_neighbours(stages["neighbours"])]
    if results.profiles:
        parts += ["", "## Where the time goes", "", *_profiles(results.profiles)]
    return "\n".join(parts)


def inserted(text: str, measured: str) -> str:
    """A page with the measured part in the place of the last one."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{measured}\n\n{END}{rest.partition(END)[2]}"


def _goals(results: Results) -> Iterator[str]:
    warm, ty, cold = (results.cost(name) for name in (WARM, "ty", READ))
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
        yield _size("release read whole: no more than its sources", whole["traffic_bytes"], results.sizes["sources"])
    if "big" in results.stages:
        cold, warm, touched, ty = results.stages["big"]
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
    wheel, sources, packed = (f"{results.sizes[name] / 1e6:.1f} MB" for name in ("wheel", "sources", "packed"))
    yield f"- The wheel: {wheel}; its Python sources: {sources}, {packed} as packed in it."
    for name, what in ((WHOLE, "read whole"), (FIRST, "first scan, both sides together")):
        facts = results.cost(name).facts
        parsed = f", {facts['modules_parsed']:.0f} modules parsed" if "modules_parsed" in facts else ""
        if facts:
            received = f"{facts.get('traffic_bytes', 0) / 1e6:.1f} MB in {facts.get('requests', 0):.0f} requests"
            yield f"- {what}: {received}{parsed}."


def _growth(growth: Sequence[Measure]) -> Iterator[str]:
    yield "| files | touching | uses | seconds | CPU s | CPU ms a use | CPU ms a file |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for one in growth:
        size = int(one.facts["files"])
        if one.failure:
            yield f"| {size} | {one.failure} | | | | | |"
            continue
        uses = one.facts.get("uses", 0)
        touching = one.facts.get("files_touching", 0)
        each = f"{1000 * one.work / max(uses, 1):.2f} | {1000 * one.work / size:.0f}"
        yield f"| {size} | {touching:.0f} | {uses:.0f} | {one.median:.1f} | {one.work:.1f} | {each} |"


def _neighbours(neighbours: Sequence[Measure]) -> Iterator[str]:
    yield "| what | seconds | CPU s | MB at most | releases | parsed | received |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    share = ""
    for one in neighbours:
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


def _profiles(profiles: Sequence[Profile]) -> Iterator[str]:
    """Each room's share of each case: by itself, and with all that it calls."""
    failed = [one for one in profiles if one.failure]
    yield from (f"- {one.name}: not sampled: {one.failure}" for one in failed)
    told = [one for one in profiles if one.samples]
    if not told:
        return
    yield (
        f"Samples by `py-spy`, {HERTZ} a second of each process that works, by the innermost of our rooms "
        "([architecture](architecture.md)), which answers for library code, too; behind the stroke with all that the "
        "room calls, where that is more."
    )
    yield ""
    yield f"| room | {' | '.join(one.name for one in told)} |"
    yield f"|---|{'---:|' * len(told)}"
    rooms = {room for one in told for room in one.itself}
    shares = {room: [one.itself.get(room, 0) / one.samples for one in told] for room in rooms}
    for room in sorted(rooms, key=lambda room: (-max(shares[room]), room)):
        if max(shares[room]) >= _SHARE:
            within = [one.within.get(room, 0) / one.samples for one in told]
            cells = (_cell(*pair) for pair in zip(shares[room], within, strict=True))
            yield f"| {room if room.startswith('(') else f'`{room}`'} | {' | '.join(cells)} |"
    if small := [shares[room] for room in rooms if max(shares[room]) < _SHARE]:
        yield f"| {len(small)} others | {' | '.join(f'{share:.0%}' for share in map(sum, zip(*small, strict=True)))} |"
    yield f"| samples | {' | '.join(str(one.samples) for one in told)} |"


def _cell(itself: float, within: float) -> str:
    if within < _SHARE / 10:
        return ""
    return f"{itself:.0%}" if within - itself < 0.005 else f"{itself:.0%} / {within:.0%}"
