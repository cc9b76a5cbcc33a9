"""Makes a model's config small, its architecture unchanged: fewer layers, experts and words, perhaps less width."""

from __future__ import annotations

from typing import Any

Config = dict[str, Any]
NESTED = ("text_config", "llm_config", "language_config")
EXPERTS = ("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
GONE = ("quantization_config", "compression_config")
MOST_LAYERS = 8


def shrink(config: Config, *, layers: int, experts: int, vocabulary: int, width: int | None, parallel: int) -> Config:
    """The small config; the language model's part of it where it is nested."""
    small = {name: value for name, value in config.items() if name not in GONE}
    for name in NESTED:
        if isinstance(small.get(name), dict):
            inner = {**small[name]}
            small[name] = shrink(
                inner, layers=layers, experts=experts, vocabulary=vocabulary, width=width, parallel=parallel
            )
            if "vocab_size" in small:
                small["vocab_size"] = small[name].get("vocab_size", vocabulary)
            _keep_tokens(small, int(small[name].get("vocab_size", vocabulary)))
            return small
    _layers(small, layers)
    _experts(small, experts)
    small["vocab_size"] = min(int(small.get("vocab_size", vocabulary)), vocabulary)
    _keep_tokens(small, small["vocab_size"])
    if width is not None:
        _width(small, width, parallel)
    return small


def language_part(config: Config) -> Config:
    """The part of a config that describes the language model."""
    return next((config[name] for name in NESTED if isinstance(config.get(name), dict)), config)


def _layers(config: Config, wanted: int) -> None:
    dense = int(config.get("first_k_dense_replace") or 0)
    if dense:
        config["first_k_dense_replace"] = dense = 1
    count = min(int(config["num_hidden_layers"]), max(wanted, dense + 1))
    types = config.get("layer_types")
    if isinstance(types, list):
        # Every kind of layer must be among the first ones, or the rehearsal would skip it.
        while set(types[:count]) != set(types) and count < min(len(types), MOST_LAYERS):
            count += 1
        config["layer_types"] = types[:count]
    config["num_hidden_layers"] = count
    for name in ("moe_layer_freq", "attn_type_list", "sliding_window_pattern"):
        if isinstance(config.get(name), list):
            config[name] = config[name][:count]
    if isinstance(config.get("mlp_only_layers"), list):
        config["mlp_only_layers"] = [number for number in config["mlp_only_layers"] if number < count]
    for name in ("max_window_layers", "first_attn_layers"):
        if isinstance(config.get(name), int):
            config[name] = min(config[name], count)
    for name in ("num_nextn_predict_layers", "mtp_num_layers"):
        if config.get(name):
            config[name] = 0


def _experts(config: Config, wanted: int) -> None:
    for name in EXPERTS:
        if isinstance(config.get(name), int) and config[name] > 1:
            config[name] = min(config[name], wanted)
            if isinstance(config.get("num_experts_per_tok"), int):
                config["num_experts_per_tok"] = min(config["num_experts_per_tok"], 2, config[name])
            if isinstance(config.get("n_group"), int):
                config["n_group"] = min(config["n_group"], 2)
                config["topk_group"] = min(int(config.get("topk_group") or 1), config["n_group"])


def _keep_tokens(config: Config, vocabulary: int) -> None:
    """Ids of special tokens must lie in the small vocabulary."""
    for name, value in config.items():
        if name.endswith(("_token_id", "_token_index")) and isinstance(value, int) and value >= vocabulary:
            config[name] = vocabulary - 1
        if name.endswith("_token_id") and isinstance(value, list):
            config[name] = sorted({min(int(item), vocabulary - 1) for item in value})


def _width(config: Config, width: int, parallel: int) -> None:
    """Narrower, with as many heads as the GPUs can share; what attention kernels are made for stays as it is."""
    latent = config.get("kv_lora_rank")
    heads = int(config["num_attention_heads"])
    size = config.get("head_dim") or int(config["hidden_size"]) // heads
    few = max(parallel, min(heads, 16 if latent else 4))
    pairs = int(config.get("num_key_value_heads") or heads)
    config["num_attention_heads"] = few
    config["num_key_value_heads"] = few if pairs == heads else max(parallel, min(pairs, 2))
    config["hidden_size"] = width if latent or config.get("head_dim") else few * size
    for name, most in (("intermediate_size", 1024), ("moe_intermediate_size", 256)):
        if isinstance(config.get(name), int):
            config[name] = min(config[name], most)
    if isinstance(config.get("shared_expert_intermediate_size"), int):
        config["shared_expert_intermediate_size"] = min(config["shared_expert_intermediate_size"], 256)
