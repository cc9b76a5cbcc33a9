"""Random consumers over random histories of a provider: what is said to fit a release really runs there.

A history starts from some functions and classes; each further release changes a few of them in the ways in which
libraries change. The consumer uses them as the first release has them. By default a few dozen; many more with
`-m fuzz`.
"""

from __future__ import annotations

import random

import pytest
from ranges.histories import really_fits, scan_history

NAMES = ("alpha", "beta", "gamma", "delta", "size", "mode", "limit", "seed")


class Callable_:
    """A function, or a method of a class, with its parameters: name -> default, None where there is none."""

    def __init__(self, name, owner=None):
        self.name, self.owner, self.module = name, owner, "main"
        self.parameters = {}

    def copy(self):
        other = Callable_(self.name, self.owner)
        other.module, other.parameters = self.module, dict(self.parameters)
        return other

    def text(self):
        given = sorted(self.parameters.items(), key=lambda item: item[1] is not None)
        shown = [name if default is None else f"{name}={default}" for name, default in given]
        first = ["self"] if self.owner else []
        indent = "    " if self.owner else ""
        head = f"{indent}def {self.name}({', '.join([*first, *shown])}):\n"
        body = f'{indent}    """Does {self.name.split("_")[0]} for {self.owner or "anybody"}."""\n'
        values = "".join(f"{name}, " for name in self.parameters)
        return head + body + f"{indent}    return ({values})\n"


def first_release(draw):
    found = []
    for number in range(draw.randint(2, 4)):
        one = Callable_(f"make_{number}", draw.choice([None, None, "Engine"]))
        for name in draw.sample(NAMES, draw.randint(1, 3)):
            one.parameters[name] = draw.choice([None, "1", "True"])
        found.append(one)
    return found


def changed(draw, release):
    after = [one.copy() for one in release]
    for _ in range(draw.randint(0, 2)):
        one = draw.choice(after)
        names = list(one.parameters)
        match draw.choice(["drop", "rename", "add", "need", "move", "call", "default"]):
            case "drop" if names:
                del one.parameters[draw.choice(names)]
            case "rename" if names:
                old = draw.choice(names)
                renamed = {f"{n}_value" if n == old else n: d for n, d in one.parameters.items()}
                one.parameters = renamed
            case "add":
                one.parameters.setdefault(draw.choice(NAMES), "2")
            case "need":
                one.parameters.setdefault(draw.choice(NAMES), None)
            case "move" if one.owner is None:
                one.module = draw.choice(["main", "inner", "other"])
            case "call" if one.owner is not None:
                one.name = f"{one.name}_now" if len(one.name) < 20 else one.name
            case "default" if names:
                one.parameters[draw.choice(names)] = draw.choice(["1", "None", None])
            case _:
                pass
    return after


def source(release):
    texts = {"main": "", "inner": "", "other": ""}
    for one in release:
        if one.owner is None:
            texts[one.module] += one.text() + "\n\n"
    methods = "\n".join(one.text() for one in release if one.owner)
    main = f"{texts['main']}class Engine:\n    def there(self):\n        return 1\n\n{methods}\n"
    return f"{main}# ---- inner.py\n{texts['inner']}\n# ---- other.py\n{texts['other']}\n"


def consumer(draw, release):
    functions = [one.name for one in release if one.owner is None]
    lines = [f"from lib import {', '.join(['Engine', *functions])}", "", ""]
    if functions and draw.random() < 0.3:
        lines = ["import lib", f"from lib import {', '.join(['Engine', *functions[1:]])}", "", ""]
    lines += ["def main():", "    engine = Engine()"]
    for number, one in enumerate(release):
        passed = [n for n, default in one.parameters.items() if default is None or draw.random() < 0.7]
        arguments = ", ".join(f"{name}={position}" for position, name in enumerate(passed))
        called = f"engine.{one.name}" if one.owner else one.name
        if "import lib" in lines and not one.owner and one.name == functions[0]:
            called = f"lib.{one.name}"
        lines.append(f"    value_{number} = {called}({arguments})")
    shown = ", ".join(f"value_{number}" for number in range(len(release)))
    return "\n".join([*lines, f"    return {shown}", ""])


def check(seed, folder):
    draw = random.Random(seed)
    releases = [first_release(draw)]
    for _ in range(draw.randint(2, 4)):
        releases.append(changed(draw, releases[-1]))
    app = consumer(draw, releases[0])
    history = {f"1.{number}": source(release) for number, release in enumerate(releases)}
    style = draw.choice([None, None, "version"])
    outcome = scan_history(app, history, folder, style=style)
    for version in history:
        if version in outcome.fitting:
            assert really_fits(app, folder, version), f"{seed}: said to fit {version}\n{app}"
        if version in outcome.proven:
            assert really_fits(outcome.patched, folder, version), f"{seed}: proven for {version}\n{outcome.patched}"
    return outcome, history


def test_what_is_said_to_fit_really_runs(tmp_path):
    repaired = claims = 0
    for seed in range(30):
        outcome, _ = check(seed, tmp_path / str(seed))
        repaired += bool(outcome.patches)
        claims += len(outcome.proven)
    assert repaired > 5
    assert claims > 60


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_a_hundred_more(seed, tmp_path):
    check(seed, tmp_path)
