class KVConnectorBase_V1:
    def __init__(self, vllm_config, role, kv_cache_config):
        self.role = role
