class ParallelConfig:
    def __init__(self, worker_extension_cls=""):
        self.worker_extension_cls = worker_extension_cls
