from vllm.config import CacheConfig
from vllm.v1.core.sched.scheduler import Scheduler


def explicit():
    return CacheConfig(block_size=32, swap_space=4, enable_prefix_caching=True)  # ok: says what it wants


class Driver:
    def __init__(self, config, kv_cache_config):
        config.cache_config = CacheConfig(  # expect[prefix-caching-on, default-changed]
            block_size=32,
        )
        self.scheduler = Scheduler(config, kv_cache_config)
