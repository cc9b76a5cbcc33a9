def resolve_kv_cache_block_sizes(kv_cache_config, vllm_config):
    return vllm_config.cache_config.block_size, kv_cache_config.hash_block_size
