from vllm.v1.executor.abstract import Executor


class MultiprocExecutor(Executor):
    def collective_rpc(self, method, args=(), unique_reply_rank: int | None = None) -> list:
        replies = [worker(method, args) for worker in self.workers]
        return replies if unique_reply_rank is None else [replies[unique_reply_rank]]
