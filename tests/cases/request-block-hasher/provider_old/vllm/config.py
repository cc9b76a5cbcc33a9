from dataclasses import dataclass


@dataclass
class CacheConfig:
    block_size: int = 16
    enable_prefix_caching: bool | None = None
    prefix_caching_hash_algo: str = "sha256"
