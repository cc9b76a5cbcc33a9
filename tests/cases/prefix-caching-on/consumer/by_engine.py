from vllm.config import CacheConfig


def plain():
    return CacheConfig(block_size=32, swap_space=4)  # expect[default-changed]
