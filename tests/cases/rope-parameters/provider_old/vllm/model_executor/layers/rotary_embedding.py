def get_rope(
    head_size: int,
    rotary_dim: int,
    max_position: int,
    base: float,
    is_neox_style: bool = True,
    rope_scaling: dict | None = None,
    dtype=None,
    partial_rotary_factor: float = 1.0,
):
    return (head_size, rotary_dim, max_position, base)
