"""A scheduler that must be told its block size, and the engine that tells it."""


class Config:
    def __init__(self, block_size: int = 16):
        self.block_size = block_size


class Scheduler:
    def __init__(self, config: Config, block_size: int, log: bool = False):
        self.config = config
        self.block_size = block_size
        self.log = log


class Queue:
    def __init__(self, size: int):
        self.size = size


def engine(config: Config):
    return Scheduler(config=config, block_size=config.block_size)
