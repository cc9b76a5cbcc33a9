"""Small configs of the same architecture, and the prompts of a rehearsal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.runner.inside.shrinking import language_part, shrink
from auditor.runner.rehearse import Shrunken, prompts

MODELS = Path(__file__).parent.parent.parent / "benchmarks" / "gpu" / "models"
SMALL = {"layers": 4, "experts": 8, "vocabulary": 512, "width": 256, "parallel": 1}


def config(name: str) -> dict:
    return json.loads((MODELS / name / "config.json").read_text())


def test_a_mixture_keeps_a_dense_layer_and_layers_with_experts():
    small = shrink(config("kimi-k2-like"), **SMALL)
    assert (small["num_hidden_layers"], small["first_k_dense_replace"]) == (4, 1)
    assert (small["n_routed_experts"], small["num_experts_per_tok"]) == (8, 2)
    assert (small["hidden_size"], small["num_attention_heads"], small["num_key_value_heads"]) == (256, 16, 16)
    assert (small["kv_lora_rank"], small["qk_rope_head_dim"]) == (512, 64), "attention kernels are made for these"
    assert small["vocab_size"] == 512


def test_many_dense_layers_become_one():
    deep = config("kimi-k2-like") | {"first_k_dense_replace": 3, "n_group": 8, "topk_group": 4}
    small = shrink(deep, **SMALL | {"layers": 1})
    assert (small["first_k_dense_replace"], small["num_hidden_layers"]) == (1, 2)
    assert (small["n_group"], small["topk_group"]) == (2, 2)
    assert small["n_routed_experts"] % small["n_group"] == 0


def test_the_real_width_stays_on_request():
    small = shrink(config("kimi-k2-like"), **SMALL | {"width": None})
    assert (small["hidden_size"], small["moe_intermediate_size"], small["num_attention_heads"]) == (7168, 2048, 64)


@pytest.mark.parametrize("parallel", [1, 2, 8])
def test_heads_can_be_shared_by_the_gpus(parallel):
    small = shrink(config("llama-7168"), **SMALL | {"parallel": parallel})
    assert small["num_attention_heads"] % parallel == 0
    assert small["num_key_value_heads"] % parallel == 0
    assert small["num_attention_heads"] % small["num_key_value_heads"] == 0


def test_every_kind_of_attention_is_kept():
    kinds = ["sliding"] * 5 + ["full"]
    small = shrink({**config("llama-7168"), "num_hidden_layers": 12, "layer_types": kinds * 2}, **SMALL)
    assert small["num_hidden_layers"] == 6
    assert small["layer_types"] == kinds


def test_the_language_part_is_found_and_quantisation_dropped():
    whole = {"architectures": ["X"], "text_config": config("llama-7168"), "quantization_config": {"bits": 4}}
    whole["media_placeholder_token_id"] = 163605
    small = shrink(whole, **SMALL)
    assert "quantization_config" not in small
    assert language_part(small)["num_hidden_layers"] == 4
    assert small["media_placeholder_token_id"] < 512
    assert whole["text_config"]["num_hidden_layers"] == 8, "the original is left alone"


def test_special_tokens_lie_in_the_small_vocabulary():
    small = shrink(config("llama-7168") | {"eos_token_id": [2, 31999], "pad_token_id": 31998}, **SMALL)
    assert small["eos_token_id"] == [2, 511]
    assert small["pad_token_id"] == 511


def test_prompts_of_a_rehearsal_exceed_a_step_and_come_again_in_another_order():
    made = [sample["input_ids"] for sample in prompts(512, longest=500, step=8192)]
    half = len(made) // 2
    assert sum(map(len, made[:half])) > 8192
    assert made[:half] == made[half:-1][::-1]
    assert made[-1] == made[0]
    assert {1, 16, 17, 129} <= {len(tokens) for tokens in made}
    assert max(map(max, made)) < 512


@pytest.mark.parametrize(
    ("layers", "dense", "chosen"), [(4, 1, [0, 1, 2, 3]), (4, 0, [0, 2, 3]), (2, 1, [0, 1]), (1, 0, [0])]
)
def test_the_first_a_mixed_and_the_last_layer_are_looked_at(layers, dense, chosen):
    assert Shrunken(Path(), "X", layers, 1, 1, dense, dummy=False).chosen() == chosen
