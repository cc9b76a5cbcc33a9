class KVConnectorBase_V1:
    def __init__(self, vllm_config, role):
        self.role = role
