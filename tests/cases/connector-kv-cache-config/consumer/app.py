from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorBase_V1


class Disk(KVConnectorBase_V1):
    def __init__(self, vllm_config, role):
        super().__init__(vllm_config, role)  # expect[connector-kv-cache-config]


class Spread(KVConnectorBase_V1):
    def __init__(self, *args):
        super().__init__(*args)  # ok: what is passed cannot be seen
