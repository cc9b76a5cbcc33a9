def get_rope(
    head_size: int,
    max_position: int,
    is_neox_style: bool = True,
    rope_parameters: dict | None = None,
    dtype=None,
):
    return (head_size, max_position, rope_parameters)
