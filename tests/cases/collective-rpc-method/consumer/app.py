from vllm.config import ParallelConfig
from vllm.v1.executor.abstract import Executor


class Extension:
    def rescale(self, size):
        self.size = size


class Driver:
    def __init__(self, config):
        config.parallel_config = ParallelConfig(worker_extension_cls="app.Extension")
        self.executor = Executor(config)

    def run(self, size):
        self.executor.collective_rpc("reinitialize", args=(size,))  # expect[collective-rpc-method]
        self.executor.collective_rpc("load_model")  # expect[new-raise]
        self.executor.collective_rpc("rescale", args=(size,))  # ok: the extension has it
        self.executor.collective_rpc("never_there")  # ok: neither release has it
