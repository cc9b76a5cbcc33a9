"""Every target of `targets.py` with bytes that hypothesis makes (many in the slow lane), and what crashed once."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trust.targets import CRASHES, TARGETS, Source, parses, snippet

EXAMPLES = {"few": 150, "many": 5000}
each_target = pytest.mark.parametrize("target", TARGETS)


def fuzz(target: str, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.binary(max_size=400))
    def run(data: bytes) -> None:
        TARGETS[target](data)

    run()


@each_target
def test_any_input(target, record_property):
    fuzz(target, EXAMPLES["few"])
    record_property("inputs", EXAMPLES["few"])


@pytest.mark.fuzz
@each_target
def test_many_inputs(target, record_property):
    fuzz(target, EXAMPLES["many"])
    record_property("inputs", EXAMPLES["many"])


@pytest.mark.parametrize("case", sorted(CRASHES.iterdir()) if CRASHES.is_dir() else [], ids=lambda case: case.name)
def test_what_crashed_once(case):
    """A file is named `TARGET-what`; its content is the input."""
    TARGETS[case.name.partition("-")[0]](case.read_bytes())


def test_the_made_up_modules_parse_often_enough():
    """Or the fuzzing of what comes after the parser would be for show."""
    import random

    chance = random.Random(1)
    made = [snippet(Source(chance.randbytes(chance.randrange(4, 40)))) for _ in range(400)]
    assert sum(map(parses, made)) > 100
