from dataclasses import dataclass


@dataclass
class CacheConfig:
    block_size: int = 16
    swap_space: float = 4
    enable_prefix_caching: bool | None = None
