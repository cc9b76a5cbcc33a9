from vllm.model_executor.layers.rotary_embedding import get_rope


def positional(size, dim, length, base, neox, scaling, dtype, part):
    return get_rope(size, dim, length, base, neox, scaling, dtype, part)  # expect[rope-parameters]


def named(size, length, base):
    return get_rope(size, rotary_dim=size, max_position=length, base=base)  # expect[rope-parameters]


def written_anew(size, length):
    return get_rope(size, length, is_neox_style=False, rope_parameters={"rope_theta": 10000})  # ok: the new arguments
