class Scheduler:
    def __init__(self, vllm_config, kv_cache_config):
        self.block_size = vllm_config.cache_config.block_size
