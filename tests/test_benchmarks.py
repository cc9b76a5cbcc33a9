"""The benchmark's own parts: what is kept of an interrupted run, how samples are counted, and what the page tells."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from measuring import Measure, measure
from ours import FIRST, READ, TOUCHED, WARM, WHOLE
from results import Results
from sampling import IMPORTING, OUTSIDE, PARSING, Profile, rooms, sampled
from telling import BEGIN, END, inserted, page

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
RIVALS = ("willitbreak", "upgrade-impact")
CHECKERS = ("ty, two runs", "pyrefly, two runs", "pyright, two runs")
LINES = {number: ("a.py", 10 * number, 10 * number + 3) for number in range(1, 11)}


def cost(name: str, seconds: float = 1.0, output: str = "", **facts: float) -> Measure:
    return Measure(name, (seconds, seconds), 100.0, output, cpu=(seconds, seconds), facts=facts)


def results() -> Results:
    settings = {"consumer": "app==1", "old": "lib==1", "new": "lib==2", "range": "", "runs": 2, "rival_runs": 2}
    found = Results("a machine", settings, {"ty": "0.1"}, {"wheel": 3, "sources": 2, "packed": 1})
    report = {"findings": [{"path": "x/a.py", "line": 12, "severity": "error"}]}
    traffic = {"requests": 5, "traffic_bytes": 1}
    found.add("small", [cost(WARM, output=json.dumps(report)), cost(TOUCHED)])
    found.add("checkers", [cost(name, output="x/a.py:21: gone") for name in CHECKERS])
    found.add("whole", [cost(READ), cost("griffe.load, static"), cost(FIRST, **traffic), cost(WHOLE, **traffic)])
    found.add("rivals", [replace(cost("willitbreak", 8.0, "a.py:33: gone\na.py:99: gone"), megabytes=123.0)])
    found.stages["rivals"].append(Measure("upgrade-impact", (), 0.0, failure="ended after 150 s"))
    return found


def rows(text: str, section: str) -> list[list[str]]:
    """The cells of a section's table."""
    part = text.partition(f"\n## {section}")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|") and not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_cost_memory_and_detection_stand_side_by_side():
    text = page(results(), LINES)
    costs = {row[0]: row for row in rows(text, "Costs")}
    assert costs["what"][4] == "MB at most"
    assert costs["willitbreak"][1:] == ["8.00", "8.00-8.00", "8.00", "123", "0.12 (0.12 by CPU)"]
    assert costs["upgrade-impact"][1] == "ended after 150 s"
    head, first, second, third, *_, found, beside = rows(text, "Found")
    assert head == ["row", WARM, *CHECKERS, "willitbreak"]
    assert first[1:] == ["yes", "-", "-", "-", "-"]
    assert second[1:] == ["-", "yes", "yes", "yes", "-"]
    assert third[1:] == ["-", "-", "-", "-", "yes"]
    assert found[1:] == ["1 of 10"] * 5
    assert beside[1:] == ["0", "0", "0", "0", "1"]


def test_the_page_in_the_documentation_has_all_peers():
    text = PAGE.read_text("utf-8")
    costs = {row[0]: row for row in rows(text, "Costs")}
    ended = [name for name in RIVALS if costs[name][1].startswith("ended after")]
    for name in (WARM, READ, *CHECKERS, "griffe.load, static", *RIVALS):
        assert name in ended or float(costs[name][4]) > 0, name
    assert rows(text, "Found")[0][1:] == [WARM, *CHECKERS, *(name for name in RIVALS if name not in ended)]


def test_the_measured_part_alone_is_replaced():
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert inserted(text, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"


def test_an_interrupted_run_goes_on(tmp_path):
    file, begun = tmp_path / "results.json", results()
    begun.add("profiles", [Profile("scan", 2, {"checks": 2}, {"checks": 2})])
    begun.write(file)
    again = Results("elsewhere", begun.settings, begun.tools, begun.sizes).going_on(file)
    assert again == begun
    assert page(again, LINES) == page(begun, LINES)


def test_a_run_with_other_settings_begins_anew(tmp_path):
    file, begun = tmp_path / "results.json", results()
    begun.write(file)
    other = Results(begun.where, {**begun.settings, "runs": 3}, begun.tools, begun.sizes)
    with pytest.raises(SystemExit, match="leave out --go-on"):
        other.going_on(file)
    assert other.going_on(tmp_path / "none.json") is other


def test_a_command_that_fails_is_told_and_ends_nothing():
    command = [sys.executable, "-c", "import sys; sys.exit('no such thing')"]
    assert measure("it", command, runs=1, good=(0,)).failure == "no such thing"
    slow = measure("it", [sys.executable, "-c", "import time; time.sleep(60)"], runs=1, limit=0.2)
    assert slow.failure.startswith("ended after")


@pytest.mark.parametrize(
    ("stack", "at_work"),
    [
        ("main (/x/auditor/cli/app.py:1);find (/x/auditor/checks/a.py:2)", "checks"),
        ("find (/x/auditor/checks/a.py:2);compile (/usr/lib/python3/re.py:3)", "checks"),
        ("read (/x/auditor/scan.py:2);parse (/usr/lib/python3/ast.py:3)", PARSING),
        (
            "main (/x/auditor/cli/app.py:1);_load (<frozen importlib._bootstrap>:9);<module> (/x/auditor/a.py:1)",
            IMPORTING,
        ),
        ("process 7:python -m auditor;_run_code (<frozen runpy>:8)", OUTSIDE),
    ],
)
def test_the_innermost_room_is_at_work(stack, at_work):
    assert rooms(stack.split(";"))[0] == at_work


def test_samples_of_all_runs_count_together(tmp_path):
    sampler = tmp_path / "sampler"
    stacks = "a (/x/auditor/scan.py:1);b (/x/auditor/checks/a.py:2) 3\na (/x/auditor/scan.py:1) 1\n"
    body = f"import sys\nopen(sys.argv[sys.argv.index('--output') + 1], 'w').write({stacks!r})\n"
    sampler.write_text(f"#!{sys.executable}\n{body}", encoding="utf-8")
    sampler.chmod(0o755)
    found = sampled("it", ["true"], sampler=sampler, runs=2)
    assert found == Profile("it", 8, {"checks": 6, "scan": 2}, {"checks": 6, "scan": 8})
    told = results()
    told.add("profiles", [found, Profile("other", failure="no permission")])
    text = page(told, LINES)
    assert rows(text, "Where the time goes")[1:] == [["`checks`", "75%"], ["`scan`", "25% / 100%"], ["samples", "8"]]
    assert "- other: not sampled: no permission" in text
