class Scheduler:
    def __init__(self, vllm_config, kv_cache_config, block_size, hash_block_size=None):
        self.block_size = block_size
