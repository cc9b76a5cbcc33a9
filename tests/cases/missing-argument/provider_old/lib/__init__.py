"""A scheduler that finds its block size itself, and the engine that makes one."""


class Config:
    def __init__(self, block_size: int = 16):
        self.block_size = block_size


class Scheduler:
    def __init__(self, config: Config, log: bool = False):
        self.config = config
        self.log = log


class Queue:
    def __init__(self, size: int):
        self.size = size


def engine(config: Config):
    return Scheduler(config=config)
