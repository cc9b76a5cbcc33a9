from vllm.v1.executor.multiproc_executor import MultiprocExecutor


class Driver:
    def __init__(self, config):
        self.executor = MultiprocExecutor(config)

    def states(self):
        specs = self.executor.collective_rpc("get_kv_cache_spec")
        first = specs[0]  # ok: without `unique_reply_rank` the reply is still a list
        replies = self.executor.collective_rpc(
            "get_captured_states",
            unique_reply_rank=0,
        )
        return first, replies[0]  # expect[rpc-single-reply]

    def whole(self):
        return self.executor.collective_rpc("get_captured_states", unique_reply_rank=0)  # ok: handed on as it is
