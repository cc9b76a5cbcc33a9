"""The page of results: costs with ratios, detection side by side, bytes and neighbours."""

from __future__ import annotations

import argparse

from inputs import ROWS, Inputs
from measuring import Measure


def page(
    where: str,
    arguments: argparse.Namespace,
    inputs: Inputs,
    measures: list[Measure],
    found: dict[str, tuple[set[int], int]],
) -> str:
    """The whole page as markdown."""
    by_name = {one.name: one for one in measures}
    title = f"{arguments.consumer}, {arguments.old} -> {arguments.new}; {where}; medians of {arguments.runs}."
    return "\n".join(
        [title, "", *_costs(by_name), "", *_detection(found), "", *_bytes(by_name, inputs), "", *_matrix(by_name)]
    )


def _costs(by_name: dict[str, Measure]) -> list[str]:
    warm, cold = by_name["api-audit scan, warm"], by_name["api-audit snapshot, cold"]
    lines = ["| what | seconds (median) | range | CPU s | MB at most | ratio |", "|---|---:|---:|---:|---:|---|"]
    for name, one in by_name.items():
        if one.failure:
            lines.append(f"| {name} | failed | | | | {one.failure} |")
            continue
        if name.startswith("griffe"):
            ratio = f"our cold read takes {cold.median / one.median:.2f} of it ({cold.work / one.work:.2f} of its CPU)"
        elif name.startswith("api-audit"):
            ratio = ""
        else:
            ratio = f"our warm scan takes {warm.median / one.median:.2f} of it ({warm.work / one.work:.2f} of its CPU)"
        lines.append(f"| {name} | {one.median:.2f} | {one.spread} | {one.work:.2f} | {one.megabytes:.0f} | {ratio} |")
    return lines


def _detection(found: dict[str, tuple[set[int], int]]) -> list[str]:
    names = list(found)
    lines = [f"| row | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for number, (file, line, words) in ROWS.items():
        cells = " | ".join("yes" if number in found[name][0] else "-" for name in names)
        lines.append(f"| {number}. {words} (`{file}:{line}`) | {cells} |")
    lines.append(f"| **found** | {' | '.join(f'{len(found[name][0])} of {len(ROWS)}' for name in names)} |")
    lines.append(f"| said elsewhere | {' | '.join(str(found[name][1]) for name in names)} |")
    return lines


def _bytes(by_name: dict[str, Measure], inputs: Inputs) -> list[str]:
    lines = [
        f"- The wheel: {inputs.wheel_bytes / 1e6:.1f} MB; its Python sources: {inputs.source_bytes / 1e6:.1f} MB, "
        f"{inputs.packed_bytes / 1e6:.1f} MB as packed in it."
    ]
    for name, what in (
        ("api-audit snapshot, empty store", "read whole"),
        ("api-audit scan, empty store", "first scan"),
    ):
        facts = by_name[name].facts
        parsed = f", {facts['modules_parsed']:.0f} modules parsed" if "modules_parsed" in facts else ""
        if facts:
            received = f"{facts.get('traffic_bytes', 0) / 1e6:.1f} MB in {facts.get('requests', 0):.0f} requests"
            lines.append(f"- {what}: {received}{parsed}.")
    return lines


def _matrix(by_name: dict[str, Measure]) -> list[str]:
    one = by_name.get("api-audit matrix")
    if one is None or not one.facts:
        return []
    facts = one.facts
    share = 1 - facts["modules_different"] / max(facts["modules_needed"], 1)
    return [
        f"- {facts['releases']:.0f} releases ({facts['releases_kept']:.0f} of them kept from an earlier run) in "
        f"{one.median:.1f} s: {facts['modules_needed']:.0f} modules needed, {share:.0%} of them unchanged between "
        f"releases, {facts['modules_parsed']:.0f} parsed, {facts['traffic_bytes'] / 1e6:.1f} MB received.",
        "",
    ]
