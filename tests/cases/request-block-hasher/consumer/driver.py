from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.request import Request


class Driver:
    def __init__(self, config, kv_cache_config):
        self.config = config
        self.scheduler = Scheduler(vllm_config=self.config, kv_cache_config=kv_cache_config)

    def one(self, ids):
        return Request("one", ids)  # expect[request-block-hasher]

    def many(self, batch):
        return [Request(request_id=str(i), prompt_token_ids=ids) for i, ids in enumerate(batch)]  # expect[request-block-hasher]

    def hashed(self, ids, hasher):
        return Request("hashed", ids, hasher)  # ok: passes a hasher
