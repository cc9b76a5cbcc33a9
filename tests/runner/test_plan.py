"""The plan: how prompts are cut into batches, and what of it is left."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.runner.inside import plan
from auditor.runner.inside.rows import Rows, UnforeseenError, from_reply


@given(st.lists(st.integers(1, 50), max_size=60), st.integers(50, 90), st.integers(1, 8))
def test_batches_cover_every_prompt_once_within_both_limits(lengths, tokens, prompts):
    batches = plan.pack(lengths, tokens=tokens, prompts=prompts)
    assert [n for a, b in batches for n in range(a, b)] == list(range(len(lengths)))
    for a, b in batches:
        assert sum(lengths[a:b]) <= tokens
        assert b - a <= prompts


def test_batches_are_read_shortest_first_and_others_skipped(tmp_path):
    prompts = [plan.Prompt(n, f"p{n}", [1] * length, None) for n, length in enumerate([3, 1, 2, 5, 4])]
    text = [plan.encode(prompt) for prompt in prompts]
    text[2] = "not JSON, and not to be read\n"
    (tmp_path / plan.PROMPTS).write_text("".join(text))
    found = list(plan.batches(tmp_path, [(0, 2), (3, 5)]))
    assert [[p.number for p in batch] for batch in found] == [[1, 0], [4, 3]]


def test_a_plan_is_read_as_it_was_written(tmp_path):
    made = plan.Plan("d", 3, 30, 1, 20, [(0, 2), (2, 3)])
    plan.write(tmp_path, made)
    assert plan.read(tmp_path) == made
    assert [made.mine(replica, 2) for replica in (0, 1)] == [[(0, 2)], [(2, 3)]]
    json.loads((tmp_path / plan.PLAN).read_text())


def test_a_batch_is_unfinished_while_one_sample_lacks(tmp_path):
    for number in (0, 1, 2):
        (tmp_path / plan.sample_name(number)).touch()
    wanted = [(0, 2), (2, 4), (4, 5)]
    assert plan.unfinished(plan.finished(tmp_path, wanted), wanted) == [(2, 4), (4, 5)]


PLACE = {"layer": 0, "rows": 10, "width": 4, "dtype": "torch.bfloat16"}


def test_rows_are_cut_as_a_tensor_would_be():
    (rows,) = from_reply([PLACE])
    for start, stop in ((0, 3), (3, 10), (8, 20), (12, 15), (None, 4)):
        part = rows[start:stop].clone().cpu().contiguous()
        expected = list(range(10))[start:stop]
        assert len(part) == len(expected)
        assert part.shape == (len(expected), 4)
        if expected:
            assert (part.start, part.stop) == (expected[0], expected[-1] + 1)
    assert rows[2:8][1:3] == Rows(PLACE, 3, 5)


def test_replies_keep_their_nesting():
    assert from_reply([[PLACE], None]) == [[Rows(PLACE, 0, 10)], None]


@pytest.mark.parametrize("use", [lambda r: r[0], lambda r: r[::2], lambda r: r.float(), lambda r: r.to("cpu")])
def test_what_rows_cannot_follow_is_said(use):
    with pytest.raises(UnforeseenError):
        use(Rows(PLACE, 0, 10))


def test_more_rows_than_a_step_takes_are_refused():
    with pytest.raises(UnforeseenError, match="larger than a scheduler step"):
        from_reply([{"rows": 9, "overflow": True}])
